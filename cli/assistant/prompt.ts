import { createInterface, type Interface } from 'node:readline'

/** What somebody did at the prompt. `cleared`: gave up what was being written; `interrupted`: there was nothing to give up. */
export type Entered =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'cleared' | 'interrupted' | 'ended' }

interface PromptOptions {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
  /** Words that the tabulator completes. */
  readonly words: readonly string[]
}

/** Terminals that know it (xterm, "Bracketed Paste Mode") put marks around what is pasted. */
const bracketedPaste = { on: '\u001B[?2004h', off: '\u001B[?2004l' }

/**
 * Reads messages at a terminal, with line editing and history. What is pasted may have many lines and is sent by Enter; a
 * line that ends with a backslash goes on in the next. Between two messages the terminal is as it was.
 */
export class Prompt {
  readonly #options: PromptOptions
  #history: string[] = []

  constructor(options: PromptOptions) {
    this.#options = options
  }

  /** @param mark before what is written. */
  async read(mark: string): Promise<Entered> {
    const { input, output, words } = this.#options
    const reader = createInterface({
      input,
      output,
      terminal: true,
      history: this.#history,
      removeHistoryDuplicates: true,
      completer: (line: string) => [line.startsWith('/') ? words.filter((word) => word.startsWith(line)) : [], line],
    })
    reader.on('history', (history) => (this.#history = history))
    output.write(bracketedPaste.on)
    reader.setPrompt(mark)
    reader.prompt()
    try {
      return await new Promise<Entered>((resolve) => new Entry(reader, input, resolve).listen())
    } finally {
      output.write(bracketedPaste.off)
      reader.close()
    }
  }
}

/** One message while it is written. */
class Entry {
  readonly #reader: Interface
  readonly #input: NodeJS.ReadableStream
  readonly #resolve: (entered: Entered) => void
  readonly #lines: string[] = []
  #isPasting = false

  constructor(reader: Interface, input: NodeJS.ReadableStream, resolve: (entered: Entered) => void) {
    this.#reader = reader
    this.#input = input
    this.#resolve = resolve
  }

  listen(): void {
    this.#input.on('keypress', this.#onKey)
    this.#reader.on('line', (line) => this.#add(line))
    this.#reader.on('SIGINT', () => {
      const isEmpty = this.#lines.length === 0 && this.#reader.line === ''
      this.#end({ kind: isEmpty ? 'interrupted' : 'cleared' })
    })
    this.#reader.on('close', () => this.#end({ kind: 'ended' }))
  }

  readonly #onKey = (_text: string | undefined, key: { readonly name?: string }): void => {
    if (key.name === 'paste-start') this.#isPasting = true
    if (key.name === 'paste-end') this.#isPasting = false
  }

  #add(line: string): void {
    const goesOn = !this.#isPasting && line.endsWith('\\')
    this.#lines.push(goesOn ? line.slice(0, -1) : line)
    if (goesOn) this.#proceed()
    // A terminal without marks hands all lines of a paste over at once: the last one stands at the prompt then.
    else if (!this.#isPasting) setImmediate(() => this.#send())
  }

  #proceed(): void {
    this.#reader.setPrompt('… ')
    this.#reader.prompt()
  }

  #send(): void {
    if (this.#isPasting || this.#reader.line !== '') return
    this.#end({ kind: 'text', text: this.#lines.join('\n').trim() })
  }

  #end(entered: Entered): void {
    this.#input.off('keypress', this.#onKey)
    this.#resolve(entered)
  }
}
