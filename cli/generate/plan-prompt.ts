import type { PromptMessage } from '../../src/contract/generation.ts'
import { linesOf } from './material.ts'
import { mapPages, pagesOf, type SitePlan } from './plan.ts'
import { exportingFiles, textOf, type Project } from './project.ts'
import { dataRule, jsonBlock } from './prompt.ts'
import type { FileSymbols } from './symbols/symbol.ts'

/** UTF-16 units of the outline of a whole project, about 35,000 tokens, and of its README and other documents. */
const maxOutline = 120_000
const maxReadme = 12_000
const maxDocument = 1200
const maxDocuments = 24_000

const rules = `You plan the documentation of a software project: which pages it has, in which groups, and which source files each page rests on. Readers are developers who use the project. Others write the pages, one at a time, from your plan and the sources you name.

- Begin with what a newcomer needs: the page "index" (what it is, for whom, a first example), installation and first steps; then guides by task; then reference by area. Few strong pages rather than many thin ones: a page covers what is used together.
- Every file that exports something is a source of at least one page, or is listed in "leftOut" with a reason in a few words (internal, generated, a test). Tests, examples, documents and manifests may be sources, too.
- "sources" are paths of the outline. A folder, with / at its end, stands for all files below it. Give a page at most about twelve files; more only where they are small and of one kind.
- "path" is lower-case letters, digits and hyphens, with / between names: "guides/install". No ending.
- "title" is a few words, "description" one sentence for readers, "purpose" tells the writer in two or three sentences what the page must say and leave out.

${dataRule}

Answer with one JSON object and nothing else:
{"name": "…", "groups": [{"group": "Get started", "pages": [{"path": "index", "title": "…", "description": "…", "purpose": "…", "sources": ["README.md", "src/index.ts"]}]}], "leftOut": [{"source": "src/internal.ts", "reason": "internal"}]}
A group may hold groups among its pages, three deep at most.`

/** UTF-16 units of the plan that there was: of a large project it names thousands of files. */
const maxBefore = 60_000

/** As a model is shown it: as many sources of each page as there is room for. */
function shownPlan(plan: SitePlan): SitePlan {
  for (const most of [100, 30, 10]) {
    const shown = mapPages({ ...plan, leftOut: plan.leftOut.slice(0, most) }, (page) => ({
      ...page,
      sources: page.sources.slice(0, most),
    }))
    if (JSON.stringify(shown).length <= maxBefore) return shown
  }
  return mapPages({ ...plan, leftOut: [] }, (page) => ({ ...page, sources: page.sources.slice(0, 3) }))
}

/** What a plan depends on beside the project. */
export interface PlanSurroundings {
  readonly maxPages: number
  /** Pages of the output folder that somebody wrote by hand. */
  readonly existing: readonly string[]
  /** The plan that there was, when files have appeared or vanished since. */
  readonly before?: {
    readonly plan: SitePlan
    readonly appeared: readonly string[]
    readonly vanished: readonly string[]
  }
}

/** Asks for a plan of the site. */
export async function planPrompt(project: Project, around: PlanSurroundings): Promise<PromptMessage[]> {
  const { before } = around
  const outline = {
    project: project.name,
    maxPages: around.maxPages,
    ...outlineOf(project),
    ...(around.existing.length === 0 ? {} : { pagesOfTheUser: around.existing.slice(0, 500) }),
    ...(before === undefined
      ? {}
      : {
          planBefore: shownPlan(before.plan),
          appeared: before.appeared.slice(0, 500),
          vanished: before.vanished.slice(0, 500),
        }),
  }
  const words = [
    `Plan the documentation of ${JSON.stringify(project.name)}, with at most ${around.maxPages} pages.`,
    ...(around.existing.length === 0
      ? []
      : ['The user has written the pages in "pagesOfTheUser": leave their paths and what they say to them.']),
    ...(before === undefined
      ? []
      : [
          'There is a plan already, "planBefore", and its pages are written. Keep their paths, titles and sources; change only what the files that appeared or vanished make necessary.',
        ]),
    jsonBlock('project-outline', outline),
    ...(await documents(project)),
  ]
  return [
    { role: 'system', content: rules },
    { role: 'user', content: words.join('\n\n') },
  ]
}

type Outline = Readonly<Record<string, unknown>>

/**
 * The files of a project with what they export, in as much detail as fits: with signatures and comments, names, numbers,
 * and last folders with how many files and which names are in them.
 */
