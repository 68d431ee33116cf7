import type { Size } from '../canvas/pane.ts'
import { Decoder } from './decoder.ts'
import { Signals, type Leave } from './signals.ts'
import type { Listener } from './terminal.ts'

export interface RawModeOptions {
  readonly leave: Leave
  /** Where a crash leaves its log. */
  readonly stateDirectory: string
}

interface Hooks {
  /** Keys are raw: switches on what else is wanted, in whatever state the terminal is. */
  readonly taken: () => void
  /** Switches all of that off, at once; once for each `taken`, and must not throw. */
  readonly released: () => void
  readonly resized?: (size: Size) => void
  readonly answered?: (answer: string) => void
  /** Runs what the inputs that came together do. */
  readonly together?: (work: () => void) => void
}

/** The hold on the terminal that standard input and output are: raw keys, decoded, until it is let go, whatever ends it. */
export class RawMode {
  readonly #hooks: Hooks
  readonly #signals: Signals
  readonly #decoder: Decoder
  readonly #input = process.stdin
  #listener: Listener | undefined
  #idle: NodeJS.Timeout | undefined
  #size = currentSize()
  #isTaken = false

  constructor({ leave, stateDirectory }: RawModeOptions, hooks: Hooks) {
    this.#hooks = hooks
    const [release, take] = [() => this.#release(), () => this.#takeAgain()]
    this.#signals = new Signals({ leave, stateDirectory, release, take })
    this.#decoder = new Decoder({
      input: (input) => this.#listener?.input(input),
      answer: (answer) => hooks.answered?.(answer),
    })
  }

  get size(): Size {
    return this.#size
  }

  get isTaken(): boolean {
    return this.#isTaken
  }

  start(listener: Listener): void {
    this.#listener = listener
    this.#signals.start()
    process.on('SIGWINCH', this.#resized)
    this.#input.on('data', this.#heard).on('end', this.gone).on('error', this.gone)
    this.#take()
  }

  stop(): void {
    if (this.#listener === undefined) return
    this.#listener = undefined
    this.#release()
    this.#signals.stop()
    process.off('SIGWINCH', this.#resized)
    this.#input.off('data', this.#heard).off('end', this.gone).off('error', this.gone)
    // Nothing else keeps the process.
    this.#input.unref()
  }

  /** Lets another program have the terminal meanwhile. */
  async suspend<T>(work: () => Promise<T>): Promise<T> {
    this.#release()
    try {
      return await this.#signals.lent(work)
    } finally {
      if (this.#listener !== undefined) this.#takeAgain()
    }
  }

  /** The terminal was closed, or the connection to it. */
  readonly gone = (): void => this.#signals.hangUp()

  #take(): void {
    this.#isTaken = true
    this.#input.setRawMode(true)
    this.#input.ref()
    this.#input.resume()
    this.#hooks.taken()
  }

  #release(): void {
    clearTimeout(this.#idle)
    if (!this.#isTaken) return
    this.#isTaken = false
    this.#hooks.released()
    this.#input.pause()
    // A terminal that has gone cannot be set.
    try {
      this.#input.setRawMode(false)
    } catch {}
  }

  /** Also where it was not given back: the process was stopped without a word, and others used the terminal. */
  #takeAgain(): void {
    this.#release()
    this.#take()
    const { width, height } = currentSize()
    if (width !== this.#size.width || height !== this.#size.height) this.#resized()
  }

  readonly #heard = (bytes: Uint8Array): void => {
    clearTimeout(this.#idle)
    this.#together(() => this.#decoder.read(bytes))
    this.#waitForRest()
  }

  #waitForRest(): void {
    const { patience } = this.#decoder
    if (patience === undefined || !this.#isTaken) return
    this.#idle = setTimeout(() => {
      this.#together(() => this.#decoder.idle())
      this.#waitForRest()
    }, patience)
  }

  #together(work: () => void): void {
    if (this.#hooks.together === undefined) work()
    else this.#hooks.together(work)
  }

  /** Also to the size that it had: it was another for a moment, and what stood beyond that is cut. */
  readonly #resized = (): void => {
    // Node, which says nothing of such a change, has looked at the size before.
    const size = currentSize()
    this.#size = size
    this.#hooks.resized?.(size)
    this.#listener?.resize(size)
  }
}

/** A terminal that does not know its size says 0. */
function currentSize(): Size {
  return { width: process.stdout.columns || 80, height: process.stdout.rows || 24 }
}
