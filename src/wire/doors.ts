import type { FastifyInstance, FastifyRequest } from 'fastify'
import { authorize, type Authenticator } from '../access/principal.ts'
import type { Sessions } from '../access/sessions.ts'
import type { Branches } from '../branching/branches.ts'
import type { Config } from '../config.ts'
import type { Domains } from '../domains/domains.ts'
import type { RateLimiter } from '../http/auth/rate-limiter.ts'
import { SessionCookie } from '../http/auth/session-cookie.ts'
import { siteAccessRoutes, type SitePlace } from '../http/pages/site-access.ts'
import { enteringRoutes } from '../http/sites/entering.ts'
import { hostDecider } from '../http/sites/hosts.ts'
import { enterPath, PrivateSites } from '../http/sites/private.ts'
import type { Projects } from '../projects/projects.ts'
import { loadTheme } from '../site/theme/assets.ts'
import { EntryCodes } from '../visibility/entry-codes.ts'
import type { Visibility } from '../visibility/visibility.ts'
import type { addressesOf } from './projects.ts'
import { parseUrl } from '../lib/parse-url.ts'

interface DoorParts {
  readonly visibility: Visibility
  readonly addresses: ReturnType<typeof addressesOf>
  readonly projects: Projects
  readonly branches: Branches
  readonly domains: Domains
  readonly authenticator: Authenticator
  readonly sessions: Sessions
  readonly now: () => Date
}

/** What stands before private sites, and the ways in. */
export function openDoors(config: Config, parts: DoorParts) {
  const { visibility, addresses, projects, domains, authenticator, now } = parts
  const { publicUrl } = config
  const codes = new EntryCodes(now)
  const cookie = new SessionCookie(publicUrl.startsWith('https:'))
  const theme = loadTheme().files
  const originOf = ({ name }: { readonly name: string }): string =>
    name.includes('.') ? domains.urlOf(name) : addresses.labelUrl(name)
  const may = async (token: string, kind: 'key' | 'account', projectId: string): Promise<boolean> => {
    const caller = await authenticator.identify(token)
    const project = caller?.kind === kind ? await projects.find(projectId) : null
    return project !== null && authorize(caller, 'read', project) === 'ok'
  }
  const sites = new PrivateSites({
    visibility,
    isKey: (token, projectId) => may(token, 'key', projectId),
    isThemeFile: (path) => theme.has(path),
    originOf,
    publicUrl,
  })
  return {
    sites,
    shareUrl: (projectId: string, token: string): string =>
      `${addresses.canonicalUrl(projectId)}${enterPath}?share=${token}`,
    /** Whether a request to the service’s host comes from a member who is signed in. */
    isMember: async (request: FastifyRequest, projectId: string): Promise<boolean> => {
      const token = cookie.read(request)
      return token !== null && (await may(token, 'account', projectId))
    },
    routes: async (app: FastifyInstance, limiter: RateLimiter): Promise<void> => {
      await enteringRoutes(app, { sites, visibility, codes, originOf, limiter, now })
      siteAccessRoutes(app, {
        ...parts,
        codes,
        cookie,
        limiter,
        placeOf: placeFinder(config, { ...parts, originOf }),
        entryUrl: ({ origin, path }, code) => `${origin}${enterPath}?code=${code}&path=${encodeURIComponent(path)}`,
      })
    },
  }
}

interface PlaceParts {
  readonly projects: Pick<Projects, 'resolve'>
  readonly branches: Pick<Branches, 'atLabel'>
  readonly domains: Pick<Domains, 'projectAt' | 'primaryOf'>
  /** Origin of a label, or of a domain of a project’s. */
  readonly originOf: (site: { readonly name: string }) => string
}

/** Finds the place on a site that an address is of, by its host as requests are; see `SiteAccessOptions.placeOf`. */
function placeFinder(
  { publicUrl, previewDomain }: Pick<Config, 'publicUrl' | 'previewDomain'>,
  { projects, branches, domains, originOf }: PlaceParts,
): (url: string, isDocument: boolean) => SitePlace | null {
  const decide = hostDecider({ publicUrl, previewDomain })
  const find = (host: string): { readonly project: string; readonly name: string; readonly isLive: boolean } | null => {
    const decision = decide({ rawHeaders: ['Host', host], url: '/', httpVersion: '1.1' })
    if (decision.kind === 'site') {
      const { label } = decision
      const named = projects.resolve(label)
      if (named !== null) return { project: named.id, name: named.movedTo ?? label, isLive: true }
      const preview = branches.atLabel(label)
      return preview === undefined ? null : { project: preview.projectId, name: label, isLive: false }
    }
    const name = decision.kind === 'unknown' ? decision.domain : undefined
    const project = name === undefined ? undefined : domains.projectAt(name)
    return name === undefined || project === undefined ? null : { project, name, isLive: true }
  }
  return (text, isDocument) => {
    const url = parseUrl(text)
    if (url === undefined) return null
    const { protocol, host, pathname, search, hash } = url
    if (protocol !== 'https:' && protocol !== 'http:') return null
    const found = find(host)
    if (found === null) return null
    const { project, isLive } = found
    // Documents are led there anyway, where no other host’s grant is known.
    const name = (isLive && isDocument ? domains.primaryOf(project) : undefined) ?? found.name
    return { project, name, origin: originOf({ name }), path: pathname + search + hash }
  }
}
