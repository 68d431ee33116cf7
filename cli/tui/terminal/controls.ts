import { Buffer } from 'node:buffer'
import { shown } from '../canvas/width.ts'

const escape = '\u001B'
const stringEnd = `${escape}\\`

/** What is switched on while the UI has the terminal, and off again. */
export const modes = {
  /** Alternate screen; the title is put aside, lines are not broken by the terminal, pasted text is marked as such. */
  enter: `${escape}[?1049h${escape}[22;2t${escape}[?7l${escape}[?2004h`,
  /** Also ends what may have been cut: a string, a synchronised frame. */
  leave: `${stringEnd}${escape}[?2026l${escape}[m${escape}[?2004l${escape}[?7h${escape}[?25h${escape}[23;2t${escape}[?1049l`,
  /** Presses, drags and the wheel, with coordinates beyond 223. */
  mouseOn: `${escape}[?1000h${escape}[?1002h${escape}[?1006h`,
  mouseOff: `${escape}[?1006l${escape}[?1002l${escape}[?1000l`,
  /** Keys told unmistakably (1), with those of other layouts (4): the keyboard protocol of kitty. */
  keysOn: `${escape}[>5u`,
  keysOff: `${escape}[<u`,
  pasteOn: `${escape}[?2004h`,
  pasteOff: `${escape}[?2004l`,
} as const

/** Background colour, synchronised output, keyboard protocol. Who does not know one does not answer. */
export const questions = `${escape}]11;?${stringEnd}${escape}[?2026$p${escape}[?u`

export function knowsSynchronized(answer: string): boolean {
  return /^\[\?2026;[1-3]\$y$/.test(answer)
}

export function knowsKeyProtocol(answer: string): boolean {
  return /^\[\?\d+u$/.test(answer)
}

export function titleOf(text: string): string {
  return `${escape}]2;${shown(text)}${stringEnd}`
}

/** A program between us and the person’s terminal. */
export type Multiplexer = 'tmux' | 'screen' | undefined

/** Strings that `screen` passes on are at most 768 bytes. */
const screenPiece = 700
/** Many terminals drop longer ones. */
const longestCopy = 1_000_000

/** Puts a text into the clipboard (OSC 52); empty when it is too long for that. */
export function copyOf(text: string, multiplexer: Multiplexer): string {
  const sequence = `${escape}]52;c;${Buffer.from(text).toString('base64')}\u0007`
  if (sequence.length > longestCopy) return ''
  // tmux takes it itself or passes it on, as it is set up; twice does no harm.
  if (multiplexer === 'tmux')
    return `${sequence}${escape}Ptmux;${sequence.replaceAll(escape, escape + escape)}${stringEnd}`
  if (multiplexer === undefined) return sequence
  const pieces = sequence.match(new RegExp(`[^]{1,${screenPiece}}`, 'g')) ?? []
  return pieces.map((piece) => `${escape}P${piece}${stringEnd}`).join('')
}
