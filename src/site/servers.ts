/** Origins of servers that a page’s readers may send requests to, at most. */
export const maxServers = 20

const name = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
/** `https://api.example.com:8443`, and loopback without TLS: nothing that a policy could read as more than one origin. */
export const serverPattern = `^(?:https://${name}(?:\\.${name})*|http://(?:localhost|127\\.0\\.0\\.1))(?::[0-9]{1,5})?$`
const pattern = new RegExp(serverPattern)
const loopbackPattern = /^https?:\/\/(?:localhost|127\.0\.0\.1)(?::|$)/

/** The origin of a server’s address as descriptions have it; undefined for one that no page may ask. */
export function serverOrigin(address: string): string | undefined {
  const { origin } = URL.canParse(address) ? new URL(address) : { origin: '' }
  return origin.length <= 270 && pattern.test(origin) ? origin : undefined
}

/** Whether an origin is of the reader’s own machine. */
export function isLoopback(origin: string): boolean {
  return loopbackPattern.test(origin)
}
