import type { ModelCall, ModelReply, WireMessage, WireRequest } from '#test/support/model-server.ts'

/**
 * Stands in for a language model in the demo: it reads the same prompts, and makes its answers up from what is in them.
 * Every answer says so.
 */
export function demoModel({ body }: ModelCall): ModelReply {
  return { ...replyTo(body), model: 'demo/made-up' }
}

function replyTo(body: WireRequest): ModelReply {
  const { messages, tools = [] } = body
  const said = messages.map(({ content }) => content ?? '')
  const project = outlineIn('project-outline', said)
  if (project !== undefined) return writes(JSON.stringify(planOf(project as ProjectOutline)))
  const page = outlineIn('page-outline', said)
  if (page !== undefined) return writes(pageOf(page as PageOutline))
  if (tools.some((tool) => tool.function.name === 'write_file')) return assist(messages)
  const [sections, question] = sectionsIn(said.at(-1) ?? '')
  if (question !== undefined) return writes(answerOf(sections, question))
  return writes(`${mark} You sent ${said.join(' ').split(/\s+/).length} words.`)
}

const mark = 'Made up by the demo’s model, which is a script.'

/** A text, at about the pace of a model. */
function writes(text: string): ModelReply {
  const size = Math.max(12, Math.ceil(text.length / 150))
  return { chunks: text.match(new RegExp(`[^]{1,${size}}`, 'gu')) ?? [], chunkDelayMs: 15 }
}

/** What `quire generate` says of a project or a page for programs to read. */
function outlineIn(name: string, texts: readonly string[]): unknown {
  for (const text of texts) {
    const json = new RegExp(`^\`\`\`json ${name}\n(.+)\n\`\`\`$`, 'm').exec(text)?.[1]
    if (json !== undefined) return JSON.parse(json)
  }
  return undefined
}

interface OutlinedSymbol {
  readonly name: string
  readonly kind: string
  readonly signature?: string
  readonly doc?: string
  readonly lines: readonly [number, number]
}

interface OutlinedFile {
  readonly path: string
  readonly kind?: string
  readonly lines?: number
  readonly language?: string
  readonly doc?: string
  readonly symbols?: readonly OutlinedSymbol[]
}

interface ProjectOutline {
  readonly project: string
  readonly maxPages: number
  readonly files?: readonly OutlinedFile[]
  /** Where there are too many files. */
  readonly folders?: readonly { readonly path: string; readonly exporting: number }[]
}

const folderOf = (path: string, depth: number): string => path.split('/').slice(0, -1).slice(0, depth).join('/')

/** A page for the whole, and one for each folder; folders are put together until there are few enough. */
function planOf({ project, maxPages, files = [], folders = [] }: ProjectOutline) {
  const exporting = [
    ...files.filter(({ language, symbols }) => language !== undefined && symbols?.length !== 0),
    ...folders.filter((folder) => folder.exporting > 0),
  ].map(({ path }) => path)
  const all = [...files, ...folders].map(({ path }) => path)
  const byFolder = (depth: number): Map<string, string[]> => {
    const grouped = new Map<string, string[]>()
    for (const path of exporting)
      grouped.set(folderOf(path, depth), [...(grouped.get(folderOf(path, depth)) ?? []), path])
    return grouped
  }
  let depth = 8
  while (depth > 0 && byFolder(depth).size >= maxPages) depth -= 1
  const taken = new Set<string>()
  const reference = [...byFolder(depth)].map(([folder, sources]) => {
    const words = folder
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-+|-+$/g, '')
    let path = `reference/${words === '' ? 'source' : words}`
    while (taken.has(path)) path += '-2'
    taken.add(path)
    const title = folder === '' ? 'Source' : folder
    return { path, title, description: `What ${title} exports.`, purpose: 'Lists what is exported.', sources }
  })
  const first = all.find((path) => /^readme/i.test(path)) ?? all[0]
  const about = { path: 'index', title: project, description: `What ${project} has.`, purpose: 'Begins the site.' }
  return {
    name: project,
    groups: [
      { group: 'Overview', pages: [{ ...about, sources: first === undefined ? [] : [first] }] },
      ...(reference.length === 0 ? [] : [{ group: 'Reference', pages: reference }]),
    ],
  }
}

interface PageOutline {
  readonly page: { readonly path: string }
  readonly sources: readonly OutlinedFile[]
  readonly pages: readonly { readonly href: string; readonly title: string; readonly description: string }[]
}

