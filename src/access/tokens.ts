import { createHash, randomBytes, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** No vowels, so that no word appears by chance; nothing that looks like a digit (RFC 8628, 6.1). */
const codeLetters = 'BCDFGHJKLMNPQRSTVWXZ'
const codeHalf = 4
/** 20^8: about 34 bits, for codes that live ten minutes and that few guesses are allowed for. */
const codeLength = 2 * codeHalf
const codeShape = new RegExp(`^[${codeLetters}]{${codeLength}}$`)

/** What a credential is, by its prefix: a bearer’s, or what a share link carries. Scanners for leaked secrets find all. */
export type TokenKind = 'key' | 'session' | 'share'

const prefixes: Readonly<Record<TokenKind, string>> = { key: 'quire_', session: 'quire_s_', share: 'quire_v_' }
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 62^43 > 2^256. */
const secretDigits = 43
/** 62^6 > 2^32. */
const checksumDigits = 6
const tokenShape = new RegExp(`^(quire_(?:[sv]_)?)([0-9A-Za-z]{${secretDigits}})([0-9A-Za-z]{${checksumDigits}})$`)

/** A new credential: prefix, 32 random bytes in base62, and the CRC-32 of both in base62. */
export function mintToken(kind: TokenKind): string {
  const body = prefixes[kind] + base62(BigInt(`0x${randomBytes(32).toString('hex')}`), secretDigits)
  return body + checksum(body)
}

/** What the text claims to be; null for what cannot be a credential of ours. The checksum spares a look-up for typos. */
export function tokenKind(text: string): TokenKind | null {
  const match = tokenShape.exec(text)
  if (match === null) return null
  const [, prefix, secret, check] = match
  if (prefix === undefined || secret === undefined || checksum(prefix + secret) !== check) return null
  if (prefix === prefixes.share) return 'share'
  return prefix === prefixes.key ? 'key' : 'session'
}

/** SHA-256, hex: all that is stored. The tokens are random, so a fast hash is enough. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/** An id such as `key_4f0Zq…`: 16 random characters, about 95 bits. */
export function newId(prefix: string): string {
  return `${prefix}_${base62(BigInt(`0x${randomBytes(16).toString('hex')}`), 22).slice(-16)}`
}

function checksum(body: string): string {
  return base62(BigInt(crc32(body)), checksumDigits)
}

function base62(value: bigint, length: number): string {
  let text = ''
  for (let rest = value; rest > 0n; rest /= 62n) text = (digits[Number(rest % 62n)] ?? '') + text
  return text.padStart(length, '0')
}

/** A new code such as `BCDF-GHJK`. */
export function mintUserCode(): string {
  const code = Array.from({ length: codeLength }, () => codeLetters[randomInt(codeLetters.length)]).join('')
  return hyphenated(code)
}

/** The code that somebody typed, in any case, with or without hyphen and spaces; null for what can be none. */
export function readUserCode(typed: string): string | null {
  const code = typed.replace(/[\s\p{Pd}]/gu, '').toUpperCase()
  return codeShape.test(code) ? hyphenated(code) : null
}

function hyphenated(code: string): string {
  return `${code.slice(0, codeHalf)}-${code.slice(codeHalf)}`
}
