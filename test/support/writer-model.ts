import type { ModelCall, ModelReply } from './model-server.ts'

/** What a writer does wrong on purpose. */
export type Mistake =
  /** MDX that does not compile. */
  | 'mdx'
  /** A link to a page that is not in the plan. */
  | 'link'
  /** Comments that name lines and files that there are not. */
  | 'note'
  /** A section without a comment. */
  | 'bare'
  /** Cut off at its longest. */
  | 'length'

interface OutlinedSymbol {
  readonly name: string
  readonly kind: string
  readonly signature?: string
  readonly doc?: string
  readonly lines: readonly [number, number]
  readonly members?: readonly OutlinedSymbol[]
}

interface PageOutline {
  readonly project: string
  readonly page: {
    readonly path: string
    readonly title: string
    readonly description: string
    readonly purpose: string
  }
  readonly sources: readonly {
    readonly path: string
    readonly lines: number
    readonly doc?: string
    readonly symbols?: readonly OutlinedSymbol[]
  }[]
  readonly pages: readonly { readonly href: string; readonly title: string; readonly description: string }[]
}

interface ProjectOutline {
  readonly project: string
  readonly maxPages: number
  readonly files?: readonly { readonly path: string; readonly kind: string; readonly exports?: unknown }[]
  readonly folders?: readonly { readonly path: string }[]
  readonly pagesOfTheUser?: readonly string[]
  readonly planBefore?: Plan
}

interface Page {
  path: string
  title: string
  description: string
  purpose: string
  sources: string[]
}

interface Plan {
  name: string
  groups: { group: string; pages: Page[] }[]
  leftOut: { source: string; reason: string }[]
}

/**
 * Answers as a model would that can only read outlines: plans a page for each folder, and writes pages that say what is
 * exported, with a comment for each claim.
 *
 * @param mistakes what is wrong with the first answer for a page, by its path; asked again, it is mended.
 */
export function writerModel(
  mistakes: (path: string) => Mistake | undefined = () => undefined,
): (call: ModelCall) => ModelReply {
  return ({ body }) => {
    const isRepair = body.messages.at(-2)?.role === 'assistant'
    const page = blockOf(body, 'page-outline') as PageOutline | undefined
    if (page !== undefined) return written(page, isRepair ? undefined : mistakes(page.page.path))
    const project = blockOf(body, 'project-outline') as ProjectOutline | undefined
    if (project !== undefined) return { chunks: pieces(JSON.stringify(planOf(project))) }
    return { chunks: ['I can only plan and write pages for quire generate.'] }
  }
}

function blockOf(body: ModelCall['body'], name: string): unknown {
  const mark = `\`\`\`json ${name}\n`
  for (const { content } of body.messages) {
    const at = content?.indexOf(mark) ?? -1
    if (typeof content !== 'string' || at === -1) continue
    return JSON.parse(content.slice(at + mark.length, content.indexOf('\n', at + mark.length)))
  }
  return undefined
}

const pieces = (text: string): string[] => text.match(/[^]{1,400}/g) ?? []

