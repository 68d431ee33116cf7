import { once } from 'node:events'
import { createServer } from 'node:http'
import { Provider } from 'oidc-provider'
import { onTestFinished } from 'vitest'
import { freePort } from './service-process.ts'

export interface Person {
  readonly email?: string
  readonly email_verified?: boolean
}

export interface IdentityProvider {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** Who there is, by subject. */
  readonly people: Map<string, Person>
  /** Who signs in next; null refuses. */
  visitor: string | null
}

/** A real OpenID Connect provider on loopback, where a visitor signs in without being asked. */
export async function startIdentityProvider(redirectUri: string, chosen?: number): Promise<IdentityProvider> {
  const port = chosen ?? (await freePort())
  const known: IdentityProvider = {
    issuer: `http://127.0.0.1:${port}`,
    clientId: 'quire',
    clientSecret: 'a secret of the client',
    people: new Map(),
    visitor: null,
  }
  const provider = new Provider(known.issuer, {
    clients: [{ client_id: known.clientId, client_secret: known.clientSecret, redirect_uris: [redirectUri] }],
    cookies: { keys: ['key'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/visit/${uid}` },
    pkce: { required: () => true },
    findAccount: (_context, subject) => ({
      accountId: subject,
      claims: () => ({ sub: subject, ...known.people.get(subject) }),
    }),
    loadExistingGrant: async ({ oidc }) => {
      const { client, session } = oidc
      if (client === undefined || session?.accountId === undefined) return undefined
      const grant = new oidc.provider.Grant({ clientId: client.clientId, accountId: session.accountId })
      grant.addOIDCScope('openid email')
      await grant.save()
      return grant
    },
  })
  const handle = provider.callback()
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/visit/') !== true) return void handle(request, response)
    const { visitor } = known
    const result = visitor === null ? { error: 'access_denied' } : { login: { accountId: visitor, remember: false } }
    return void provider.interactionFinished(request, response, result)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  return known
}

/** A browser without a window: it keeps cookies, and does not follow where it is sent unless told to. */
export class Browser {
  readonly #cookies = new Map<string, Map<string, string>>()

  async get(url: string): Promise<Response> {
    // Cookies do not know ports (RFC 6265, 8.5); hosts tell service and provider apart here.
    const { hostname } = new URL(url)
    const jar = this.#cookies.get(hostname) ?? new Map<string, string>()
    this.#cookies.set(hostname, jar)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, { redirect: 'manual', headers: { cookie, 'user-agent': 'Firefox' } })
    await response.body?.cancel()
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';', 1)
      const [name = '', ...value] = pair.split('=')
      if (value.join('=') === '') jar.delete(name)
      else jar.set(name, value.join('='))
    }
    return response
  }

  /** Goes where it is sent until the address begins so; answers with that address, which it has not asked for yet. */
  async follow(url: string, until: string): Promise<string> {
    let next = url
    for (let hops = 0; hops < 10; hops++) {
      if (next.startsWith(until)) return next
      const location = (await this.get(next)).headers.get('location')
      if (location === null) throw new Error(`${next} leads nowhere`)
      next = new URL(location, next).href
    }
    throw new Error(`${url} leads round in circles`)
  }

  cookie(hostname: string, name: string): string | undefined {
    return this.#cookies.get(hostname)?.get(name)
  }
}
