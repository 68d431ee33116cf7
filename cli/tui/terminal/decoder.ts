import type { Input, Key } from '../canvas/input.ts'
import { markPasted } from './plain-paste.ts'
import { brokenLength, endOfSequence, keyOf, longestSequence, mouseOf, singleKey } from './sequences.ts'

/** What a terminal sends: what a person does, and its answers to questions, such as `[?62;c`, without the escape. */
export interface Received {
  readonly input: (input: Input) => void
  readonly answer: (sequence: string) => void
}

const escape = '\u001B'
/** Units of pasted text that are held at most before they are given on. */
const longestPaste = 8 * 1024 * 1024
const pasteEnd = `${escape}[201~`
/** A lone Esc is the key when nothing follows for so long. */
const escapeMs = 25
/** A paste that stands still so long is given on; its end may still come. */
const pasteMs = 1000
/**
 * What a slow line may take for a whole key or answer, from its beginning: bytes that go on coming, such as those of
 * somebody who types, are no reason to wait for longer.
 */
const wholeMs = 1000

/** Answers that come in strings: to questions for colours, names and settings. */
const answerBeginnings = /^(?:\]\d|P[\d>!+]|_G)/

/** What of a string that has no end is certain to be of an answer: anything else may have been typed. */
const halfAnswer = /^(?:\]\d+;(?:rgba?:[\da-f]{0,4}(?:\/[\da-f]{0,4}){0,3})?|P(?:>\||[01]?[$+]r|!\|)[^]*)/i

interface Paste {
  parts: string[]
  /** Units of the parts together. */
  size: number
  /** May be the beginning of the end, or of a line end: what follows tells. */
  tail: string
}

/**
 * Makes keys, pasted text and mouse events of the bytes of a terminal. However they are cut, the inputs are the same;
 * only `idle` decides what an unfinished sequence was. What is no input is dropped, so that it is never typed.
 */
export class Decoder {
  readonly #received: Received
  readonly #utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
  readonly #now: () => number
  /** Begins with an unfinished sequence, or is empty. */
  #pending = ''
  /** When that began. */
  #began = 0
  /** It may still become a key or an answer. */
  #isAwaited = false
  /** Its end has not come; undefined outside of one. */
  #paste: Paste | undefined
  /** Part of a paste was given on because nothing came any more. */
  #pasteStands = false

  /** @param now milliseconds that only grow */
  constructor(received: Received, now: () => number = () => performance.now()) {
    this.#received = received
    this.#now = now
  }

