import { spawn, type IPty } from '@lydell/node-pty'
import xterm from '@xterm/headless'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { dist } from '#lib/paths.ts'
import { bytesOf } from './key-bytes.ts'

export interface PtyOptions {
  /** Columns and rows; 80 × 24. */
  readonly width?: number
  readonly height?: number
  /** Beside PATH, HOME (which is no folder) and TERM; undefined takes one away. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  readonly directory?: string
  /** A program other than Node, whose first word then is the first of `words`: tmux, a shell. */
  readonly program?: string
  /** What the terminal says when it is asked for its background, such as `ffff/ffff/ffff`; without, it says nothing. */
  readonly background?: string
}

/** What stands in a column of a row. Colours: `#rrggbb`, a number of a palette, or undefined for the terminal’s own. */
export interface PtyCell {
  readonly text: string
  readonly width: number
  readonly color: string | number | undefined
  readonly background: string | number | undefined
  readonly bold: boolean
  readonly dim: boolean
  readonly italic: boolean
  readonly underline: boolean
  readonly inverse: boolean
  readonly strikethrough: boolean
}

/** What stood on a screen at one moment. */
export interface PaintedScreen {
  readonly text: string
  /** By row and column. */
  readonly cells: readonly (readonly PtyCell[])[]
  /** Undefined: it is hidden. */
  readonly cursor: { readonly row: number; readonly column: number } | undefined
}

const patienceMs = 20_000

/**
 * A program at a terminal: a pseudo-terminal, with xterm as what people look at behind it. Of the built `quire`, unless
 * a script is named. `dispose` it in the end, or use `using`.
 */
export class Pty {
  readonly #child: IPty
  readonly #terminal: InstanceType<typeof xterm.Terminal>
  readonly #ended: Promise<number>
  #code: number | undefined
  readonly #waiting = new Set<() => void>()
  #bytes = 0
  #output = ''

