import { getDomain } from 'tldts'
import { parseUrl } from '../lib/parse-url.ts'

/** Origins of servers that a page’s readers may send requests to, at most. */
export const maxServers = 20

const name = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
/**
 * `https://api.example.com:8443`, all hosts under a name that readers fill in (`https://*.example.com`), and loopback
 * without TLS: nothing else that a policy could read as more than one origin.
 */
export const serverPattern = `^(?:https://(?:${name}(?:\\.${name})*|\\*(?:\\.${name}){2,})|http://(?:localhost|127\\.0\\.0\\.1))(?::[0-9]{1,5})?$`
const pattern = new RegExp(serverPattern)
const loopbackPattern = /^https?:\/\/(?:localhost|127\.0\.0\.1)(?::|$)/

/** The origin of a server’s address as descriptions have it; undefined for one that no page may ask. */
export function serverOrigin(address: string): string | undefined {
  const { origin } = parseUrl(address) ?? { origin: '' }
  return origin.length <= 270 && !origin.includes('*') && pattern.test(origin) ? origin : undefined
}

/**
 * All hosts below the names that stand behind what readers fill in: `https://{tenant}.example.com/v1` →
 * `https://*.example.com`. Undefined where nobody has these names: `https://{name}.co.uk`.
 */
export function serverFamily(address: string): string | undefined {
  const [, rest = '', port = ''] =
    /^https:\/\/[^/?#]*\}[^./?#{}:]*((?:\.[^./?#{}:]+){2,})(:\d{1,5})?(?=[/?#]|$)/.exec(address) ?? []
  const family = `https://*${rest.toLowerCase()}${port}`
  return rest !== '' && family.length <= 270 && pattern.test(family) && isOfOne(rest.slice(1)) ? family : undefined
}

/** Whether somebody has the domain of a name: nobody has `co.uk`, whose hosts are anybody’s. */
const isOfOne = (host: string): boolean => getDomain(host) !== null

/** Whether an origin is of the reader’s own machine. */
export function isLoopback(origin: string): boolean {
  return loopbackPattern.test(origin)
}