  /** Milliseconds without bytes after which `idle` has to be called; undefined: nothing is unfinished. */
  get patience(): number | undefined {
    if (this.#paste !== undefined) return this.#pasteStands ? undefined : pasteMs
    if (this.#pending === '') return undefined
    return this.#isAwaited ? Math.max(0, this.#began + wholeMs - this.#now()) : escapeMs
  }

  /** What came in one piece, which may have been pasted without a word of it. */
  read(chunk: Uint8Array): void {
    this.#endLate()
    const isWithin = this.#paste !== undefined || this.#pending !== ''
    for (const piece of isWithin ? [chunk] : markPasted(chunk)) this.write(piece)
  }

  write(bytes: Uint8Array): void {
    this.#endLate()
    let rest = this.#utf8.decode(bytes, { stream: true })
    if (this.#pasteStands && this.#paste !== undefined && isOneKey(rest, this.#paste.tail)) this.#leavePaste()
    while (rest !== '') rest = this.#paste === undefined ? this.#take(rest) : this.#takePasted(this.#paste, rest)
  }

  /** Nothing came for as long as `patience` said. */
  idle(): void {
    if (this.#paste !== undefined) {
      this.#givePaste(this.#paste)
      this.#pasteStands = true
      return
    }
    const pending = this.#pending
    if (pending === '') return
    // The rest of an answer, or of a key, may be slow: it must not be typed.
    this.#isAwaited = answerBeginnings.test(pending.slice(1)) || isUnfinishedKey(pending)
    if (this.#isAwaited) return this.#endLate()
    this.#pending = ''
    this.#giveUp(pending)
  }

  /** What has not ended for so long does not: whatever comes now is something else. */
  #endLate(): void {
    if (this.#pending === '' || this.#now() - this.#began < wholeMs) return
    // What is behind the beginning of one may be the beginning of another.
    while (this.#pending !== '') {
      const pending = this.#pending
      const half = halfAnswer.exec(pending.slice(1))?.[0].length
      this.#pending = ''
      this.#isAwaited = false
      if (half !== undefined) this.#typed(pending.slice(1 + half))
      // Of a key that is cut, nothing was typed.
      else if (!isUnfinishedKey(pending)) this.#giveUp(pending)
    }
  }

  /** @returns what is left: of a paste that begins */
  #take(text: string): string {
    const all = this.#pending + text
    const before = this.#pending.length
    this.#pending = ''
    this.#isAwaited = false
    let at = 0
    while (at < all.length && this.#paste === undefined) {
      const length = all[at] === escape ? this.#takeSequence(all, at) : this.#takeCharacter(all, at)
      if (length === 0) {
        this.#pending = all.slice(at)
        // One that goes on began when its first byte came.
        if (at > 0 || before === 0) this.#began = this.#now()
        return ''
      }
      at += length
    }
    return all.slice(at)
  }

  #takeCharacter(text: string, at: number): number {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
    this.#key(singleKey(character))
    return character.length
  }

  /** @returns how much of the text the sequence is; 0 when it has not ended */
  #takeSequence(text: string, at: number): number {
    const next = text[at + 1]
    if (next === undefined) return 0
    if (next === '[') return this.#takeControl(text, at)
    if (next === 'O') return this.#takeSingleShift(text, at)
    if (next === ']' || next === 'P' || next === '_' || next === '^' || next === 'X') return this.#takeString(text, at)
    if (next === escape) return this.#takeDoubleEscape(text, at)
    const character = String.fromCodePoint(text.codePointAt(at + 1) ?? 0)
    this.#key(withAlt(singleKey(character)))
    return 1 + character.length
  }

  /** Alt with a named key is an escape before its sequence; otherwise the first escape was a key of its own. */
  #takeDoubleEscape(text: string, at: number): number {
    const third = text[at + 2]
    if (third === undefined) return 0
    if (third === '[' || third === 'O') {
      const end = endOfSequence(text, at + 1)
      if (end === 'unfinished') return 0
      const key = end === undefined ? undefined : keyOf(text.slice(at + 2, end))
      if (end !== undefined && key !== undefined) {
        this.#key(withAlt(key))
        return end - at
      }
    }
    this.#key(singleKey(escape))
    return 1
  }

