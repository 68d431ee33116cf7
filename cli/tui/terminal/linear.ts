import type { Input } from '../canvas/input.ts'
import type { Size } from '../canvas/pane.ts'
import { shown } from '../canvas/width.ts'
import * as controls from './controls.ts'
import { Decoder } from './decoder.ts'
import { writeAtOnce } from './last-write.ts'
import { Signals, type Leave } from './signals.ts'
import type { Terminal } from './terminal.ts'

interface Listener {
  readonly input: (input: Input) => void
  readonly resize: (size: Size) => void
}

/** For screen readers: nothing is painted and no cursor moves, lines come one after another. */
export class LinearTerminal implements Terminal {
  readonly linear = true
  readonly #signals: Signals
  readonly #decoder: Decoder
  #listener: Listener | undefined
  #idle: NodeJS.Timeout | undefined
  #isTaken = false
  /** There is none. */
  mouse = false

  constructor(options: { readonly leave: Leave; readonly stateDirectory: string }) {
    this.#signals = new Signals({ ...options, release: () => this.#release(), take: () => this.#takeAgain() })
    this.#decoder = new Decoder({ input: (input) => this.#listener?.input(input), answer: () => {} })
  }

  get size(): Size {
    // Nothing is painted, so no window is too small.
    return { width: Math.max(80, process.stdout.columns || 0), height: Math.max(24, process.stdout.rows || 0) }
  }

  start(listener: Listener): void {
    this.#listener = listener
    this.#signals.start()
    process.stdin.on('data', this.#heard).on('end', this.#gone).on('error', this.#gone)
    process.stdout.on('resize', this.#resized).on('error', this.#gone)
    this.#take()
  }

  stop(): void {
    if (this.#listener === undefined) return
    this.#listener = undefined
    this.#release()
    this.#signals.stop()
    process.stdin.off('data', this.#heard).off('end', this.#gone).off('error', this.#gone)
    process.stdout.off('resize', this.#resized).off('error', this.#gone)
    process.stdin.unref()
  }

  draw(): void {
    // What there is to know is said.
  }

  say(text: string): void {
    if (this.#isTaken) process.stdout.write(`${shown(text)}\n`)
  }

  async suspend<T>(work: () => Promise<T>): Promise<T> {
    this.#release()
    try {
      return await this.#signals.lent(work)
    } finally {
      if (this.#listener !== undefined) this.#takeAgain()
    }
  }

  copy(text: string): void {
    if (this.#isTaken) process.stdout.write(controls.copyOf(text, undefined))
  }

  #takeAgain(): void {
    this.#release()
    this.#take()
  }

  #take(): void {
    this.#isTaken = true
    process.stdin.setRawMode(true)
    process.stdin.ref()
    process.stdin.resume()
    process.stdout.write(controls.modes.pasteOn)
  }

  #release(): void {
    clearTimeout(this.#idle)
    if (!this.#isTaken) return
    this.#isTaken = false
    writeAtOnce(1, controls.modes.pasteOff)
    process.stdin.pause()
    // A terminal that has gone cannot be set.
    try {
      process.stdin.setRawMode(false)
    } catch {}
  }

  readonly #heard = (bytes: Uint8Array): void => {
    clearTimeout(this.#idle)
    this.#decoder.read(bytes)
    const { patience } = this.#decoder
    if (patience !== undefined && this.#isTaken) this.#idle = setTimeout(() => this.#decoder.idle(), patience)
  }

  readonly #resized = (): void => this.#listener?.resize(this.size)
  readonly #gone = (): void => this.#signals.hangUp()
}
