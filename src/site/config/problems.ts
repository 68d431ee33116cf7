import type { ErrorDetail } from '../../contract/common.ts'
import type { RuleName } from '../../contract/rules.ts'
import type { JsonProblem, ParsedJson } from '../../lib/json-reader.ts'

/** A file of the configuration and the place of its root in the merged document. */
export interface ConfigFile {
  readonly path: string
  readonly text: string
  /** Pointer in the merged document where this file was included; empty for docs.json itself. */
  readonly mount: string
}

/** A file, and where its values and lines begin. */
interface Placed {
  readonly file: ConfigFile
  readonly lines: Lines
  places: Pick<ParsedJson, 'locate'>
}

/** Findings of one kind that a build reports one by one. */
export const maxReported = 1000
/** UTF-16 units of a message and of a pointer: what an author wrote there can be as long as a file. */
const maxMessage = 2000
const maxPointer = 1000

/**
 * Findings of one kind: the first of them, and how many more there were. When all places are taken, rules of which there
 * are few get some of those that the most common one has: many pictures without a text hide no dead link.
 */
export class Findings {
  readonly kept: ErrorDetail[] = []
  /** Of each that is kept. */
  readonly #rules: string[] = []
  readonly #counts = new Map<string, number>()
  /** At least as many as the most common rule has. */
  #most = 0
  #omitted = 0

  get omitted(): number {
    return this.#omitted
  }

