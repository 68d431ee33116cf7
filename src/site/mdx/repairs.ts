import { Parser } from 'acorn'
import jsx from 'acorn-jsx'
import type { RuleName } from '../../contract/rules.ts'
import { components } from '../components/registry.ts'
import { drawing, elements, removed, voidElements } from '../sanitise/allowed.ts'
import { EditedText, type Edit } from './edits.ts'
import { childrenOf, type Node } from './nodes.ts'

/** Something that MDX refuses and that is read as it was meant. */
interface Repair {
  /** Where it stands in the text of the author, in UTF-16 units. */
  readonly offset: number
  readonly rule: Extract<RuleName, 'syntax-accepted' | 'braces-literal'>
  readonly message: string
  readonly hint: string
}

/** A text that parses, and how it differs from that of the author. */
export interface Repaired {
  readonly text: string
  readonly repairs: readonly Repair[]
  /** Gives all nodes of a tree of `text` the places that they have in the text of the author. */
  restore(root: Node): void
  /** Offset in `text` → offset in the text of the author. */
  original(offset: number): number
  /** Line and column of an offset in the text of the author. */
  pointOf(this: void, offset: number): { readonly line: number; readonly column: number }
}

/** The words of a parser, with the offset that they are about. */
export interface Complaint {
  readonly offset: number
  readonly message: string
}

interface Proposal extends Repair {
  readonly edits: readonly Edit[]
}

/** Each is one more parse of the page. */
const maxRounds = 300
/** Characters that are parsed for repairs: a large page has fewer rounds. */
const maxParsed = 4 * 1024 * 1024
/** Of a tag, or of what stands between braces. */
const longest = 2_000

const braceHint = 'Write `\\{` for a brace itself.'
const bracketHint = 'Write `\\<` or `&lt;` for the character itself.'
const ScriptParser = Parser.extend(jsx())

/**
 * Mends what MDX refuses although it is plain what the author meant, and other tools show it: comments of HTML, `<br>`,
 * `<5`, `<https://…>`, names in angle brackets, braces that hold no JavaScript. What may be a mistake in code or in a tag
 * stays one.
 * @param complaintOf What a parser has to say of a text; undefined where it parses.
 * @returns Undefined where nothing can be mended; else a text that may still not parse.
 */
export function repair(
  source: string,
  complaintOf: (text: string) => Complaint | undefined,
  first?: Complaint,
): Repaired | undefined {
  const proposals: Proposal[] = []
  let current = new EditedText(source, [])
  let complaint = first
  const rounds = Math.min(maxRounds, Math.max(8, Math.floor(maxParsed / (source.length + 1))))
  for (let round = 0; complaint !== undefined && round < rounds; round++) {
    const place = current.original(complaint.offset)
    const text = current
    const found = proposalsFor(source, place, complaint.message, (at) => text.isEdited(at)).filter(({ edits }) =>
      text.takes(edits),
    )
    if (found.length === 0) break
    proposals.push(...found)
    current = new EditedText(source, [...current.edits, ...found.flatMap(({ edits }) => edits)])
    complaint = complaintOf(current.text)
  }
  if (proposals.length === 0) return undefined
  return {
    text: current.text,
    repairs: proposals.toSorted((a, b) => a.offset - b.offset),
    restore: (root) => current.restore(root),
    original: (offset) => current.original(offset),
    pointOf: (offset) => {
      const { line, column } = current.point(offset)
      return { line, column }
    },
  }
}

/** A line that begins with `import` or `export` and is a sentence: the offset, with the complaint that leads to its repair. */
export function proseAsModule(root: Node): Complaint | undefined {
  for (const node of childrenOf(root)) {
    const { offset } = node.position?.start ?? {}
    if (node.type === 'mdxjsEsm' && offset !== undefined && isProse(node.value))
      return { offset, message: proseMessage }
  }
  return undefined
}

const proseMessage = 'prose'
const prose = /^(?:import|export)[ \t]+(?!(?:default|const|let|var|function|async|class|type|interface|enum|from)\b)\w/

