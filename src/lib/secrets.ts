/**
 * Keys, sessions, tokens of share links and secrets of webhooks that the service made, whole or cut off: a prefix that no other text has, then
 * random characters.
 */
const secrets = /(quire|whsec)_(?:[sv]_)?[0-9A-Za-z+/=]{8,}/g

/** A text that a client chose, without credentials that were put in a wrong place. */
export function withoutSecrets(text: string): string {
  return text.replace(secrets, '$1_…')
}

/** The same for people who look at a log in a terminal: plain, and no longer than `most` characters. */
export function shown(text: string, most: number): string {
  const plain = withoutSecrets(decoded(text.slice(0, 4 * most)).replace(/[^\x20-\x7e]/g, '?'))
  return plain.length > most ? `${plain.slice(0, most)}…` : plain
}

/** Without escapes of ASCII, also where they are escaped themselves, as an address within another one’s is. */
function decoded(text: string, times = 3): string {
  if (times === 0) return text
  const once = text.replace(/%([0-7][\da-f])/gi, (_escape, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return decoded(once, times - 1)
}
