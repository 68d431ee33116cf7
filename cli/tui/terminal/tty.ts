import { ReadStream } from 'node:tty'
import type { Size } from '../canvas/pane.ts'
import type { TerminalTraits } from '../../environment.ts'
import * as controls from './controls.ts'
import { RawMode, type RawModeOptions } from './raw-mode.ts'
import { writeAtOnce } from './last-write.ts'
import type { Shade } from './palette.ts'
import { Screen } from './screen.ts'
import type { Frame, Listener, Terminal } from './terminal.ts'
import { createTheme, shadeOfAnswer } from './theme.ts'

export interface TtyOptions extends RawModeOptions {
  readonly traits: TerminalTraits
  readonly theme: 'auto' | Shade
  readonly mouse: boolean
}

const standardOutput = 1

/** The terminal that standard input and output are. */
export class Tty implements Terminal {
  readonly linear = false
  readonly #options: TtyOptions
  readonly #rawMode: RawMode
  readonly #screen: Screen
  /** Standard output, without waiting: writing to `process.stdout` holds the process while a slow line takes it. */
  #output: ReadStream | undefined
  #title = ''
  #mouse: boolean
  #theme: 'auto' | Shade
  #answeredShade: Shade | undefined
  #knowsKeys = false
  #isAsked = false

  constructor(options: TtyOptions) {
    this.#options = options
    this.#mouse = options.mouse
    this.#theme = options.theme
    this.#rawMode = new RawMode(options, {
      taken: () => this.#taken(),
      released: () => this.#released(),
      resized: (size) => (this.#screen.size = size),
      answered: (answer) => this.#answered(answer),
      together: (work) => this.#together(work),
    })
    this.#screen = new Screen({ write: (text, written) => this.#send(text, written) }, this.#look(), this.size)
  }

  get size(): Size {
    return this.#rawMode.size
  }

  get mouse(): boolean {
    return this.#mouse
  }

  set mouse(wanted: boolean) {
    if (wanted === this.#mouse) return
    this.#mouse = wanted
    this.#send(wanted ? controls.modes.mouseOn : controls.modes.mouseOff)
  }

  /** `auto` is what the terminal said of its background. */
  set theme(theme: 'auto' | Shade) {
    this.#theme = theme
    this.#screen.theme = this.#look()
  }

  get title(): string {
    return this.#title
  }

  set title(title: string) {
    if (title === this.#title) return
    this.#title = title
    this.#send(controls.titleOf(title))
  }

  start(listener: Listener): void {
    this.#rawMode.start(listener)
  }

  stop(): void {
    this.#rawMode.stop()
  }

  draw(frame: Frame): void {
    this.#screen.draw(frame)
  }

  say(): void {
    // What is drawn is seen.
  }

  echo(): void {
    // It is drawn where it was typed.
  }

  suspend<T>(work: () => Promise<T>): Promise<T> {
    return this.#rawMode.suspend(work)
  }

  copy(text: string): void {
    this.#send(controls.copyOf(text, this.#options.traits.multiplexer))
  }

  #taken(): void {
    this.#output = new ReadStream(standardOutput)
    this.#output.on('error', this.#rawMode.gone)
    const keys = this.#knowsKeys ? controls.modes.keysOn : ''
    const title = this.#title === '' ? '' : controls.titleOf(this.#title)
    // Asked before anything is drawn: what a terminal shows of what it does not know is painted over.
    this.#send(
      controls.modes.enter +
        (this.#isAsked ? '' : controls.questions) +
        keys +
        title +
        (this.#mouse ? controls.modes.mouseOn : ''),
    )
    this.#isAsked = true
    this.#screen.start()
  }

  /** What was not written yet is dropped: the screen that it was for goes. */
  #released(): void {
    this.#screen.stop()
    this.#output?.destroy()
    this.#output = undefined
    const keys = this.#knowsKeys ? controls.modes.keysOff : ''
    writeAtOnce(standardOutput, keys + controls.modes.mouseOff + controls.modes.leave)
  }

  #send(text: string, written?: () => void): void {
    const output = this.#output
    if (output === undefined || text === '') return
    output.write(text, () => {
      if (this.#output === output) written?.()
    })
  }

  /** However many inputs came, one frame shows what they did. */
  #together(work: () => void): void {
    this.#screen.hold()
    try {
      work()
    } finally {
      this.#screen.release()
    }
  }

  #answered(answer: string): void {
    const shade = shadeOfAnswer(answer)
    if (shade !== undefined && shade !== this.#answeredShade) {
      this.#answeredShade = shade
      if (this.#theme === 'auto') this.#screen.theme = this.#look()
    }
    if (controls.knowsSynchronized(answer)) this.#screen.synchronized = true
    if (!this.#knowsKeys && controls.knowsKeyProtocol(answer)) {
      this.#knowsKeys = true
      this.#send(controls.modes.keysOn)
    }
  }

  #look(): ReturnType<typeof createTheme> {
    const { colorDepth, shade, italic } = this.#options.traits
    const auto = this.#answeredShade ?? shade ?? 'dark'
    return createTheme({ depth: colorDepth, shade: this.#theme === 'auto' ? auto : this.#theme, italic })
  }
}
