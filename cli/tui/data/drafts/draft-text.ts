import { setImmediate as nextTurn } from 'node:timers/promises'

/** UTF-16 units that are put together in one go. */
const turnLength = 128 * 1024

/** A text in pieces that follow each other, and can be gone through again. */
export interface TextPieces extends Iterable<string> {
  /** UTF-16 units of all of them. */
  readonly units: number
}

/** Where a text comes from when it is asked for. */
interface Source {
  readonly text: () => string
  /** Of the text as it is when this is called, whatever happens to it afterwards. */
  readonly pieces?: (() => TextPieces) | undefined
}

/** A text at one moment: not put together, as whoever keeps one of 5 MB has little room for another. */
export interface TextMoment {
  readonly pieces: TextPieces
  readonly cursor: number
  readonly version: number
}

/** The text of a draft as it is now. A key costs nothing: the whole is put together when somebody wants it. */
export class DraftText {
  #source: Source | undefined
  #text: string | undefined
  #cursor: () => number
  #version = 0

  /** @param cursor UTF-16 units into the text */
  constructor(text: string, cursor: number) {
    this.#text = text
    this.#cursor = () => Math.min(cursor, text.length)
  }

  get text(): string {
    this.#text ??= this.#source?.text() ?? ''
    return this.#text
  }

  get cursor(): number {
    return this.#cursor()
  }

  /** Counts what changed it. */
  get version(): number {
    return this.#version
  }

  /** The text as it is now. */
  now(): TextMoment {
    const { cursor, version } = this
    const pieces = this.#text === undefined ? this.#source?.pieces?.() : undefined
    return { pieces: pieces ?? whole(this.text), cursor, version }
  }

  moved(cursor: () => number): void {
    this.#cursor = cursor
  }

  /** It is another one from now on. */
  changed(source: Source & { readonly cursor: () => number }): void {
    this.#cursor = source.cursor
    this.#source = source
    this.#text = undefined
    this.#version += 1
  }

  replace(text: string): void {
    const cursor = Math.min(this.cursor, text.length)
    this.#cursor = () => cursor
    this.#source = undefined
    this.#text = text
    this.#version += 1
  }
}

function whole(text: string): TextPieces {
  return { units: text.length, [Symbol.iterator]: () => [text][Symbol.iterator]() }
}

/** A text in one piece, put together in slices. */
export async function joined(pieces: Iterable<string>): Promise<string> {
  const all: string[] = []
  let length = 0
  for (const piece of pieces) {
    all.push(piece)
    length += piece.length
    if (length < turnLength) continue
    length = 0
    await nextTurn()
  }
  return all.join('')
}
