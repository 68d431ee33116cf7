import { randomInt } from 'node:crypto'
import type { ErrorDetail } from '../src/contract/common.ts'
import { Failure, exitCodes } from '../src/contract/failure.ts'
import type { Environment } from './environment.ts'

const styles = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const
type Style = keyof typeof styles

/** Tells our styles from those that stand in the texts of others, who cannot know it. */
const mark = String.fromCharCode(...Array.from({ length: 4 }, () => randomInt(0xe0_00, 0xf8_ff)))

/** What `paint` writes. */
const ownStyle = new RegExp(`\\u001B${mark}(\\[\\d+m)`)

/**
 * Where a command writes: data to standard output, everything else to standard error. With `--json` standard output
 * carries exactly one document, also when the command fails.
 */
export class Output {
  readonly environment: Environment
  readonly json: boolean
  #redrawn = false

  constructor(environment: Environment, json: boolean) {
    this.environment = environment
    this.json = json
  }

  paint(style: Style, text: string): string {
    const [open, close] = styles[style]
    return this.environment.color ? `\u001B${mark}[${open}m${text}\u001B${mark}[${close}m` : text
  }

  /** The command's result: the document with `--json`, else the text. */
  result(document: unknown, text: string): void {
    this.#settleLine()
    process.stdout.write(this.json ? `${guardedJson(document)}\n` : `${this.shown(text)}\n`)
  }

  /** The result as JSON, whatever people would be told. */
  document(document: unknown): void {
    this.#settleLine()
    process.stdout.write(`${guardedJson(document)}\n`)
  }

  /** Workflow commands of GitHub Actions as the result, a line each. */
  commands(lines: readonly string[]): void {
    this.#settleLine()
    for (const line of lines) process.stdout.write(`${printable(line)}\n`)
  }

  /** A piece of a result that comes bit by bit; words whole. */
  write(text: string): void {
    this.#settleLine()
    process.stdout.write(this.shown(text))
  }

  /** A line for people. */
  note(text: string): void {
    this.#settleLine()
    process.stderr.write(`${this.shown(text)}\n`)
  }

  /** A workflow command of GitHub Actions. */
  annotate(command: string): void {
    this.#settleLine()
    process.stderr.write(`${printable(command)}\n`)
  }

  /** Lines can be replaced; where not, phases are notes. */
  get redraws(): boolean {
    return this.environment.interactive && !this.environment.screenReader
  }

  /** A line that the next one replaces on a terminal; nothing elsewhere, where phases are notes. */
  redraw(text: string): void {
    if (!this.redraws) return
    const width = process.stderr.columns || 80
    process.stderr.write(`\r\u001B[K${this.shown(text.replaceAll('\n', ' ').slice(0, width - 1))}`)
    this.#redrawn = true
  }

  /**
   * Much of what is shown was written by others: of control characters only our own styles get through, and no line is
   * a command to the runner of GitHub Actions, which obeys `::name` at the beginning of a line and `##[name]` anywhere.
   */
  shown(text: string): string {
    // Every second part is the style that was split at.
    const parts = text.split(ownStyle)
    const shown = parts.map((part, index) => (index % 2 === 1 ? `\u001B${part}` : printable(part))).join('')
    return this.environment.githubActions ? shown.replace(/^\s*:(?=:)|##(?=\[)/gm, '$&\u200B') : shown
  }

  #settleLine(): void {
    if (this.#redrawn) process.stderr.write('\r\u001B[K')
    this.#redrawn = false
  }

  /** Tells the failure and answers with the exit code. */
  fail(error: unknown): number {
    const failure = error instanceof Failure ? error : undefined
    const message = failure?.message ?? (error instanceof Error ? error.message : String(error))
    if (this.json) {
      const next = failure?.hint === undefined ? [] : [failure.hint]
      const errors = failure === undefined || failure.errors.length === 0 ? {} : { errors: failure.errors }
      this.result({ error: { ...failure?.extra, code: failure?.code ?? 'internal', message, next, ...errors } }, '')
    } else {
      this.note(`${this.paint('red', 'error')}  ${message}`)
      for (const detail of failure?.errors ?? []) this.note(this.describe(detail))
      if (failure?.hint !== undefined) this.note(`${this.paint('cyan', 'next')}   ${failure.hint}`)
      if (failure === undefined && error instanceof Error && error.stack !== undefined)
        this.note(this.paint('dim', error.stack))
    }
    return failure?.exitCode ?? exitCodes.failed
  }

  /** `path:line:column  message`, with the code frame below, as terminals and editors make links of it. */
  describe(detail: ErrorDetail): string {
    const location = locationOf(detail)
    const head = location === '' ? `  ${detail.message}` : `  ${this.paint('bold', location)}  ${detail.message}`
    if (detail.frame === undefined) return head
    const frame = detail.frame
      .split('\n')
      .map((line) => `    ${line}`)
      .join('\n')
    return `${head}\n${this.paint('dim', frame)}`
  }
}

export function locationOf(detail: ErrorDetail): string {
  const parts = [detail.path, detail.line, detail.line === undefined ? undefined : detail.column]
  const location = parts.filter((part) => part !== undefined).join(':')
  return detail.pointer === undefined || detail.line !== undefined
    ? location
    : [location, detail.pointer].filter(Boolean).join(' ')
}

const units = ['bytes', 'KB', 'MB', 'GB', 'TB']

/** `1 page`, `31 pages`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

/** How large something is that is larger than it may be, and the limit: in bytes where other words would be the same. */
export function overLimit(bytes: number, limit: number): { readonly size: string; readonly limit: string } {
  const [size, most] = [fileSize(bytes), fileSize(limit)]
  if (Number.parseFloat(size) !== Number.parseFloat(most)) return { size, limit: most }
  const whole = (number: number): string => `${number.toLocaleString('en')} bytes`
  return { size: whole(bytes), limit: `${most} (${whole(limit)})` }
}

/** Size of a file for people: `812 B`, `1.3 KB`, `5 MB`; in units of 1,024, as the service counts its limits. */
export function fileSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KB`
  return `${(bytes / 1024 / 1024).toFixed(bytes % (1024 * 1024) === 0 ? 0 : 2)} MB`
}

/** `1.2 MB`, `30 GB`: in units of 1,024, as the settings count them. */
export function bytesText(bytes: number): string {
  let unit = 0
  let size = bytes
  while (Math.abs(size) >= 1023.5 && unit < units.length - 1) {
    size /= 1024
    unit += 1
  }
  return `${unit === 0 ? size : size.toFixed(Math.abs(size) < 99.95 ? 1 : 0)} ${units[unit]}`
}

/** A document in a line, with escapes for what a terminal or the runner of GitHub Actions would obey. */
function guardedJson(document: unknown): string {
  return JSON.stringify(document)
    .replace(unprintable, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replaceAll('##[', '#\\u0023[')
}

const unprintable = /(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu

/**
 * A text of strangers for a terminal: control characters, which could move the cursor or change what was printed
 * before, and those that turn the direction of text are shown as `�`. Line ends and tabs stay.
 */
export function printable(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(unprintable, '\uFFFD')
}
