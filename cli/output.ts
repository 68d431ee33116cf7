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
    return this.environment.color ? `\u001B[${open}m${text}\u001B[${close}m` : text
  }

  /** The command's result: the document with `--json`, else the text. */
  result(document: unknown, text: string): void {
    this.#settleLine()
    process.stdout.write(this.json ? `${JSON.stringify(document)}\n` : `${text}\n`)
  }

  /** A line for people. */
  note(text: string): void {
    this.#settleLine()
    process.stderr.write(`${text}\n`)
  }

  /** A line that the next one replaces on a terminal; nothing elsewhere, where phases are notes. */
  redraw(text: string): void {
    if (!this.environment.interactive) return
    const width = process.stderr.columns ?? 80
    process.stderr.write(`\r\u001B[K${text.slice(0, width - 1)}`)
    this.#redrawn = true
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
    const place = placeOf(detail)
    const head = place === '' ? `  ${detail.message}` : `  ${this.paint('bold', place)}  ${detail.message}`
    if (detail.frame === undefined) return head
    const frame = detail.frame
      .split('\n')
      .map((line) => `    ${line}`)
      .join('\n')
    return `${head}\n${this.paint('dim', frame)}`
  }
}

export function placeOf(detail: ErrorDetail): string {
  const parts = [detail.path, detail.line, detail.line === undefined ? undefined : detail.column]
  const place = parts.filter((part) => part !== undefined).join(':')
  return detail.pointer === undefined || detail.line !== undefined
    ? place
    : [place, detail.pointer].filter(Boolean).join(' ')
}