  /** @param make is called only when the finding is kept. */
  add(make: () => ErrorDetail, rule = ''): void {
    const count = (this.#counts.get(rule) ?? 0) + 1
    if (this.kept.length >= maxReported) {
      this.#omitted += 1
      if (count >= this.#most || !this.#makeRoom(count)) return
    }
    this.kept.push(make())
    this.#rules.push(rule)
    this.#counts.set(rule, count)
    this.#most = Math.max(this.#most, count)
  }

  addAll(findings: Iterable<ErrorDetail>, omitted = 0): void {
    for (const finding of findings) this.add(() => finding, finding.rule)
    this.#omitted += omitted
  }

  /** Leaves out the last finding of the most common rule; false where that has no more than `count`. */
  #makeRoom(count: number): boolean {
    this.#most = Math.max(...this.#counts.values())
    const [common] = [...this.#counts].find(([, kept]) => kept === this.#most) ?? []
    if (common === undefined || count >= this.#most) return false
    const last = this.#rules.lastIndexOf(common)
    this.kept.splice(last, 1)
    this.#rules.splice(last, 1)
    this.#counts.set(common, this.#most - 1)
    return true
  }
}

/**
 * Collects what is wrong with the configuration; a pointer into the merged document becomes file, line and column. Of
 * what will not be reported only the number is kept: there can be as many problems as values.
 */
export class Problems {
  readonly #errors = new Findings()
  readonly #warnings = new Findings()
  readonly #files: Placed[] = []
  #origin = (pointer: string): string => pointer

  get errors(): readonly ErrorDetail[] {
    return this.#errors.kept
  }

  get warnings(): readonly ErrorDetail[] {
    return this.#warnings.kept
  }

  /** How many were found beside those. */
  get omitted(): { readonly errors: number; readonly warnings: number } {
    return { errors: this.#errors.omitted, warnings: this.#warnings.omitted }
  }

  /** Files must be added outermost first. Returns how to say where its values are, once it is parsed. */
  add(file: ConfigFile): (parsed: ParsedJson) => void {
    const placed: Placed = { file, lines: new Lines(file.text), places: { locate: () => 0 } }
    this.#files.push(placed)
    return (parsed) => {
      placed.places = parsed
    }
  }

  /** The same files, nothing found yet. */
  emptyCopy(): Problems {
    const other = new Problems()
    other.#files.push(...this.#files)
    other.#origin = this.#origin
    return other
  }

  /** Says where in the files a pointer of the document is, which was made of another one. */
  standAt(origin: (pointer: string) => string): void {
    this.#origin = origin
  }

  error(rule: RuleName, pointer: string, message: string): void {
    this.#errors.add(() => ({ ...this.#detail(pointer, message), rule }), rule)
  }

  /** @param hint what to do next, where the one of the rule can be said better. */
  warning(rule: RuleName, pointer: string, message: string, hint?: string): void {
    this.#warnings.add(
      () => ({ ...this.#detail(pointer, message), rule, ...(hint === undefined ? {} : { hint }) }),
      rule,
    )
  }

  /** A warning about another file of the project. */
  found(make: () => ErrorDetail & { readonly rule: RuleName }): void {
    this.#warnings.add(make)
  }

  /** A problem at an offset of the file that was added last, where there may be no value to point at. */
  at(severity: 'error' | 'warning', problem: () => JsonProblem): void {
    const placed = this.#files.at(-1)
    const findings = severity === 'error' ? this.#errors : this.#warnings
    const rule: RuleName = severity === 'error' ? 'settings-syntax' : 'setting-repeated'
    findings.add(() => {
      const { offset, pointer = '', message } = problem()
      return { ...(placed === undefined ? { message } : detailAt(placed, offset, pointer, message)), rule }
    })
  }

  #detail(made: string, message: string): ErrorDetail {
    const pointer = this.#origin(made)
    const placed = this.#files.findLast(({ file: { mount } }) => pointer === mount || pointer.startsWith(`${mount}/`))
    if (placed === undefined) return { pointer, message }
    const inner = pointer.slice(placed.file.mount.length)
    return detailAt(placed, placed.places.locate(inner), inner, message)
  }
}

function detailAt({ file, lines }: Placed, offset: number, pointer: string, message: string): ErrorDetail {
  const position = lines.positionOf(offset)
  return {
    path: file.path,
    ...position,
    pointer: cut(pointer, maxPointer),
    message: cut(message, maxMessage),
    frame: lines.frame(position),
  }
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text
}

export interface Position {
  /** 1-based. */
  readonly line: number
  /** 1-based, in UTF-16 units. */
  readonly column: number
}

const width = 100

/** The lines of a text; looked for once, when the first place is asked for. */
class Lines {
  readonly #text: string
  /** Offsets of their first characters. */
  #starts: Uint32Array | undefined

  constructor(text: string) {
    this.#text = text
  }

  positionOf(offset: number): Position {
    const starts = this.#lineStarts()
    let low = 0
    for (let high = starts.length - 1; low < high;) {
      const middle = Math.ceil((low + high) / 2)
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 }
  }

  /** The line with its neighbours and a mark under the column. Long lines (minified JSON) are cut around the mark. */
  frame({ line, column }: Position): string {
    const from = Math.max(0, column - 1 - width / 2)
    const gutter = String(line + 1).length
    const rows: string[] = []
    for (let number = Math.max(1, line - 1); number <= Math.min(this.#lineStarts().length, line + 1); number++) {
      const content = this.#part(number, from).trimEnd()
      rows.push(`${number === line ? '>' : ' '} ${String(number).padStart(gutter)} | ${content}`.trimEnd())
      if (number === line) rows.push(`  ${' '.repeat(gutter)} | ${' '.repeat(column - 1 - from)}^`)
    }
    return rows.join('\n')
  }

  /** At most `width` characters of a line. */
  #part(number: number, from: number): string {
    const starts = this.#lineStarts()
    const start = starts[number - 1] ?? 0
    const end = (starts[number] ?? this.#text.length + 1) - 1
    return this.#text.slice(Math.min(start + from, end), Math.min(start + from + width, end))
  }

  #lineStarts(): Uint32Array {
    this.#starts ??= startsOf(this.#text)
    return this.#starts
  }
}

/** In two passes over the text: there may be as many lines as characters. */
function startsOf(text: string): Uint32Array {
  let lines = 1
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) === 0x0a) lines++
  const starts = new Uint32Array(lines)
  let line = 0
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) === 0x0a) starts[++line] = at + 1
  return starts
}
