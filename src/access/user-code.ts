import { randomInt } from 'node:crypto'

/** No vowels, so that no word appears by chance; nothing that looks like a digit (RFC 8628, 6.1). */
const letters = 'BCDFGHJKLMNPQRSTVWXZ'
const half = 4
/** 20^8: about 34 bits, for codes that live ten minutes and that few guesses are allowed for. */
const length = 2 * half
const shape = new RegExp(`^[${letters}]{${length}}$`)

/** A new code such as `BCDF-GHJK`. */
export function mintUserCode(): string {
  const code = Array.from({ length }, () => letters[randomInt(letters.length)]).join('')
  return hyphenated(code)
}

/** The code that somebody typed, in any case, with or without hyphen and spaces; null for what can be none. */
export function readUserCode(typed: string): string | null {
  const code = typed.replace(/[\s\p{Pd}]/gu, '').toUpperCase()
  return shape.test(code) ? hyphenated(code) : null
}

function hyphenated(code: string): string {
  return `${code.slice(0, half)}-${code.slice(half)}`
}
