import { PassThrough, type Readable } from 'node:stream'
import type { ErrorDetail } from '../../contract/common.ts'
import type { Failure } from '../../contract/failure.ts'
import { flush, pktLine, sideBand } from '../git/pkt-line.ts'
import type { Command, PushRequest } from './commands.ts'

/** Milliseconds of silence after which a proxy or client might take the connection for dead. */
const silence = 5000
/** A longer sentence is cut: one pkt-line takes it, and a terminal too. */
const sentenceLength = 1000
/** Errors that are told one by one; the build’s log has them all. */
const maxErrors = 50
const empty = Buffer.alloc(0)

/** The body of the answer to a push: messages while it runs, then the report. */
export class PushResponse {
  readonly #stream = new PassThrough()
  readonly #request: PushRequest
  #alive: NodeJS.Timeout | undefined

  constructor(request: PushRequest) {
    this.#request = request
    // A client that goes away ends the connection; the push’s own signal tells of it.
    this.#stream.on('error', () => this.#stream.destroy())
    this.#stream.once('close', () => clearInterval(this.#alive))
  }

  get stream(): Readable {
    return this.#stream
  }

  /** Sends empty packets from now on: during a long check the client must not take the connection for dead. */
  keepAlive(): void {
    if (!this.#request.sideBand || this.#alive) return
    this.#alive = setInterval(() => this.#write([pktLine(Buffer.from([2]))]), silence).unref()
  }

  /** Lines for people; git prints them after `remote: `. */
  say(text: string): void {
    if (this.#request.sideBand) this.#write(sideBand(2, Buffer.from(`${printable(text)}\n`)))
  }

  /** As `say`, unless the client asked for quiet. */
  progress(text: string): void {
    if (!this.#request.quiet) this.say(text)
  }

  /** Ends an answer in which there is nothing to report. */
  end(): void {
    clearInterval(this.#alive)
    this.#stream.end()
  }

  /**
   * Explains what was refused, reports and ends. https://git-scm.com/docs/gitprotocol-pack, “Report Status”.
   *
   * @param unpacked null when the pack was taken, else why not.
   * @param refusals by command; the others were done.
   */
  report(unpacked: Failure | null, refusals: ReadonlyMap<Command, Failure>, commands: readonly Command[]): void {
    const failures = new Set([...(unpacked ? [unpacked] : []), ...refusals.values()])
    for (const failure of failures) this.#explain(failure)
    // Many refs are often refused for one reason.
    for (const hint of new Set([...failures].map((failure) => failure.hint)))
      if (hint !== undefined) this.say(`hint: ${hint}`)
    const lines = [
      pktLine(`unpack ${unpacked === null ? 'ok' : sentence(unpacked)}\n`),
      ...commands.map((command) => {
        const failure = refusals.get(command)
        return pktLine(failure === undefined ? `ok ${command.ref}\n` : `ng ${command.ref} ${sentence(failure)}\n`)
      }),
      flush,
    ]
    const report = this.#request.reportStatus ? Buffer.concat(lines) : empty
    this.#write(this.#request.sideBand ? [...sideBand(1, report), flush] : [report])
    this.end()
  }

  /** What does not fit into the one line of the report. */
  #explain({ errors }: Failure): void {
    for (const error of errors.slice(0, maxErrors)) {
      this.say(`error: ${located(error)}`)
      if (error.frame !== undefined) this.say(error.frame)
    }
    if (errors.length > maxErrors) this.say(`error: and ${errors.length - maxErrors} more`)
  }

  #write(packets: readonly Buffer[]): void {
    if (!this.#stream.writable) return
    const bytes = Buffer.concat(packets)
    if (bytes.length > 0) this.#stream.write(bytes)
  }
}

/** `docs/a.mdx:3:5: what is wrong`, as compilers say it and editors find it. */
function located({ path, line, column, pointer, message }: ErrorDetail): string {
  const location = [path, line, column, pointer].filter((part) => part !== undefined).join(':')
  return location === '' ? message : `${location}: ${message}`
}

/** One line without a full stop: git puts it in brackets behind the ref. */
function sentence({ code, errors, message }: Failure): string {
  const [first] = errors
  const more = errors.length > 1 ? `, and ${errors.length - 1} more` : ''
  const text = code === 'build_failed' && first ? `build failed: ${located(first)}${more}` : message
  const line = printable(text).replace(/\s+/g, ' ').trim().replace(/\.$/, '')
  return line.length > sentenceLength ? `${line.slice(0, sentenceLength)}…` : line
}

/** Names and texts of a push must not steer the terminal in which they are shown. */
function printable(text: string): string {
  return text
    .replace(/\t/g, '  ')
    .replace(
      /(?!\n)[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu,
      (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
    )
}
