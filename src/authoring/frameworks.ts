/** Other documentation systems, told by the names of their files: for whoever deploys such a folder as it is, and to move it. */

export const frameworks = {
  docusaurus: 'Docusaurus',
  vitepress: 'VitePress',
  starlight: 'Starlight',
  mkdocs: 'MkDocs',
  gitbook: 'GitBook',
  nextra: 'Nextra',
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
/** Copies of other people’s, examples and tests are not what a folder is. */
const beside = /(?:^|\/)(?:node_modules|examples?|fixtures?|__fixtures__|tests?|__tests__|templates?|playground|e2e)\//

/**
 * What a folder is written for. The settings file that stands highest decides; of several the first kind.
 * @param paths relative to the folder, with slashes. Linear in their number.
 */
export function recogniseFramework(paths: Iterable<string>): FoundFramework | undefined {
  let best: (FoundFramework & { readonly rank: number }) | undefined
  for (const path of paths) {
    if (beside.test(path)) continue
    for (const [index, [framework, pattern]] of signs.entries()) {
      const match = pattern.exec(path)
      if (match === null) continue
      const folder = (match.groups?.['folder'] ?? '').replace(/\/$/, '')
      const depth = folder === '' ? 0 : folder.split('/').length
      const rank = index === signs.length - 1 ? 1000 + depth : depth * signs.length + index
      if (best === undefined || rank < best.rank) best = { framework, sign: path, folder, rank }
    }
  }
  return best
}