function isProse(value: string): boolean {
  if (!prose.test(value) || /['"`{}*=;]|\bfrom\s*$/.test(value) || !/^\w+[ \t]+\S+[ \t]+\S/.test(value)) return false
  try {
    ScriptParser.parse(value, { ecmaVersion: 2024, sourceType: 'module' })
    return false
  } catch {
    return true
  }
}

function proposalsFor(
  source: string,
  offset: number,
  message: string,
  isEdited: (offset: number) => boolean,
): readonly Proposal[] {
  if (message === proseMessage) {
    const word = source.slice(offset, offset + 6)
    const said = `This line begins with \`${word}\` and is no JavaScript: it is shown as text.`
    return [
      {
        offset,
        rule: 'syntax-accepted',
        edits: [{ offset, length: 1, inserted: `&#${word.charCodeAt(0)};` }],
        message: said,
        hint: `Begin the line with another word than \`${word}\`.`,
      },
    ]
  }
  if (/in expression|expression with/.test(message)) return braces(source, offset, isEdited)
  const at = source[offset] === '<' ? offset : source.lastIndexOf('<', offset)
  if (at === -1 || offset - at > longest) return []
  if (source.startsWith('<!--', at)) return comments(source, at)
  return message.includes('closing tag') ? unclosed(source, at) : noTag(source, at)
}

/** Comments of HTML from here on, without those in code. */
function comments(source: string, from: number): readonly Proposal[] {
  const found: Proposal[] = []
  for (const at of [from, ...outsideCode(source, '<!--', from + 1)]) {
    const end = source.indexOf('-->', at + 4)
    if (end === -1 || at < (found.at(-1)?.edits.at(-1)?.offset ?? -1)) break
    const inner = source.slice(at + 4, end)
    const stops = [...inner.matchAll(/\*\//g)].map(({ index }) => ({
      offset: at + 4 + index,
      length: 2,
      inserted: '* ',
    }))
    found.push({
      offset: at,
      rule: 'syntax-accepted',
      edits: [{ offset: at, length: 4, inserted: '{/* ' }, ...stops, { offset: end, length: 3, inserted: '*/}' }],
      message: 'Comments of HTML are not MDX; this one is left out as it is meant.',
      hint: 'Write `{/* … */}` instead of `<!-- … -->`.',
    })
  }
  return found
}

function unclosed(source: string, at: number): readonly Proposal[] {
  const tag = tagAt(source, at)
  if (tag === undefined) return []
  if (voidElements.has(tag.name)) return voids(source, at, tag.name)
  return isName(source, tag.name, tag.text) ? named(source, at, tag.text, 'is never closed') : []
}

/** Elements of this name from here on that have no slash, without those in code. */
function voids(source: string, from: number, name: string): readonly Proposal[] {
  const found: Proposal[] = []
  for (const at of [from, ...outsideCode(source, `<${name}`, from + 1)]) {
    const tag = tagAt(source, at)
    if (tag?.name !== name || tag.text.endsWith('/>')) continue
    const offset = at + tag.text.length - 1
    found.push({
      offset: at,
      rule: 'syntax-accepted',
      edits: [{ offset, length: 0, inserted: '/' }],
      message: `\`<${name}>\` is not closed, which MDX asks for; it is read as it is in HTML.`,
      hint: `Write \`<${name} />\`.`,
    })
  }
  return found
}

function noTag(source: string, at: number): readonly Proposal[] {
  const text = source.slice(at, at + longest)
  const address = /^<([a-z][a-z\d+.-]{1,31}:[^\s<>]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+)>/i.exec(text)
  if (address !== null) return [link(at, address[1] ?? '')]
  if (!/^<\/?[A-Za-z$_]/.test(text)) {
    // What is no tag anywhere: `<!DOCTYPE>` and the like are.
    return /^<[!?]/.test(text) ? [] : comparisons(source, at)
  }
  const [whole = '', name = ''] = /^<([A-Za-z][\w.-]*)[^<>\n]*>/.exec(text) ?? []
  if (whole === '') return []
  if (isName(source, name, whole)) return named(source, at, whole, 'is no tag')
  return [...whole.matchAll(/(?<=\s[\w-]+=)[^\s"'{}<>`=]+(?=\s|\/?>$)/g)].map(({ 0: value, index }) => ({
    offset: at + index,
    rule: 'syntax-accepted',
    edits: [
      { offset: at + index, length: 0, inserted: '"' },
      { offset: at + index + value.length, length: 0, inserted: '"' },
    ],
    message: `The value \`${value}\` has no quotes, which MDX asks for.`,
    hint: `Write \`"${value}"\`.`,
  }))
}

function link(at: number, address: string): Proposal {
  const target = address.includes('@') && !/^[a-z][a-z\d+.-]*:/i.test(address) ? `mailto:${address}` : address
  const label = address.replaceAll(/[\\`*_[\]{}~$]/g, (character) => `\\${character}`)
  return {
    offset: at,
    rule: 'syntax-accepted',
    edits: [{ offset: at, length: address.length + 2, inserted: `[${label}](<${target}>)` }],
    message: `\`<${address.slice(0, 80)}>\` is no link in MDX; it is read as one.`,
    hint: 'Write `[text](address)`.',
  }
}

/** A name in angle brackets, wherever it stands from here on. */
function named(source: string, from: number, tag: string, what: string): readonly Proposal[] {
  return [from, ...outsideCode(source, tag, from + 1)].map((at) => asText(at, `\`${tag}\` ${what}: it`))
}

/** What begins no tag from here on. In a line with a formula, only what the parser tells. */
function comparisons(source: string, from: number): readonly Proposal[] {
  const others = [...outsideCode(source, '<', from + 1, (line) => !line.includes('$'))]
  return [from, ...others.filter((at) => /^<[\s\d=-]/.test(source.slice(at, at + 2)))].map((at) =>
    asText(at, 'This `<` begins no tag: it'),
  )
}

function asText(at: number, subject: string): Proposal {
  return {
    offset: at,
    rule: 'syntax-accepted',
    edits: [{ offset: at, length: 0, inserted: '\\' }],
    message: `${subject} is shown as written.`,
    hint: bracketHint,
  }
}

/** A brace around `offset` that holds no JavaScript: JSON, a placeholder, one that is never closed. */
function braces(source: string, offset: number, isEdited: (offset: number) => boolean): readonly Proposal[] {
  const limit = Math.max(0, offset - longest)
  for (let at = source[offset] === '{' ? offset : source.lastIndexOf('{', offset); at >= limit;) {
    const before = source.slice(Math.max(0, at - 80), at)
    // The value of an attribute: what is wrong there is wrong in code.
    if (/[\w-]\s*=\s*$/.test(before)) return []
    if (!isEscaped(source, at) && !isEdited(at)) {
      const inner = innerOf(source, at)
      if (looksLikeCode(inner)) return []
      return [
        {
          offset: at,
          rule: 'braces-literal',
          edits: [{ offset: at, length: 0, inserted: '\\' }],
          message: 'The braces here hold no expression: they are shown as written.',
          hint: braceHint,
        },
      ]
    }
    if (at === 0) return []
    at = source.lastIndexOf('{', at - 1)
  }
  return []
}

function innerOf(source: string, at: number): string {
  let depth = 0
  const end = Math.min(source.length, at + longest)
  for (let index = at; index < end; index++) {
    if (source[index] === '{') depth++
    else if (source[index] === '}' && --depth === 0) return source.slice(at + 1, index)
    else if (source[index] === '\n' && /^\n[^\S\n]*\n/.test(source.slice(index, index + 100)))
      return source.slice(at + 1, index)
  }
  return source.slice(at + 1, end)
}

/** Whether somebody meant JavaScript: a call, an arrow, a tag, a condition. */
const looksLikeCode = (text: string): boolean =>
  /=>|<\/?[A-Za-z>]|\w\(|&&|\|\||\?\s|\b(?:return|function)\b|^\s*\/[*/]/.test(text)

const isEscaped = (source: string, at: number): boolean =>
  (/\\*$/.exec(source.slice(Math.max(0, at - 20), at))?.[0].length ?? 0) % 2 === 1

const isKnown = (name: string): boolean =>
  elements.has(name) || drawing.has(name) || removed.has(name) || voidElements.has(name) || components.has(name)

/** Whether something in angle brackets is a name to be filled in, such as `<your-key>`, and no tag that lost its end. */
function isName(source: string, name: string, tag: string): boolean {
  if (isKnown(name) || isKnown(name.toLowerCase()) || name.includes('.') || name === 'Snippet' || tag.includes('='))
    return false
  if (source.includes(`</${name}`)) return false
  // A component of the page itself, or of a snippet.
  return !new RegExp(String.raw`(?:import|export)\b[^\n]*\b${name.replaceAll(/\W/g, String.raw`\$&`)}\b`).test(source)
}

interface Tag {
  readonly name: string
  /** From `<` to `>`. */
  readonly text: string
}

function tagAt(source: string, at: number): Tag | undefined {
  const text = source.slice(at, at + longest)
  const match = /^<([A-Za-z][\w.-]*)(?:"[^"]*"|'[^']*'|\{[^{}]*\}|[^"'{}<>])*>/.exec(text)
  return match === null ? undefined : { name: match[1] ?? '', text: match[0] }
}

/** Where a word stands outside of fences, and of backticks in its line. */
function* outsideCode(
  source: string,
  word: string,
  from: number,
  wants: (line: string) => boolean = () => true,
): Generator<number> {
  let fence: string | undefined
  for (let start = 0; start <= source.length;) {
    const found = source.indexOf('\n', start)
    const end = found === -1 ? source.length : found
    const line = source.slice(start, end)
    const mark = /^[\s>]*(`{3,}|~{3,})/.exec(line.slice(0, 200))?.[1]
    if (fence !== undefined) {
      if (mark?.startsWith(fence) === true) fence = undefined
    } else if (mark !== undefined) fence = mark
    else if (end > from && line.includes(word) && wants(line)) {
      const plain = line.replaceAll(/(`+)[^`]+\1(?!`)/g, (code) => ' '.repeat(code.length))
      for (let at = plain.indexOf(word); at !== -1; at = plain.indexOf(word, at + 1))
        if (start + at >= from) yield start + at
    }
    start = end + 1
  }
}