function outlineOf(project: Project): Outline {
  const details = [inFull, namesOf, numberOf]
  for (const exportsOf of details) {
    const files = [...project.files.values()].map(({ path, kind }) => {
      const symbols = project.symbols.get(path)
      return { path, kind, ...(symbols === undefined || symbols.symbols.length === 0 ? {} : exportsOf(symbols)) }
    })
    if (JSON.stringify(files).length <= maxOutline) return { files }
  }
  for (let depth = 8; depth > 1; depth--) {
    const folders = foldersOf(project, depth)
    if (JSON.stringify(folders).length <= maxOutline) return { folders }
  }
  return { folders: foldersOf(project, 1).slice(0, 500) }
}

function firstSentence(doc: string): string {
  return (/^[^]*?[.!?](?=\s|$)/.exec(doc)?.[0] ?? doc).slice(0, 160)
}

function inFull({ language, doc, symbols }: FileSymbols): Outline {
  return {
    language,
    ...(doc === undefined ? {} : { doc: firstSentence(doc) }),
    exports: symbols.map((symbol) => ({
      name: symbol.name,
      kind: symbol.kind,
      signature: symbol.signature.slice(0, 200),
      ...(symbol.doc === undefined ? {} : { doc: firstSentence(symbol.doc) }),
    })),
  }
}

const namesOf = ({ symbols }: FileSymbols): Outline => ({ exports: symbols.map(({ name }) => name) })
const numberOf = ({ symbols }: FileSymbols): Outline => ({ exports: symbols.length })

const namesOfFolder = 30

/** Folders down to a depth, ending in `/`, with what is below each. */
function foldersOf(project: Project, depth: number): Outline[] {
  const folders = new Map<string, { files: number; exporting: number; names: string[] }>()
  const exporting = new Set(exportingFiles(project))
  for (const path of project.files.keys()) {
    const parts = path.split('/').slice(0, -1).slice(0, depth)
    const folder = parts.length === 0 ? path : `${parts.join('/')}/`
    const entry = folders.get(folder) ?? { files: 0, exporting: 0, names: [] }
    folders.set(folder, entry)
    entry.files += 1
    if (!exporting.has(path)) continue
    entry.exporting += 1
    const names = project.symbols.get(path)?.symbols.map(({ name }) => name) ?? []
    entry.names.push(...names.slice(0, namesOfFolder - entry.names.length))
  }
  return [...folders].map(([path, entry]) => ({ path, ...entry }))
}

/** README and other documents, as far as there is room: what people have said of the project already. */
async function documents(project: Project): Promise<string[]> {
  const isReadme = (path: string): boolean => /(?:^|\/)readme(?:\.\w+)?$/i.test(path)
  const paths = [...project.files.values()].filter(({ kind }) => kind === 'doc').map(({ path }) => path)
  const depthOf = (path: string): number => path.split('/').length
  paths.sort((a, b) => Number(isReadme(b)) - Number(isReadme(a)) || depthOf(a) - depthOf(b) || (a < b ? -1 : 1))
  const shown: string[] = []
  let left = maxDocuments
  for (const [index, path] of paths.entries()) {
    const limit = Math.min(left, index === 0 ? maxReadme : maxDocument)
    if (limit < 200) break
    const text = linesOf(await textOf(project, path))
      .join('\n')
      .slice(0, limit)
    left -= text.length
    shown.push(`===== ${JSON.stringify(path)}\n${text}`)
  }
  return shown.length === 0 ? [] : ['Documents of the project, from their beginnings:', ...shown, '===== end']
}

/**
 * A page that was planned again from the same sources stays as it was: words that a model chose anew are no reason to
 * write it anew.
 */
export function keepingPages(plan: SitePlan, before: SitePlan | undefined, files: ReadonlySet<string>): SitePlan {
  if (before === undefined) return plan
  const byPath = (of: SitePlan) => new Map(pagesOf(of).map(({ groups: _groups, ...page }) => [page.path, page]))
  const [known, shown] = [byPath(before), byPath(shownPlan(before))]
  const kept = mapPages(plan, (page) => {
    const old = known.get(page.path)
    if (old === undefined) return page
    if (sameSet(old.sources, page.sources)) return old
    const wasShown = shown.get(page.path)?.sources ?? []
    const isRepeated = wasShown.length < old.sources.length && sameSet(wasShown, page.sources)
    return isRepeated ? { ...old, sources: old.sources.filter((path) => files.has(path)) } : page
  })
  const described = new Set(pagesOf(kept).flatMap(({ sources }) => sources))
  return { ...kept, name: before.name, leftOut: kept.leftOut.filter(({ source }) => !described.has(source)) }
}

function sameSet(one: readonly string[], other: readonly string[]): boolean {
  const set = new Set(one)
  return set.size === new Set(other).size && other.every((item) => set.has(item))
}