  /** @param script such as `quire.js` of the build, or a path; with `program`, its first word */
  constructor(words: readonly string[] = [], options: PtyOptions = {}, script: string = join(dist, 'quire.js')) {
    const { width = 80, height = 24, environment = {}, directory, program, background } = options
    const env = { PATH: process.env['PATH'], HOME: '/nonexistent', TERM: 'xterm-256color', ...environment }
    this.#terminal = new xterm.Terminal({ cols: width, rows: height, allowProposedApi: true, scrollback: 1000 })
    this.#child = spawn(program ?? process.execPath, program === undefined ? [script, ...words] : [...words], {
      cols: width,
      rows: height,
      cwd: directory ?? process.cwd(),
      env: Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined)),
      name: env.TERM ?? 'dumb',
    })
    // Answers to what the program asks the terminal.
    this.#terminal.onData((answer) => this.#child.write(answer))
    this.#terminal.parser.registerOscHandler(11, (data) => {
      if (data === '?' && background !== undefined) this.#child.write(`\u001B]11;rgb:${background}\u001B\\`)
      return true
    })
    this.#child.onData((data) => {
      this.#bytes += Buffer.byteLength(data)
      this.#output += data
      this.#terminal.write(data, () => this.#look())
    })
    this.#ended = new Promise((resolve) => {
      this.#child.onExit(({ exitCode, signal }) => {
        this.#code = signal ? 128 + signal : exitCode
        resolve(this.#code)
        this.#look()
      })
    })
  }

  get pid(): number {
    return this.#child.pid
  }

  /** Bytes that the program has written so far. */
  get bytes(): number {
    return this.#bytes
  }

  /** All that it has written, as it was. */
  get output(): string {
    return this.#output
  }

  get cursor(): { readonly row: number; readonly column: number } {
    const { cursorY, cursorX } = this.#terminal.buffer.active
    return { row: cursorY, column: cursorX }
  }

  get isCursorShown(): boolean {
    return this.#output.lastIndexOf('\u001B[?25h') >= this.#output.lastIndexOf('\u001B[?25l')
  }

  /** Whether the program has the alternate screen. */
  get isAlternate(): boolean {
    return this.#terminal.buffer.active.type === 'alternate'
  }

  /** What the program has switched on, such as `bracketedPasteMode` and `mouseTrackingMode`. */
  get modes(): InstanceType<typeof xterm.Terminal>['modes'] {
    return this.#terminal.modes
  }

  get size(): { readonly width: number; readonly height: number } {
    return { width: this.#terminal.cols, height: this.#terminal.rows }
  }

  /** What a person sees: a line a row, without spaces at their ends. */
  screen(): string {
    return this.rows().join('\n')
  }

  rows(): string[] {
    const { active } = this.#terminal.buffer
    return Array.from(
      { length: this.#terminal.rows },
      (_, row) =>
        active
          .getLine(active.baseY + row)
          // xterm keeps what stood beyond the edge before the window became narrower.
          ?.translateToString(true, 0, this.#terminal.cols)
          .trimEnd() ?? '',
    )
  }

  cells(row: number): PtyCell[] {
    const { active } = this.#terminal.buffer
    const line = active.getLine(active.baseY + row)
    return Array.from({ length: this.#terminal.cols }, (_, column) => {
      const cell = line?.getCell(column)
      return {
        text: cell?.getChars() ?? '',
        width: cell?.getWidth() ?? 1,
        color: cell?.isFgDefault() === false ? colorOf(cell.getFgColor(), cell.isFgRGB()) : undefined,
        background: cell?.isBgDefault() === false ? colorOf(cell.getBgColor(), cell.isBgRGB()) : undefined,
        bold: Boolean(cell?.isBold()),
        dim: Boolean(cell?.isDim()),
        italic: Boolean(cell?.isItalic()),
        underline: Boolean(cell?.isUnderline()),
        inverse: Boolean(cell?.isInverse()),
        strikethrough: Boolean(cell?.isStrikethrough()),
      }
    })
  }

  /** The first cell of a text that is on the screen. */
  cellOf(text: string): PtyCell {
    for (const [row, line] of this.rows().entries()) {
      if (!line.includes(text)) continue
      const cells = this.cells(row)
      const texts = cells.map((cell) => (cell.width === 0 ? '' : cell.text || ' '))
      const found = cells.find((_, column) => texts.slice(column).join('').startsWith(text))
      if (found !== undefined) return found
    }
    throw new Error(`${text} is not on the screen:\n${this.screen()}`)
  }

  /** Bytes as they are. */
  type(text: string): void {
    this.#child.write(text)
  }

  key(...chords: readonly string[]): void {
    this.#child.write(chords.map(bytesOf).join(''))
  }

  /** As terminals do that were asked to tell what is pasted. */
  paste(text: string): void {
    this.#child.write(`\u001B[200~${text.replaceAll('\n', '\r')}\u001B[201~`)
  }

  /** At a row and column from 0. */
  mouse(action: 'press' | 'release' | 'drag' | 'wheelUp' | 'wheelDown', row: number, column: number): void {
    const code = { press: 0, release: 0, drag: 32, wheelUp: 64, wheelDown: 65 }[action]
    this.#child.write(`\u001B[<${code};${column + 1};${row + 1}${action === 'release' ? 'm' : 'M'}`)
  }

  /** A press and its release. */
  click(row: number, column: number): void {
    this.mouse('press', row, column)
    this.mouse('release', row, column)
  }

  resize(width: number, height: number): void {
    this.#terminal.resize(width, height)
    this.#child.resize(width, height)
  }

  /** Waits until a text is on the screen. @returns milliseconds that it took */
  shows(wanted: string | RegExp, ms = patienceMs): Promise<number> {
    return this.until(() => matches(this.screen(), wanted), `${String(wanted)} to be shown`, ms)
  }

  /** Waits until a text is no more on the screen. */
  lacks(unwanted: string | RegExp, ms = patienceMs): Promise<number> {
    return this.until(() => !matches(this.screen(), unwanted), `${String(unwanted)} to go`, ms)
  }

  /**
   * Waits for a condition, which is asked after everything that is written, and not amid a frame.
   *
   * @returns milliseconds that it took
   */
  async until(condition: () => boolean, what: string, ms = patienceMs): Promise<number> {
    const began = performance.now()
    if (!this.#isAmidFrame && condition()) return 0
    await new Promise<void>((resolve, reject) => {
      const done = (error?: Error): void => {
        clearTimeout(timer)
        this.#waiting.delete(look)
        if (error === undefined) resolve()
        else reject(error)
      }
      const tell = (why: string): Error => new Error(`Waited for ${what}, ${why}:\n${this.screen()}`)
      const timer = setTimeout(() => done(tell(`${ms} ms`)), ms)
      const look = (): void => {
        if (condition()) done()
        else if (this.#code !== undefined)
          setTimeout(() => done(condition() ? undefined : tell(`it ended with ${this.#code}`)), 50)
      }
      this.#waiting.add(look)
    })
    return performance.now() - began
  }

  /**
   * Stops the program without a word, as job control does, and lets it go on: it takes the terminal again and paints it
   * whole. Both screens are of the very bytes between which that happened, whatever else comes meanwhile.
   *
   * @returns what it had painted piece by piece, and the first whole paint
   */
  async repainted(): Promise<{ readonly before: PaintedScreen; readonly after: PaintedScreen }> {
    let before: PaintedScreen | undefined
    let after: PaintedScreen | undefined
    let isTaken = false
    let isCursorShown = this.isCursorShown
    const on = (isSet: boolean) => (parameters: (number | number[])[]) => {
      const [mode] = parameters
      if (mode === 25) isCursorShown = isSet
      // The first of what is switched off when the terminal is given back that says nothing of the screen.
      if (mode === 2004 && !isSet) before ??= this.#painted(isCursorShown)
      if (mode === 1049 && isSet) isTaken = before !== undefined
      // Either ends a frame: the end of a synchronised one, or the cursor that is shown again.
      if (isTaken && (mode === 2026 ? !isSet : mode === 25 && isSet)) after ??= this.#painted(isCursorShown)
      return false
    }
    const { parser } = this.#terminal
    const heard = [
      parser.registerCsiHandler({ prefix: '?', final: 'h' }, on(true)),
      parser.registerCsiHandler({ prefix: '?', final: 'l' }, on(false)),
    ]
    try {
      this.kill('SIGSTOP')
      this.kill('SIGCONT')
      await this.until(() => after !== undefined, 'the terminal to be painted anew')
    } finally {
      for (const handler of heard) handler.dispose()
    }
    if (before === undefined || after === undefined) throw new Error('The terminal was not taken again.')
    return { before, after }
  }

  /**
   * Waits until nothing has been written for so many milliseconds, and the program rested meanwhile: what it is typed is
   * read, however slow the machine is.
   */
  async settled(ms = 100): Promise<void> {
    for (;;) {
      const [bytes, busy] = [this.#bytes, this.#busyMs()]
      await sleep(ms)
      if (bytes === this.#bytes && this.#busyMs() - busy <= ms / 10) return
    }
  }

  /** Milliseconds for which the main thread has had a processor, or waited for one; 0 where the system does not tell. */
  #busyMs(): number {
    try {
      const [ran, waited] = readFileSync(`/proc/${this.pid}/task/${this.pid}/schedstat`, 'latin1').split(' ')
      return (Number(ran) + Number(waited)) / 1e6
    } catch {
      return 0
    }
  }

  /** Does something and waits for the first thing that is written after it to stand on the screen. @returns milliseconds */
  async answered(act: () => void): Promise<number> {
    const before = this.#bytes
    const began = performance.now()
    act()
    await this.until(() => this.#bytes > before, 'an answer')
    return performance.now() - began
  }

  /** The line takes nothing any more, as one over a slow network does for a while. */
  pause(): void {
    this.#child.pause()
  }

  resume(): void {
    this.#child.resume()
  }

  kill(signal: NodeJS.Signals): void {
    process.kill(this.#child.pid, signal)
  }

  /** The person closes the window: the program is told, and what it writes goes nowhere. */
  hangUp(): void {
    this.#child.kill('SIGHUP')
    // What node-pty has no word for: the other side is closed.
    const { _socket: socket } = this.#child as IPty & { readonly _socket?: { destroy(): void } }
    socket?.destroy()
  }

  /** Resolves with the exit code, 128 and more: a signal ended it; what it wrote last is on the screen. */
  async ended(): Promise<number> {
    const code = await this.#ended
    await this.settled(30)
    return code
  }

  get hasEnded(): boolean {
    return this.#code !== undefined
  }

  async dispose(): Promise<void> {
    if (this.#code === undefined) this.#child.kill('SIGKILL')
    await this.#ended
    this.#terminal.dispose()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose()
  }

  #painted(isCursorShown: boolean): PaintedScreen {
    const cells = this.rows().map((_, row) => this.cells(row))
    return { text: this.screen(), cells, cursor: isCursorShown ? this.cursor : undefined }
  }

  /** What is written now is shown when it is whole: a chunk of it may end anywhere. */
  get #isAmidFrame(): boolean {
    return this.#code === undefined && this.#terminal.modes.synchronizedOutputMode
  }

  #look(): void {
    if (this.#isAmidFrame) return
    for (const look of this.#waiting) look()
  }
}

function matches(screen: string, wanted: string | RegExp): boolean {
  return typeof wanted === 'string' ? screen.includes(wanted) : wanted.test(screen)
}

function colorOf(color: number, isRgb: boolean): string | number {
  return isRgb ? `#${color.toString(16).padStart(6, '0')}` : color
}
