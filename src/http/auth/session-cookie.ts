import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SessionClient } from '../../access/sessions.ts'
import { tokenKind } from '../../access/tokens.ts'

/** A cookie of the dashboard’s own host that scripts cannot read: a site of a tenant never gets or sets it. */
export class HostCookie {
  readonly name: string
  readonly #secure: boolean
  readonly #maxAgeSeconds: number

  /** @param secure The dashboard is served by HTTPS: then the name binds the cookie to this one host (RFC 6265bis, 4.1.3.2). */
  constructor(name: string, { secure, maxAgeSeconds }: { readonly secure: boolean; readonly maxAgeSeconds: number }) {
    this.#secure = secure
    this.#maxAgeSeconds = maxAgeSeconds
    this.name = secure ? `__Host-${name}` : name
  }

  read(request: FastifyRequest): string | null {
    return request.cookies[this.name] ?? null
  }

  set(reply: FastifyReply, value: string): void {
    reply.setCookie(this.name, value, { ...this.#attributes(), maxAge: this.#maxAgeSeconds })
  }

  clear(reply: FastifyReply): void {
    reply.clearCookie(this.name, this.#attributes())
  }

  #attributes() {
    return { path: '/', httpOnly: true, secure: this.#secure, sameSite: 'lax' } as const
  }
}

/** The dashboard’s session. */
export class SessionCookie extends HostCookie {
  constructor(secure: boolean) {
    super('quire_session', { secure, maxAgeSeconds: 30 * 24 * 60 * 60 })
  }

  /** The token of a session. What else a cookie may hold, such as an API key, is no credential of a browser. */
  override read(request: FastifyRequest): string | null {
    const value = super.read(request)
    return value !== null && tokenKind(value) === 'session' ? value : null
  }

  /** Keeps the cookie of a session that is in use: both end 30 days after the last one. */
  renew(request: FastifyRequest, reply: FastifyReply, token: string): void {
    if (this.read(request) === token) this.set(reply, token)
  }
}

/** What a session that a request begins is known by. */
export function sessionClientOf(request: FastifyRequest, kind: SessionClient['kind']): SessionClient {
  return { kind, client: request.headers['user-agent'] ?? '', address: request.ip }
}
