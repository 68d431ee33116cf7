import { queryOptions } from '@tanstack/react-query'
import type { Session } from '../../contract/accounts.ts'
import { contract } from '../../contract/index.ts'
import { client } from '../client.ts'

/** The browsers and terminals that are signed in, the last used first. */
export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => client.call(contract.sessions.list, { signal }),
})

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
export function clientName({ kind, client: program }: Pick<Session, 'kind' | 'client'>): string {
  if (kind === 'terminal') return program === '' ? 'A terminal' : program
  const browser = browsers.find(([, pattern]) => pattern.test(program))?.[0]
  const system = systems.find(([, pattern]) => pattern.test(program))?.[0]
  // A script says only what it is, such as curl/8.5.
  if (browser === undefined) return program === '' ? 'A browser' : program.slice(0, 60)
  return system === undefined ? browser : `${browser} on ${system}`
}
