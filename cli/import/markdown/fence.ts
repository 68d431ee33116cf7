import npmToYarn from 'npm-to-yarn'
import type { Dialect } from '../site.ts'
import { between } from './callouts.ts'
import { takeComments, takeShownFiles, takeTitle, takeTwoslash } from './code-comments.ts'
import { closesFence, dedent, indentOf, type Line } from './lines.ts'

/** What stands behind a fence, in our words. */
interface Options {
  language: string
  title?: string
  readonly marked: Set<number>
  readonly added: Set<number>
  readonly removed: Set<number>
  readonly flags: Set<string>
  focus?: string
  /** Of a `diff`: the language of what changed. */
  changed?: string
}

export interface FenceContext {
  readonly dialect: Dialect
  /** Lines have numbers where a block says nothing of them. */
  readonly isNumbered?: boolean
  readonly note: (message: string, line: number) => void
}

/** Ranges such as `1,3-5`, or `1 3-5` of MkDocs. */
function addRange(lines: Set<number>, text: string): void {
  for (const part of text.split(/[\s,]+/)) {
    const [, from = '', to = from] = /^(\d{1,5})(?:[-:](\d{1,5}))?$/.exec(part) ?? []
    if (from !== '') for (let line = Number(from); line <= Math.min(Number(to), 10_000); line++) lines.add(line)
  }
}

/** `1,3-5`, as short as it can be said. */
export function rangesOf(lines: ReadonlySet<number>): string {
  const parts: string[] = []
  const sorted = [...lines].sort((one, other) => one - other)
  for (let index = 0; index < sorted.length; index++) {
    const from = sorted[index] ?? 0
    let to = from
    while (sorted[index + 1] === to + 1) {
      to++
      index++
    }
    parts.push(from === to ? String(from) : `${from}-${to}`)
  }
  return parts.join(',')
}

const wordPattern =
  /([A-Za-z_][\w-]*)=(?:"([^"]*)"|'([^']*)'|\{([^}]*)\}|(\S+))|\{([^}]*)\}|"([^"]*)"|'([^']*)'|\/((?:[^/\\]|\\.)+)\/\S*|\[([^\]]*)\]|(\S+)/g

