import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { roleOf, type Authenticator } from '../../access/principal.ts'
import type { Sessions } from '../../access/sessions.ts'
import { siteAccessPath } from '../../contract/site-access.ts'
import type { Projects } from '../../projects/projects.ts'
import type { EntryCodes } from '../../visibility/entry-codes.ts'
import type { Visibility } from '../../visibility/visibility.ts'
import type { RateLimiter } from '../auth/rate-limiter.ts'
import type { SessionCookie } from '../auth/session-cookie.ts'

/** An address on a site of a project. */
export interface SitePlace {
  /** Id. */
  readonly project: string
  /** Label or domain of its host. */
  readonly name: string
  readonly origin: string
  /** Path and query. */
  readonly path: string
}

export interface SiteAccessOptions {
  readonly visibility: Pick<Visibility, 'isPrivate'>
  readonly codes: Pick<EntryCodes, 'mint'>
  readonly projects: Pick<Projects, 'find'>
  readonly sessions: Pick<Sessions, 'idOf'>
  readonly authenticator: Pick<Authenticator, 'identify'>
  readonly cookie: SessionCookie
  readonly limiter: Pick<RateLimiter, 'count'>
  /** The place of an address; null where it is on no site of the service. A document may be at another host by now. */
  readonly placeOf: (url: string, isDocument: boolean) => SitePlace | null
  /** Where a member enters with a code. */
  readonly entryUrl: (place: SitePlace, code: string) => string
}

const style =
  ':root{color-scheme:light dark}body{margin:0;min-height:100vh;display:grid;place-content:center;text-align:center;' +
  'padding:0 1.5rem;font:1rem/1.6 system-ui,sans-serif}h1{margin:0;font-size:1.25rem;font-weight:600}' +
  'p{margin:.5rem 0 0;opacity:.75}'
const policy =
  `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; ` +
  "form-action 'none'; frame-ancestors 'none'"

const strangersPage =
  '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>This site is not yours to see</title>' +
  `<meta name="viewport" content="width=device-width, initial-scale=1"><style>${style}</style></head><body><main>` +
  '<h1>There is no such site, or you are not a member of it</h1><p>Ask its owner to invite you, or for a share link. ' +
  'Perhaps you are signed in with another account: <a href="/dashboard/account">Your account</a></p>' +
  '</main></body></html>\n'

/** The way of members into a private site: here they are known, and the site takes a code from here. */
export function siteAccessRoutes(app: FastifyInstance, options: SiteAccessOptions): void {
  const { visibility, codes, projects, sessions, authenticator, cookie, limiter, placeOf, entryUrl } = options

  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    await limiter.count(request, reply, undefined)
    const { to } = request.query as { readonly to?: unknown }
    const isDocument = !/^i?frame$/.test(request.headers['sec-fetch-dest'] ?? '')
    const place = typeof to === 'string' ? placeOf(to, isDocument) : null
    void reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer')
    const token = cookie.read(request)
    const caller = token === null ? null : await authenticator.identify(token)
    if (caller?.kind !== 'account')
      return reply.redirect(`/dashboard/auth/visit?to=${encodeURIComponent(typeof to === 'string' ? to : '')}`, 303)
    const project = place === null ? null : await projects.find(place.project)
    // Else anybody could have readers sent to a site of theirs by an address of the service.
    if (place === null || project === null || roleOf(caller.account.id, project) === null) {
      const page = reply.code(404).header('content-security-policy', policy)
      return page.type('text/html; charset=utf-8').send(strangersPage)
    }
    if (!visibility.isPrivate(project.id)) return reply.redirect(place.origin + place.path, 303)
    const grant = { kind: 'member', account: caller.account.id, session: sessions.idOf(caller.token) } as const
    const code = codes.mint({ project: place.project, name: place.name, grant })
    return reply.redirect(entryUrl(place, code), 303)
  }
  app.get(siteAccessPath, answer)
}
