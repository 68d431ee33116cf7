import type { FastifyReply, FastifyRequest } from 'fastify'

const maxAgeSeconds = 30 * 24 * 60 * 60

/** The dashboard’s session. Only on the dashboard’s own host: a site of a tenant never gets or sets it. */
export class SessionCookie {
  readonly name: string
  readonly #secure: boolean

  /** @param secure The dashboard is served by HTTPS: then the name binds the cookie to this one host (RFC 6265bis, 4.1.3.2). */
  constructor(secure: boolean) {
    this.#secure = secure
    this.name = secure ? '__Host-quire_session' : 'quire_session'
  }

  read(request: FastifyRequest): string | null {
    return request.cookies[this.name] ?? null
  }

  set(reply: FastifyReply, token: string): void {
    reply.setCookie(this.name, token, { ...this.#attributes(), maxAge: maxAgeSeconds })
  }

  clear(reply: FastifyReply): void {
    reply.clearCookie(this.name, this.#attributes())
  }

  #attributes() {
    return { path: '/', httpOnly: true, secure: this.#secure, sameSite: 'lax' } as const
  }
}
