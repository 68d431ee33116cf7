import { isUtf8 } from 'node:buffer'
import { limits } from '../../contract/limits.ts'

export interface SentContent {
  readonly content: string
  readonly encoding?: 'utf-8' | 'base64'
}

/** Why content cannot be stored as it was sent; null when it can. */
export type ContentRefusal = 'base64' | 'surrogate' | 'size'

/** In words. */
export const refusals: Readonly<Record<ContentRefusal, string>> = {
  base64: 'The content is not Base64 (RFC 4648, section 4; it may have line breaks).',
  surrogate: 'The text holds half of a surrogate pair, which UTF-8 cannot carry. Send it as Base64.',
  size: `The file is larger than ${limits.fileBytes / 1024 / 1024} MB.`,
}

const replacement = Buffer.from('\uFFFD')
const loneSurrogate = /\p{Surrogate}/u

/** The bytes that were sent as text or Base64, or why they cannot be stored. */
export function decodeContent({ content, encoding }: SentContent): Buffer | ContentRefusal {
  if (encoding === 'base64') {
    const digits = base64Digits(content)
    const bytes = Math.floor((digits * 3) / 4)
    if (bytes > limits.fileBytes) return 'size'
    // Node skips what is no Base64: then fewer bytes come out than the length promises.
    const decoded = Buffer.from(content, 'base64')
    return decoded.length === bytes && digits % 4 !== 1 ? decoded : 'base64'
  }
  const decoded = Buffer.from(content, 'utf8')
  if (decoded.length > limits.fileBytes) return 'size'
  // Only text with a replacement character can have had a lone surrogate: the slow look is rare.
  return decoded.includes(replacement) && loneSurrogate.test(content) ? 'surrogate' : decoded
}

/** Characters of Base64 beside its padding and the line breaks that many programs write into it (RFC 2045, 6.8). */
function base64Digits(content: string): number {
  let end = content.length
  for (let padding = 0; end > 0; end--) {
    if (content.endsWith('=', end) && padding < 2) padding++
    else if (!isLineBreak(content.charCodeAt(end - 1))) break
  }
  if (!content.includes('\n') && !content.includes('\r')) return end
  let breaks = 0
  for (let at = 0; at < end; at++) if (isLineBreak(content.charCodeAt(at))) breaks++
  return end - breaks
}

function isLineBreak(unit: number): boolean {
  return unit === 0x0a || unit === 0x0d
}

/** Content as it is sent: as text where it is UTF-8 without NUL, else as Base64. */
export function encodeContent(bytes: Buffer): { readonly content: string; readonly encoding: 'utf-8' | 'base64' } {
  return isText(bytes)
    ? { content: bytes.toString('utf8'), encoding: 'utf-8' }
    : { content: bytes.toString('base64'), encoding: 'base64' }
}

/** UTF-8 without NUL. */
export function isText(bytes: Buffer): boolean {
  return isUtf8(bytes) && !bytes.includes(0)
}
