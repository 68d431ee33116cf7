import type { Size } from '../canvas/pane.ts'
import { shown } from '../canvas/width.ts'
import * as controls from './controls.ts'
import { Hold, type HoldOptions } from './hold.ts'
import { writeAtOnce } from './last-write.ts'
import type { Listener, Terminal } from './terminal.ts'

const standardOutput = 1

/** For screen readers: nothing is painted and no cursor moves, lines come one after another. */
export class LinearTerminal implements Terminal {
  readonly linear = true
  readonly #hold: Hold
  /** There is none. */
  mouse = false

  constructor(options: HoldOptions) {
    this.#hold = new Hold(options, {
      taken: () => process.stdout.write(controls.modes.pasteOn),
      released: () => writeAtOnce(standardOutput, controls.modes.pasteOff),
    })
  }

  get size(): Size {
    // Nothing is painted, so no window is too small.
    const { width, height } = this.#hold.size
    return { width: Math.max(80, width), height: Math.max(24, height) }
  }

  start(listener: Listener): void {
    process.stdout.on('error', this.#hold.gone)
    this.#hold.start(listener)
  }

  stop(): void {
    this.#hold.stop()
    process.stdout.off('error', this.#hold.gone)
  }

  draw(): void {
    // What there is to know is said.
  }

  say(text: string): void {
    if (this.#hold.isTaken) process.stdout.write(`${shown(text)}\n`)
  }

  suspend<T>(work: () => Promise<T>): Promise<T> {
    return this.#hold.suspend(work)
  }

  copy(text: string): void {
    if (this.#hold.isTaken) process.stdout.write(controls.copyOf(text, undefined))
  }
}