function readOptions(info: string, at: number, { note, isNumbered = false }: FenceContext): Options {
  const options: Options = { language: '', marked: new Set(), added: new Set(), removed: new Set(), flags: new Set() }
  let rest = info.trim()
  // `{ .python .annotate title="x" }`
  const attributes = /^\{\s*\.([\w+#-]+)(.*)\}\s*$/.exec(rest)
  if (attributes !== null) rest = `${attributes[1]} ${(attributes[2] ?? '').replaceAll(/(^|\s)\.[\w-]+/g, ' ')}`
  const [, language = '', numbers] = /^([^\s{[:]*)(:line-numbers(?:=\d+)?|:no-line-numbers)?/.exec(rest) ?? []
  // Values were put in where it ended with `-vue`.
  options.language = language.replace(/(?<=\w)-vue$/, '')
  if (numbers?.startsWith(':line') ?? isNumbered) options.flags.add('lines')
  rest = rest.slice(language.length + (numbers?.length ?? 0))
  for (const match of rest.matchAll(wordPattern)) {
    const [, key, double, single, braces, bare, group, quoted, quotedSingle, pattern, title, word] = match
    const value = double ?? single ?? braces ?? bare ?? ''
    // `{"1":2-3}` has the line’s label before its number.
    if (group !== undefined) addRange(options.marked, group.replaceAll(/"[^"]*":/g, ''))
    else if (title !== undefined) options.title = title.replaceAll(/<[^>]*>/g, '').trim()
    else if (quoted !== undefined || quotedSingle !== undefined || pattern !== undefined)
      note('Words that are marked in code blocks are not marked here.', at)
    else if (word !== undefined) readWord(word, options, at, note)
    else if (key !== undefined) readPair(key, value, options)
  }
  return options
}

function readWord(word: string, options: Options, at: number, note: FenceContext['note']): void {
  if (/^:line-numbers|^showLineNumbers$|^linenums$|^lineNumbers$/i.test(word)) options.flags.add('lines')
  else if (/^(?:wrap|expandable|lines)$/.test(word)) options.flags.add(word)
  else if (word === 'twoslash') {
    options.flags.add('twoslash')
    note('Types that twoslash showed in code are not shown.', at)
  } else if (word === 'live') note('Code blocks that readers could change and run are plain code here.', at)
}

function readPair(key: string, value: string, options: Options): void {
  if (key === 'title' || key === 'filename') options.title = value
  else if (/^(?:mark|highlight|hl_lines)$/.test(key)) addRange(options.marked, value)
  else if (key === 'ins') addRange(options.added, value)
  else if (key === 'del') addRange(options.removed, value)
  else if (key === 'focus') options.focus = value
  else if (/^(?:showLineNumbers|linenums|lineNumbers|startLineNumber)$/.test(key)) {
    if (value !== 'false') options.flags.add('lines')
  } else if (key === 'wrap') {
    if (value !== 'false') options.flags.add('wrap')
  } else if (key === 'collapse') options.flags.add('expandable')
  else if (key === 'lang') {
    if (options.language === 'diff') options.changed = value
    options.language ||= value
  }
}

const slashes =
  /^(?:js|jsx|ts|tsx|mjs|javascript|typescript|java|c|cpp|cs|go|rust|rs|php|swift|kotlin|scala|dart|json5?|jsonc|scss|astro)$/
const hashes = /^(?:py|python|sh|bash|shell|zsh|yaml|yml|toml|ruby|rb|dockerfile|ini|r|perl)$/

/** A note at the end of a line that marks it as added or taken away. */
function marker(language: string, sign: string): string | undefined {
  if (slashes.test(language)) return ` // [!code ${sign}]`
  if (hashes.test(language)) return ` # [!code ${sign}]`
  if (/^(?:html|xml|md|mdx|vue|svelte)$/.test(language)) return ` <!-- [!code ${sign}] -->`
  return /^(?:css|less)$/.test(language) ? ` /* [!code ${sign}] */` : undefined
}

/**
 * A fenced block in our words. @param extra what stands around the block, such as `{% code title="…" %}`, as options
 */
export function convertFence(block: readonly Line[], context: FenceContext, extra = ''): Line[] {
  const [first] = block
  if (first === undefined) return []
  const [, head = '', mark = '', info = ''] = /^(.*?)(`{3,}|~{3,})(.*)$/.exec(first.text) ?? []
  const options = readOptions(`${info} ${extra}`, first.line, context)
  const last = block.at(-1)
  const isClosed = block.length > 1 && last !== undefined && closesFence(last.text, mark)
  let code = block.slice(1, isClosed ? -1 : undefined)
  if (context.dialect === 'docusaurus' && code.some(({ text }) => /highlight-|error-|success-/.test(text))) {
    const texts = takeComments(
      code.map(({ text }) => text),
      options.marked,
    )
    let from = 0
    code = texts.map((text) => {
      const at = code.findIndex((line, index) => index >= from && line.text === text)
      from = at + 1
      return { text, line: code[at]?.line ?? first.line }
    })
  }
  const shown = context.dialect === 'docusaurus' ? takeShownFiles(code) : undefined
  if (shown !== undefined) {
    if (shown.title !== undefined) options.title ??= shown.title
    code = shown.rest
  }
  if (options.flags.delete('twoslash')) code = takeTwoslash(code)
  if (context.dialect === 'starlight' && options.title === undefined) {
    const taken = takeTitle(code, options.language)
    if (taken !== undefined) {
      options.title = taken.title
      // Lines are counted with the comment.
      const gone = code.length - taken.rest.length
      for (const lines of [options.marked, options.added, options.removed]) {
        const moved = [...lines].map((line) => (line > taken.line ? line - gone : line))
        lines.clear()
        for (const line of moved) if (line > 0) lines.add(line)
      }
      code = taken.rest
    }
  }
  const indent = ' '.repeat(indentOf(first.text))
  const isIndented = code.every(({ text }) => text.trim() === '' || text.startsWith(indent))
  if (options.changed !== undefined && isIndented) {
    options.language = options.changed
    const isSpaced = code.every(({ text }) => text.trim() === '' || /^[+\- ](?: |$)/.test(text.slice(indent.length)))
    const sign = isSpaced ? /^[+\- ] ?/ : /^[+\- ]/
    code = code.map(({ text, line }, index) => {
      const own = text.slice(indent.length)
      if (/^[+-]/.test(own)) (own.startsWith('+') ? options.added : options.removed).add(index + 1)
      const kept = own.replace(sign, '')
      return { text: kept === '' ? '' : indent + kept, line }
    })
  }
  // The number leads to the list below the block.
  if (context.dialect === 'mkdocs')
    code = code.map(({ text, line }) => ({
      text: text.replace(/\((\d+)\)!([ \t]*(?:-->|\*\/)?[ \t]*)$/, '($1)$2'),
      line,
    }))
  const changed = code.map(({ text, line }, index) => {
    const sign = options.added.has(index + 1) ? '++' : options.removed.has(index + 1) ? '--' : undefined
    const suffix = sign === undefined ? undefined : marker(options.language, sign)
    if (sign !== undefined && suffix === undefined) options.marked.add(index + 1)
    // On a line of its own the note would mark the next one.
    return { text: text + (text.trim() === '' ? '' : (suffix ?? '')), line }
  })
  return [
    { text: head + mark + infoOf(options), line: first.line },
    ...changed,
    ...(isClosed ? [last] : [{ text: mark, line: first.line }]),
  ]
}

function infoOf({ language, title, marked, focus, flags }: Options): string {
  const name = language === '' && (title !== undefined || marked.size > 0 || flags.size > 0) ? 'text' : language
  const words = [
    name,
    ...(title === undefined || title === '' ? [] : [`title="${title.replaceAll('"', '”').replaceAll('`', '')}"`]),
    ...(marked.size === 0 ? [] : [`{${rangesOf(marked)}}`]),
    ...(focus === undefined ? [] : [`focus={${focus}}`]),
    ...flags,
  ]
  return words.join(' ')
}

/** A block of code from a file, at the indent of the line that asks for it. */
export function fenceFrom(code: string, info: string, at: Line): Line[] {
  const indent = ' '.repeat(indentOf(at.text))
  const longest = Math.max(2, ...[...code.matchAll(/^\s*(`{3,})/gm)].map(([, run = '']) => run.length))
  const mark = '`'.repeat(longest + 1)
  const lines = code.replace(/\n+$/, '').split('\n')
  const common = Math.min(...lines.filter((line) => line.trim() !== '').map(indentOf), 1000)
  return [`${mark}${info}`, ...lines.map((line) => dedent(line, common === 1000 ? 0 : common)), mark].map((text) => ({
    text: text === '' ? '' : indent + text,
    line: at.line,
  }))
}

/** Its types are those of CommonJS, and what is imported here is none. */
const convert = npmToYarn as unknown as (code: string, manager: string) => string
const managers = ['npm', 'yarn', 'pnpm', 'bun'] as const

/** Whether a fence asks for its commands in all package managers: `npm2yarn` of Docusaurus and Nextra. */
export const isForManagers = (fence: string): boolean => /\s(?:npm2yarn|npm-to-yarn)\b/.test(fence)

/** A fenced block of commands of npm as one for each package manager. */
export function convertManagers(block: readonly Line[]): Line[] {
  const [first] = block
  if (first === undefined) return []
  const indent = ' '.repeat(indentOf(first.text))
  const code = block.slice(1, -1).map(({ text }) => dedent(text, indent.length))
  return writeManagers(code.join('\n'), { indent, line: first.line })
}

/** @param code commands of npm */
export function writeManagers(code: string, at: { readonly indent: string; readonly line: number }): Line[] {
  const blocks = managers.flatMap((name, index) => {
    const own = name === 'npm' ? code : convert(code, name)
    const fence = fenceFrom(own, `bash title="${name}"`, { text: `${at.indent}x`, line: at.line })
    return index === 0 ? fence : [{ text: '', line: at.line }, ...fence]
  })
  return between('<CodeGroup>', blocks, '</CodeGroup>', at)
}