const words = (text: string): string =>
  text
    .replaceAll(/([{}<>`*_[\]\\])/g, '\\$1')
    .replaceAll(/\s+/g, ' ')
    .trim()

function slugOf(text: string): string {
  return (
    text
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-+|-+$/g, '') || 'files'
  )
}

const perPage = 8

function planOf({
  project,
  maxPages,
  files = [],
  folders = [],
  pagesOfTheUser = [],
  planBefore,
}: ProjectOutline): Plan {
  const exporting = files.filter((file) => file.kind === 'source' && file.exports !== undefined)
  const documents = files.filter(({ kind }) => kind === 'doc' || kind === 'config').map(({ path }) => path)
  const known = new Set(files.map(({ path }) => path))
  const kept = (planBefore?.groups ?? []).map(({ group, pages }) => ({
    group,
    pages: pages
      .map((page) => ({ ...page, sources: page.sources.filter((source) => known.has(source)) }))
      .filter(({ sources }) => sources.length > 0),
  }))
  const groups = kept.filter(({ pages }) => pages.length > 0)
  const covered = new Set(groups.flatMap(({ pages }) => pages.flatMap(({ sources }) => sources)))
  const taken = new Set([...pagesOfTheUser, ...groups.flatMap(({ pages }) => pages.map(({ path }) => path))])
  const room = (): number => maxPages - groups.reduce((sum, { pages }) => sum + pages.length, 0)
  const add = (group: string, title: string, sources: string[]): void => {
    const base = title === 'Overview' ? 'index' : `reference/${slugOf(title)}`
    let number = 1
    const numbered = (): string => (number === 1 ? base : `${base}-${number}`)
    while (taken.has(numbered())) number += 1
    const path = numbered()
    taken.add(path)
    const own = number === 1 ? title : `${title}, part ${number}`
    const page = { path, title: own, description: `About ${title}.`, purpose: `Say what ${title} offers.`, sources }
    const there = groups.find((entry) => entry.group === group)
    if (there === undefined) groups.push({ group, pages: [page] })
    else there.pages.push(page)
  }
  if (!taken.has('index'))
    add(
      'Get started',
      'Overview',
      [...documents, ...exporting.map(({ path }) => path), ...folders.map(({ path }) => path)].slice(0, 3),
    )
  const byFolder = new Map<string, string[]>()
  for (const { path } of exporting) {
    if (covered.has(path)) continue
    const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : project
    byFolder.set(folder, [...(byFolder.get(folder) ?? []), path])
  }
  const leftOut: Plan['leftOut'] = []
  for (const [folder, paths] of byFolder)
    for (let at = 0; at < paths.length; at += perPage)
      if (room() > 0) add('Reference', folder, paths.slice(at, at + perPage))
      else leftOut.push(...paths.slice(at, at + perPage).map((source) => ({ source, reason: 'no room' })))
  for (const { path } of folders) if (room() > 0) add('Reference', path, [path])
  return { name: project, groups, leftOut }
}

function written(outline: PageOutline, mistake: Mistake | undefined): ModelReply {
  const note = (path: string, [from, to]: readonly [number, number]): string => `{/* source: ${path}:${from}-${to} */}`
  const [first] = outline.sources
  const parts = [
    `${words(outline.page.description)} It is part of ${words(outline.project)}.`,
    first === undefined ? '' : note(first.path, [1, Math.max(1, Math.min(5, first.lines))]),
  ]
  for (const { path, lines, symbols = [], doc } of outline.sources) {
    parts.push(`## ${words(path)}`)
    parts.push(
      doc === undefined ? `The file \`${path}\` has ${lines} lines.` : words(doc),
      note(path, [1, Math.max(1, lines)]),
    )
    for (const symbol of symbols.slice(0, 12)) parts.push(...described(symbol), note(path, symbol.lines))
  }
  if (outline.pages.length > 0) {
    const links = outline.pages.slice(0, 5).map(({ href, title }) => `- [${words(title)}](${href})`)
    parts.push(`## See also`, links.join('\n'), first === undefined ? '' : note(first.path, [1, 1]))
  }
  switch (mistake) {
    case 'mdx':
      parts.push('<Note>\nThis is never closed, and {this is no expression\n')
      break
    case 'link':
      parts.splice(1, 0, 'See [a page that is not planned](/nowhere/at-all).')
      break
    case 'note':
      parts.splice(1, 0, note(first?.path ?? 'x', [1, 9_999_999]), note('no/such/file.ts', [1, 2]))
      break
    case 'bare':
      parts.push('## A claim', 'Nobody knows where this comes from.')
      break
    case 'length':
      return { chunks: pieces(parts.join('\n\n').slice(0, 300)), finish: 'length' }
    case undefined:
  }
  return { chunks: pieces(parts.filter((part) => part !== '').join('\n\n')) }
}

function described({ name, kind, signature, doc, members = [] }: OutlinedSymbol): string[] {
  const code = signature === undefined ? [] : [`\`\`\`\n${signature.replaceAll('```', "'''")}\n\`\`\``]
  const list = members.slice(0, 10).map((member) => `- \`${member.name.replaceAll('`', "'")}\``)
  return [
    `### ${words(name)}`,
    `A ${kind}. ${doc === undefined ? '' : words(doc)}`.trim(),
    ...code,
    ...(list.length === 0 ? [] : [list.join('\n')]),
  ]
}
