import type { ErrorDetail } from './common.ts'

/** Other documentation systems, told by the names of their files: for whoever deploys such a folder as it is, and to move it. */

export const frameworks = {
  docusaurus: 'Docusaurus',
  vitepress: 'VitePress',
  starlight: 'Starlight',
  mkdocs: 'MkDocs',
  gitbook: 'GitBook',
  nextra: 'Nextra',
  mdbook: 'mdBook',
} as const
export type Framework = keyof typeof frameworks

export interface FoundFramework {
  readonly framework: Framework
  /** The file that tells: `website/docusaurus.config.ts`. */
  readonly sign: string
  /** Folder of that file, or what stands for it: empty, or without a slash at its end. */
  readonly folder: string
}

/** Settings files of all of them, behind the last slash or whole; `folder` is what is before. */
const signs: readonly (readonly [Framework, RegExp])[] = [
  ['docusaurus', /^(?<folder>.*\/)?docusaurus\.config\.(?:js|cjs|mjs|ts|mts)$/],
  ['vitepress', /^(?<folder>.*\/)?\.vitepress\/config(?:\/index)?\.(?:js|cjs|mjs|ts|mts)$/],
  ['mkdocs', /^(?<folder>.*\/)?mkdocs\.ya?ml$/],
  ['mdbook', /^(?<folder>.*\/)?book\.toml$/],
  ['gitbook', /^(?<folder>.*\/)?(?:\.gitbook\.yaml|book\.json)$/],
  ['starlight', /^(?<folder>.*\/)?src\/content\/docs\/[^/]+\.mdx?$/],
  ['gitbook', /^(?<folder>.*\/)?SUMMARY\.md$/],
  [
    'nextra',
    /^(?<folder>.*\/)?(?:content|pages|app|src\/content|src\/pages|src\/app)\/(?:.*\/)?_meta(?:\.global)?\.(?:js|jsx|ts|tsx|json)$/,
  ],
  // A folder of pages alone, without the settings beside it.
  ['docusaurus', /^(?<folder>.*\/)?_category_\.(?:json|ya?ml)$/],
]
/** What all signs have: most paths are none. */
const hint = /config|mkdocs|book|SUMMARY|_meta|_category_|content\/docs/
/** Copies of other people’s, examples and tests are not what a folder is. */
const beside = /(?:^|\/)(?:node_modules|examples?|fixtures?|__fixtures__|tests?|__tests__|templates?|playground|e2e)\//

interface Ranked extends FoundFramework {
  /** The smaller one decides. */
  readonly rank: number
}

/** The better sign of what a folder is written for: that which stood before, or a file. */
function betterSign(best: Ranked | undefined, path: string): Ranked | undefined {
  if (!hint.test(path) || beside.test(path)) return best
  for (const [index, [framework, pattern]] of signs.entries()) {
    const match = pattern.exec(path)
    if (match === null) continue
    const folder = (match.groups?.['folder'] ?? '').replace(/\/$/, '')
    const depth = folder === '' ? 0 : folder.split('/').length
    const rank = index === signs.length - 1 ? weakest + depth : depth * signs.length + index
    return best === undefined || rank < best.rank ? { framework, sign: path, folder, rank } : best
  }
  return best
}

/** More than any depth of folders makes of the others. */
const weakest = 1_000_000

/**
 * What a folder is written for. The settings file that stands highest decides; of several the first kind. Pauses after
 * each path; linear in their number.
 * @param paths relative to the folder, with slashes
 */
export function* findFramework(paths: Iterable<string>): Generator<undefined, FoundFramework | undefined> {
  let best: Ranked | undefined
  for (const path of paths) {
    yield
    best = betterSign(best, path)
  }
  return best
}

/** The same at once. */
export function recogniseFramework(paths: Iterable<string>): FoundFramework | undefined {
  let best: Ranked | undefined
  for (const path of paths) best = betterSign(best, path)
  return best
}

/** What to do about a folder of another system that is shown as it is. */
export function frameworkWarning({ framework, sign }: FoundFramework): ErrorDetail {
  return {
    rule: 'framework-found',
    message: `This is a site of ${frameworks[framework]} (${sign}): shown as it is, it lacks its navigation, and what its pages have beside Markdown.`,
    hint: 'Turn it into a site of Quire: quire import <folder> --to docs',
  }
}
