import type { Input } from '../canvas/input.ts'
import type { Cursor, Size } from '../canvas/pane.ts'
import type { Line } from '../canvas/style.ts'

/** A whole screen: a line a row, none wider than the screen. */
export interface Frame {
  readonly rows: readonly Line[]
  readonly cursor?: Cursor | undefined
}

export interface Listener {
  readonly input: (input: Input) => void
  readonly resize: (size: Size) => void
}

/** The person's terminal, while the UI has it. */
export interface Terminal {
  readonly size: Size
  /** For a screen reader: what is said is written line by line, and nothing is painted. */
  readonly linear: boolean
  /** Takes the terminal: alternate screen, raw keys, pasted text in brackets, the mouse if it is wanted. */
  start(listener: Listener): void
  /** Gives it back as it was. Once is enough, twice does no harm. */
  stop(): void
  /** Shows a frame: writes what differs from the last one. */
  draw(frame: Frame): void
  /** Linear mode: writes a line, where nothing is drawn. Does nothing elsewhere. */
  say(text: string): void
  /** Gives the terminal to another program, such as an editor, and takes it again. */
  suspend<T>(work: () => Promise<T>): Promise<T>
  /** Puts a text into the clipboard of the person's machine (OSC 52), also over SSH. */
  copy(text: string): void
  mouse: boolean
}
