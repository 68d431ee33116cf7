import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** UTF-16 units, or bytes, that are worked on in one go: a fraction of a millisecond. */
const sliceLength = 128 * 1024
/** A text in pieces, none of which ends within a surrogate pair. */
export function* slicesOf(text: string, length = sliceLength): Generator<string, void, undefined> {
  for (let start = 0; start < text.length;) {
    let end = Math.min(text.length, start + length)
    const last = text.charCodeAt(end - 1)
    if (end < text.length && last >= 0xd800 && last < 0xdc00) end += 1
    yield text.slice(start, end)
    start = end
  }
}

/**
 * A text as UTF-8, in slices between which other work gets its turn: a large page must not hold a key up.
 * @param text whole, or in pieces that follow each other
 */
export async function* encoded(text: string | Iterable<string>): AsyncGenerator<Buffer, void, undefined> {
  let length = 0
  for (const piece of typeof text === 'string' ? [text] : text) {
    for (const slice of slicesOf(piece)) {
      yield Buffer.from(slice)
      length += slice.length
      if (length < sliceLength) continue
      length = 0
      await nextTurn()
    }
  }
}

/** Whether pieces that follow each other are a text, in slices. */
export async function isTextOf(pieces: Iterable<string>, text: string): Promise<boolean> {
  let at = 0
  let looked = 0
  for (const piece of pieces) {
    if (!text.startsWith(piece, at)) return false
    at += piece.length
    looked += piece.length
    if (looked < sliceLength) continue
    looked = 0
    await nextTurn()
  }
  return at === text.length
}

/** As `encoded`, whole. */
export async function encode(text: string): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of encoded(text)) parts.push(part)
  return Buffer.concat(parts)
}

/** A text from its UTF-8, in slices. A byte order mark stays. */
export async function decode(bytes: Uint8Array): Promise<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const parts: string[] = []
  for (let start = 0; start < bytes.length; start += sliceLength) {
    parts.push(decoder.decode(bytes.subarray(start, start + sliceLength), { stream: true }))
    if (bytes.length > sliceLength) await nextTurn()
  }
  parts.push(decoder.decode())
  return parts.join('')
}

/** As `blobOid` of the contract: the id that Git gives to content, in slices. */
export async function oidOf(bytes: Uint8Array): Promise<string> {
  const hash = createHash('sha1').update(`blob ${bytes.byteLength}\0`)
  for (let start = 0; start < bytes.length; start += sliceLength) {
    hash.update(bytes.subarray(start, start + sliceLength))
    if (bytes.length > sliceLength) await nextTurn()
  }
  return hash.digest('hex')
}

/** Bytes as Base64, in slices. */
export async function base64Of(bytes: Buffer): Promise<string> {
  const parts: string[] = []
  // Three bytes become four characters: only the last slice is padded.
  const length = 3 * Math.floor(sliceLength / 3)
  for (let start = 0; start < bytes.length; start += length) {
    parts.push(bytes.toString('base64', start, start + length))
    if (bytes.length > length) await nextTurn()
  }
  return parts.join('')
}
