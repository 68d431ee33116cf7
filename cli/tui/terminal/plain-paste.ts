const [begin, end] = [Buffer.from('\u001B[200~'), Buffer.from('\u001B[201~')]
/** More than a person types while a slow line holds the keys back. */
const fewest = 64

/**
 * Marks text that came in one piece as pasted: terminals that do not know how to, such as `screen`, send it as if it were
 * typed, and every letter would be painted by itself, every line taken for an Enter. The last Enter stays a key.
 *
 * @returns the pieces to be read instead; those of the chunk are left as they are where it is anything else
 */
export function markPasted(chunk: Uint8Array): readonly Uint8Array[] {
  if (chunk.length < fewest || !chunk.every(isText)) return [chunk]
  // A character that the chunk cuts must not have a mark within it.
  const from = chunk.findIndex((byte) => (byte & 0xc0) !== 0x80)
  const last = chunk.findLastIndex((byte) => byte < 0x80)
  const to = last === chunk.length - 1 && isEnter(chunk[last]) ? last : last + 1
  if (from < 0 || to <= from) return [chunk]
  return [chunk.subarray(0, from), begin, chunk.subarray(from, to), end, chunk.subarray(to)]
}

function isEnter(byte: number | undefined): boolean {
  return byte === 0x0d || byte === 0x0a
}

function isText(byte: number): boolean {
  return (byte >= 0x20 && byte !== 0x7f) || byte === 0x09 || isEnter(byte)
}
