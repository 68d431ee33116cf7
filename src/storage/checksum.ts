import { crc32 } from 'node:zlib'

/**
 * Checksums against damage, not against forgery: CRC-32 finds every flip of a bit, and is free beside a flush. A
 * document has it as its first member, `{"sum":"1a2b3c4d",…`, and so stays JSON; a line of records at its end, after a
 * tab: `…\t#1a2b3c4d`, which no JSON is.
 */
export type Soundness = 'sound' | 'damaged' | 'unsealed'

const textPrefix = '{"sum":"'
const sumLength = 8
/** Of a text: the prefix, the sum, quote and comma. */
const sealLength = textPrefix.length + sumLength + 2
/** Of a line: tab, hash, sum. */
export const lineSealBytes = 2 + sumLength
const tab = 0x09
const hash = 0x23

function sumOf(content: string | Uint8Array): string {
  return crc32(content).toString(16).padStart(sumLength, '0')
}

/** @param json text of an object that has members; a line end may follow. */
export function sealText(json: string): string {
  const rest = json.slice(1)
  return `${textPrefix}${sumOf(rest)}",${rest}`
}

export function soundnessOfText(text: string): Soundness {
  if (!text.startsWith(textPrefix)) return 'unsealed'
  const sum = text.slice(textPrefix.length, textPrefix.length + sumLength)
  return text.slice(sealLength - 2, sealLength) === '",' && sumOf(text.slice(sealLength)) === sum ? 'sound' : 'damaged'
}

/** The line as a file has it, with its end. @param text without line ends. */
export function sealLine(text: string): string {
  return `${text}\t#${sumOf(text)}\n`
}

/** Looks at a line without its end, and says how many of its bytes are before the seal. */
export function openLine(line: Uint8Array): { readonly soundness: Soundness; readonly length: number } {
  const length = line.length - lineSealBytes
  if (length < 0 || line[length] !== tab || line[length + 1] !== hash)
    return { soundness: 'unsealed', length: line.length }
  const sum = Buffer.from(line.buffer, line.byteOffset + length + 2, sumLength).toString('latin1')
  return { soundness: sumOf(line.subarray(0, length)) === sum ? 'sound' : 'damaged', length }
}
