import { shown } from '../canvas/width.ts'
import * as controls from './controls.ts'
import { RawMode, type RawModeOptions } from './raw-mode.ts'
import { writeAtOnce } from './last-write.ts'
import type { Listener, Terminal } from './terminal.ts'

const standardOutput = 1

/** For screen readers: nothing is painted and no cursor moves, lines come one after another. */
export class LinearTerminal implements Terminal {
  readonly linear = true
  /** Of what is drawn for nobody: as much as a page of a list or of a text is to have, whatever the window shows. */
  readonly size = { width: 80, height: 24 }
  readonly #rawMode: RawMode
  /** Something was typed on the last line. */
  #isLineOpen = false
  /** Nobody sees the window, nor has a mouse in it. */
  title = ''
  mouse = false

  constructor(options: RawModeOptions) {
    this.#rawMode = new RawMode(options, {
      taken: () => process.stdout.write(controls.modes.pasteOn),
      released: () => writeAtOnce(standardOutput, controls.modes.pasteOff),
    })
  }

  start(listener: Listener): void {
    process.stdout.on('error', this.#rawMode.gone)
    this.#rawMode.start(listener)
  }

  stop(): void {
    this.#rawMode.stop()
    process.stdout.off('error', this.#rawMode.gone)
  }

  draw(): void {
    // What there is to know is said.
  }

  say(text: string): void {
    if (!this.#rawMode.isTaken) return
    process.stdout.write(`${this.#isLineOpen ? '\n' : ''}${shown(text)}\n`)
    this.#isLineOpen = false
  }

  echo(text: string): void {
    if (!this.#rawMode.isTaken) return
    process.stdout.write(shown(text))
    this.#isLineOpen = true
  }

  suspend<T>(work: () => Promise<T>): Promise<T> {
    return this.#rawMode.suspend(work)
  }

  copy(text: string): void {
    if (this.#rawMode.isTaken) process.stdout.write(controls.copyOf(text, undefined))
  }
}