  #takeControl(text: string, at: number): number {
    const end = endOfSequence(text, at)
    if (end === 'unfinished') return 0
    // Broken by a character that cannot be part of it: what came is dropped, the character is taken by itself.
    if (end === undefined) return brokenLength(text, at)
    const sequence = text.slice(at + 1, end)
    if (sequence === '[200~') {
      this.#paste = { parts: [], size: 0, tail: '' }
      this.#pasteStands = false
    } else if (sequence.startsWith('[<') && /[Mm]$/.test(sequence)) {
      const mouse = mouseOf(sequence)
      if (mouse !== undefined) this.#received.input({ type: 'mouse', mouse })
    } else if (sequence.startsWith('[?')) this.#received.answer(sequence)
    else this.#key(keyOf(sequence))
    return end - at
  }

  #takeSingleShift(text: string, at: number): number {
    const end = endOfSequence(text, at)
    if (end === 'unfinished') return 0
    if (end === undefined) {
      this.#key(withAlt(singleKey('O')))
      return 2
    }
    this.#key(keyOf(text.slice(at + 1, end)))
    return end - at
  }

  /** OSC, DCS and their like: up to BEL or ST. */
  #takeString(text: string, at: number): number {
    for (let end = at + 2; end < text.length && end - at < longestSequence; end++) {
      const character = text[end]
      const ends = character === '\u0007' || (character === escape && text[end + 1] === '\\')
      if (ends) {
        this.#received.answer(text.slice(at + 1, end))
        return end - at + (character === escape ? 2 : 1)
      }
      // An escape that begins something else ends what cannot end itself.
      if (character === escape && end + 1 < text.length) return end - at
      if (character === '\u0018' || character === '\u001A') return end - at + 1
    }
    // Of an escape at the very end, the next character tells what it is.
    if (text.length - at <= longestSequence) return 0
    if (answerBeginnings.test(text.slice(at + 1, at + 4))) return longestSequence
    // No answer begins so: somebody typed Alt with a bracket, and went on.
    this.#key(withAlt(singleKey(text[at + 1] ?? '')))
    return 2
  }

  /** An unfinished sequence was keys: Esc, or Alt with what follows. */
  #giveUp(pending: string): void {
    const [, second = '', ...rest] = Array.from(pending)
    if (second === '') this.#key(singleKey(escape))
    else if (second === escape) {
      this.#key(singleKey(escape))
      this.#giveUp(escape + rest.join(''))
    } else {
      this.#key(withAlt(singleKey(second)))
      this.#typed(rest.join(''))
    }
  }

  /** What stood behind the beginning of what was no sequence. */
  #typed(text: string): void {
    // Without a paste, nothing is left.
    let rest = text
    while (rest !== '') rest = this.#paste === undefined ? this.#take(rest) : this.#takePasted(this.#paste, rest)
  }

  /** @returns what is left: behind the end of the paste */
  #takePasted(paste: Paste, text: string): string {
    this.#pasteStands = false
    const searched = paste.tail + text
    const end = searched.indexOf(pasteEnd)
    if (end >= 0) {
      paste.parts.push(withPlainEnds(searched.slice(0, end)))
      this.#givePaste(paste)
      this.#paste = undefined
      return searched.slice(end + pasteEnd.length)
    }
    const kept = heldBack(searched)
    paste.parts.push(withPlainEnds(searched.slice(0, searched.length - kept)))
    paste.size += searched.length - kept
    paste.tail = searched.slice(searched.length - kept)
    if (paste.size >= longestPaste) this.#givePaste(paste)
    return ''
  }

  /** What was pasted so far. */
  #givePaste(paste: Paste): void {
    const text = paste.parts.join('')
    paste.parts = []
    paste.size = 0
    if (text !== '') this.#received.input({ type: 'paste', text })
  }

  /** The end of a paste never came, and somebody types again. */
  #leavePaste(): void {
    if (this.#paste?.tail === '\r') this.#received.input({ type: 'paste', text: '\n' })
    this.#paste = undefined
    this.#pasteStands = false
  }

  #key(key: Key | undefined): void {
    if (key !== undefined) this.#received.input({ type: 'key', key })
  }
}

function withAlt(key: Key | undefined): Key | undefined {
  return key === undefined ? undefined : { ...key, alt: true }
}

function isUnfinishedKey(pending: string): boolean {
  return /^(?:\[.+|O\d)$/.test(pending.replaceAll(escape, ''))
}

/** Of each part when it comes: all at once would hold a key up. None ends between the two of a line end. */
function withPlainEnds(part: string): string {
  return part.replaceAll(/\r\n?/g, '\n')
}

/** After a paste that stands still: one key, rather than the rest of the paste. */
function isOneKey(text: string, tail: string): boolean {
  if (tail.startsWith(escape) && pasteEnd.startsWith(tail + text)) return false
  return text.startsWith(escape) ? !text.startsWith(pasteEnd) : Array.from(text).length === 1
}

/** How many units at the end may belong to what has not come: of the end of a paste, or a carriage return. */
function heldBack(text: string): number {
  if (text.endsWith('\r')) return 1
  for (let length = Math.min(pasteEnd.length - 1, text.length); length > 0; length--)
    if (text.endsWith(pasteEnd.slice(0, length))) return length
  return 0
}
