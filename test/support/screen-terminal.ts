import type { Input, Key } from '#cli/tui/canvas/input.ts'
import type { Size } from '#cli/tui/canvas/pane.ts'
import { lineText } from '#cli/tui/canvas/width.ts'
import type { Frame, Terminal } from '#cli/tui/terminal/terminal.ts'

/** A terminal in memory: what was drawn last as text, keys by their chords. */
export class ScreenTerminal implements Terminal {
  size: Size
  mouse = false
  title = ''
  readonly linear: boolean
  frame: Frame = { rows: [] }
  frames = 0
  said: string[] = []
  copied: string[] = []
  #listener: Parameters<Terminal['start']>[0] | undefined

  constructor(size: Size = { width: 80, height: 24 }, linear = false) {
    this.size = size
    this.linear = linear
  }

  get text(): string {
    return this.frame.rows.map((row) => lineText(row).trimEnd()).join('\n')
  }

  start(listener: Parameters<Terminal['start']>[0]): void {
    this.#listener = listener
  }

  stop(): void {
    this.#listener = undefined
  }

  draw(frame: Frame): void {
    this.frame = frame
    this.frames += 1
  }

  say(text: string): void {
    this.said.push(text)
  }

  echo(text: string): void {
    this.said.push(`typed ${text}`)
  }

  suspend<T>(work: () => Promise<T>): Promise<T> {
    return work()
  }

  copy(text: string): void {
    this.copied.push(text)
  }

  resize(size: Size): void {
    this.size = size
    this.#listener?.resize(size)
  }

  input(input: Input): void {
    this.#listener?.input(input)
  }

  /** Presses keys by their chords, such as `ctrl+p`, `down`, `P`. */
  press(...chords: readonly string[]): void {
    for (const chord of chords) this.input({ type: 'key', key: keyOf(chord) })
  }

  /** Types a text, a key a character. */
  types(text: string): void {
    for (const name of text) this.input({ type: 'key', key: { name, ctrl: false, alt: false, shift: false } })
  }
}

export function keyOf(chord: string): Key {
  const parts = chord === '+' ? ['+'] : chord.split(/\+(?=.)/)
  const name = parts.at(-1) === 'space' ? ' ' : (parts.at(-1) ?? '')
  return { name, ctrl: parts.includes('ctrl'), alt: parts.includes('alt'), shift: parts.includes('shift') }
}
