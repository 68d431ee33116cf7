import type { Session } from '../contract/accounts.ts'

/** In the order in which they must be looked for: each also says the names that come after it. */
const browsers = [
  ['Edge', /\bEdgA?\//],
  ['Opera', /\bOPR\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Headless)?(?:Chrome|CriOS)\//],
  ['Safari', /\bSafari\//],
] as const

const systems = [
  ['Windows', /\bWindows\b/],
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['macOS', /\bMac OS X\b/],
  ['Android', /\bAndroid\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
] as const

/** What a person would call the browser or terminal of a session. */
export function clientName({ kind, client }: Pick<Session, 'kind' | 'client'>): string {
  if (kind === 'terminal') return client === '' ? 'A terminal' : client
  const browser = browsers.find(([, pattern]) => pattern.test(client))?.[0]
  const system = systems.find(([, pattern]) => pattern.test(client))?.[0]
  // A script says only what it is, such as curl/8.5.
  if (browser === undefined) return client === '' ? 'A browser' : client.slice(0, 60)
  return system === undefined ? browser : `${browser} on ${system}`
}
