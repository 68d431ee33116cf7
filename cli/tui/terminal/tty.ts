import { ReadStream } from 'node:tty'
import type { Input } from '../canvas/input.ts'
import type { Size } from '../canvas/pane.ts'
import type { TerminalTraits } from '../../environment.ts'
import * as controls from './controls.ts'
import { Decoder } from './decoder.ts'
import { writeAtOnce } from './last-write.ts'
import type { Shade } from './palette.ts'
import { Screen } from './screen.ts'
import { Signals, type Leave } from './signals.ts'
import type { Frame, Terminal } from './terminal.ts'
import { createTheme, shadeOfAnswer } from './theme.ts'

export interface TtyOptions {
  readonly traits: TerminalTraits
  readonly theme: 'auto' | Shade
  readonly mouse: boolean
  readonly leave: Leave
  /** Where a crash leaves its log. */
  readonly stateDirectory: string
}

interface Listener {
  readonly input: (input: Input) => void
  readonly resize: (size: Size) => void
}

const standardOutput = 1

/** The terminal that standard input and output are. */
export class Tty implements Terminal {
  readonly linear = false
  readonly #options: TtyOptions
  readonly #input: ReadStream
  readonly #screen: Screen
  readonly #signals: Signals
  readonly #decoder: Decoder
  #listener: Listener | undefined
  /** Standard output, without waiting: writing to `process.stdout` holds the process while a slow line takes it. */
  #output: ReadStream | undefined
  #idle: NodeJS.Timeout | undefined
  #size: Size = currentSize()
  #title = ''
  #mouse: boolean
  #theme: 'auto' | Shade
  #answeredShade: Shade | undefined
  #knowsKeys = false
  #isAsked = false

  constructor(options: TtyOptions) {
    this.#options = options
    this.#input = process.stdin
    this.#mouse = options.mouse
    this.#theme = options.theme
    this.#decoder = new Decoder({
      input: (input) => this.#listener?.input(input),
      answer: (answer) => this.#answered(answer),
    })
    this.#screen = new Screen({ write: (text, written) => this.#send(text, written) }, this.#look(), this.#size)
    this.#signals = new Signals({
      leave: options.leave,
      stateDirectory: options.stateDirectory,
      release: () => this.#release(),
      take: () => this.#takeAgain(),
    })
  }

  get size(): Size {
    return this.#size
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

  /** Of the window; the one before comes back in the end. */
  set title(title: string) {
    if (title === this.#title) return
    this.#title = title
    this.#send(controls.titleOf(title))
  }

  start(listener: Listener): void {
    this.#listener = listener
    this.#signals.start()
    process.on('SIGWINCH', this.#resized)
    this.#input.on('data', this.#heard).on('end', this.#gone).on('error', this.#gone)
    this.#take()
  }

  stop(): void {
    if (this.#listener === undefined) return
    this.#listener = undefined
    this.#release()
    this.#signals.stop()
    process.off('SIGWINCH', this.#resized)
    this.#input.off('data', this.#heard).off('end', this.#gone).off('error', this.#gone)
    // Nothing else keeps the process.
    this.#input.unref()
  }

  draw(frame: Frame): void {
    this.#screen.draw(frame)
  }

  say(): void {
    // What is drawn is seen.
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
    this.#send(controls.copyOf(text, this.#options.traits.multiplexer))
  }

  #take(): void {
    this.#input.setRawMode(true)
    this.#input.ref()
    this.#input.resume()
    this.#output = new ReadStream(standardOutput)
    this.#output.on('error', this.#gone)
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

  /** Gives the terminal back. What was not written yet is dropped: the screen that it was for goes. */
  #release(): void {
    clearTimeout(this.#idle)
    this.#screen.stop()
    const output = this.#output
    if (output === undefined) return
    this.#output = undefined
    output.destroy()
    const keys = this.#knowsKeys ? controls.modes.keysOff : ''
    writeAtOnce(standardOutput, keys + controls.modes.mouseOff + controls.modes.leave)
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

  #send(text: string, written?: () => void): void {
    const output = this.#output
    if (output === undefined || text === '') return
    output.write(text, () => {
      if (this.#output === output) written?.()
    })
  }

  readonly #heard = (bytes: Uint8Array): void => {
    clearTimeout(this.#idle)
    this.#together(() => this.#decoder.read(bytes))
    const { patience } = this.#decoder
    if (patience === undefined || this.#output === undefined) return
    this.#idle = setTimeout(() => this.#together(() => this.#decoder.idle()), patience)
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

  /** Also with the size that it had: it was another for a moment, and what stood beyond that is cut. */
  readonly #resized = (): void => {
    // Node hears of the signal first.
    const size = currentSize()
    this.#size = size
    this.#screen.size = size
    this.#listener?.resize(size)
  }

  /** The terminal was closed, or the connection to it. */
  readonly #gone = (): void => this.#signals.hangUp()

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

/** A terminal that does not know its size says 0. */
function currentSize(): Size {
  return { width: process.stdout.columns || 80, height: process.stdout.rows || 24 }
}