/** Characters of a page, about; a model’s answer is no longer either. */
const mostOfPage = 16_000

/** Each source with what it exports, and where; on the first page, where else to read. */
function pageOf({ page, sources, pages }: PageOutline): string {
  const parts = [`<Note>\n\n${mark} It lists what the source declares.\n\n</Note>`]
  for (const { path, lines = 0, language = '', doc, symbols = [] } of sources) {
    if (lines === 0) continue
    const source = (from: number, to: number): string => `{/* source: ${path}:${from}-${to} */}`
    parts.push(`## ${code(path)}`, ...(doc === undefined ? [] : [plain(doc)]), source(1, lines))
    for (const { name, kind, signature, doc: words, lines: at } of symbols) {
      if (parts.join('\n').length > mostOfPage) break
      const article = /^[aeiou]/.test(kind) ? 'an' : 'a'
      parts.push(`${code(name)} is ${article} ${plain(kind)}.`, ...(words === undefined ? [] : [plain(words)]))
      if (signature !== undefined) parts.push(`\`\`\`\`${language}\n${signature.replaceAll('````', '')}\n\`\`\`\``)
      parts.push(source(...at))
    }
  }
  const links = pages.map(({ href, title, description }) => `- [${plain(title)}](${href}): ${plain(description)}`)
  if (page.path === 'index' && links.length > 0) parts.splice(1, 0, links.slice(0, 100).join('\n'))
  return parts.join('\n\n')
}

/** Words without any meaning in MDX. */
const plain = (text: string): string =>
  text
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll(/[!-/:-@[-`{-~]/g, '\\$&')
const code = (text: string): string => `\`${text.replaceAll('`', '’')}\``

/** Lists the files, and on request writes a page: enough to see the steps, a preview, a commit, and to undo it. */
function assist(messages: readonly WireMessage[]): ModelReply {
  const question = messages.findLast(({ role }) => role === 'user')?.content ?? ''
  const begin = messages.findLastIndex(({ role }) => role === 'user')
  const steps = messages.slice(begin).filter(({ role }) => role === 'tool').length
  const wantsPage = /\b(?:add|change|create|edit|fix|insert|make|mend|put|update|write)\b/i.test(question)
  if (steps === 0)
    return { ...writes(`${mark} I look at the files first. `), calls: [{ name: 'list_files', arguments: {} }] }
  if (!wantsPage) return writes(`${mark} I have seen the files. Ask me to write a page, and I shall.`)
  if (steps > 1) return writes('The page notes/demo.mdx has your words. Undo takes it back.')
  const content = `---\ntitle: "A note of the demo"\n---\n\n<Note>\n\n${mark}\n\n</Note>\n\nYou asked: ${plain(question)}\n`
  return { calls: [{ name: 'write_file', arguments: { path: 'notes/demo.mdx', content } }] }
}

interface Section {
  readonly number: number
  readonly text: string
}

/** The sections of a site and the question of a reader; no question where that is none of theirs. */
function sectionsIn(text: string): [readonly Section[], string | undefined] {
  const [, divider] = /^(=== [0-9a-f]+) section 1: /m.exec(text) ?? []
  if (divider === undefined) return [[], undefined]
  const parts = text.split(`${divider} `)
  const sections = parts.flatMap((part) => {
    const [, number, words] = /^section (\d+): [^\n]*\n([^]*)$/.exec(part) ?? []
    return words === undefined ? [] : [{ number: Number(number), text: words.trim() }]
  })
  return [sections, parts.find((part) => part.startsWith('question\n'))?.slice('question\n'.length)]
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}_-]{4,}/gu) ?? []

/** The beginning of the section that has most of the question’s words. */
function answerOf(sections: readonly Section[], question: string): string {
  const wanted = new Set(wordsOf(question))
  const rated = sections.map((section) => {
    const has = new Set(wordsOf(section.text))
    return { section, shared: [...wanted].filter((word) => has.has(word)).length }
  })
  const [best] = rated.toSorted((a, b) => b.shared - a.shared)
  if (best === undefined || best.shared === 0) return 'NOT_IN_DOCS'
  // Code would be broken by being put into a line.
  const [prose = ''] = best.section.text.split('```', 1)
  const [beginning = ''] = /^[^]{0,300}(?=\s|$)/.exec(prose.trimEnd()) ?? []
  return `${mark} The section that has most of your words begins: “${beginning.replaceAll(/\s+/g, ' ')}” [${best.section.number}]`
}
