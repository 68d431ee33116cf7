import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { roleOf, type Authenticator } from '../../access/principal.ts'
import type { Sessions } from '../../access/sessions.ts'
import { siteAccessPath } from '../../contract/site-access.ts'
import type { Projects } from '../../projects/projects.ts'
import type { EntryCodes } from '../../visibility/entry-codes.ts'
import type { Visibility } from '../../visibility/visibility.ts'
import type { RateLimiter } from '../auth/rate-limiter.ts'
import type { SessionCookie } from '../auth/session-cookie.ts'
import { noticePage, ownPagePolicy } from '../sites/notice.tsx'

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

const strangersPage = noticePage({
  title: 'There is no such site, or you are not a member of it',
  text: 'Ask its owner to invite you, or for a share link. Perhaps you are signed in with another account.',
  link: { href: '/dashboard/account', label: 'Your account' },
})

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
      const page = reply.code(404).header('content-security-policy', ownPagePolicy)
      return page.type('text/html; charset=utf-8').send(strangersPage)
    }
    if (!visibility.isPrivate(project.id)) return reply.redirect(place.origin + place.path, 303)
    const grant = { kind: 'member', account: caller.account.id, session: sessions.idOf(caller.token) } as const
    const code = codes.mint({ project: place.project, name: place.name, grant })
    return reply.redirect(entryUrl(place, code), 303)
  }
  app.get(siteAccessPath, answer)
}
