/** Keys and sessions of ours, whole or cut off: a prefix that no other text has, then random characters. */
const secrets = /quire_(?:s_)?[0-9A-Za-z]{8,}/g
/** Control characters would let one entry look like two on a terminal. */
const controls = /[\p{Cc}\p{Surrogate}\u2028\u2029]/gu
const maxLength = 500

/** What a client sent, as it may be kept: on one line, not endless, without credentials that were put in a wrong place. */
export function redact(text: string): string {
  const plain = text.replace(secrets, 'quire_…').replace(controls, ' ').trim()
  return plain.length > maxLength ? `${plain.slice(0, maxLength - 1).replace(/\p{Surrogate}$/u, '')}…` : plain
}
