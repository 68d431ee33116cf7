import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addressOfKey } from '../../access/keys.ts'
import { nameOf } from '../../access/members.ts'
import { authorize, demand, type Principal } from '../../access/principal.ts'
import type { Author } from '../../content/repository.ts'
import { isRefusedWhileSuspended, type Endpoint, type EndpointAccess } from '../../contract/endpoint.ts'
import { Failure } from '../../contract/failure.ts'
import { noProject } from '../../projects/document.ts'
import type { ProjectInfo, Projects } from '../../projects/projects.ts'
import type { Visibility } from '../../visibility/visibility.ts'
import type { SessionCookie } from './session-cookie.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the identification at every endpoint that is not public. */
    caller: Principal
    /** The project that the request is about, as the access check found it. */
    project: ProjectInfo | null
    /** On public endpoints that show members more: whether the caller may read the project. */
    isMember: boolean
  }
}

export interface AccessOptions {
  readonly authenticator: { identify(bearer: string): Promise<Principal> }
  readonly projects: Pick<Projects, 'resolve' | 'find' | 'requireActive'>
  readonly visibility: Pick<Visibility, 'isPrivate'>
  /** Whether a request came through the site of a project that is private, and was let in there. */
  readonly isAdmitted: (request: FastifyRequest, projectId: string) => boolean
  readonly cookie: SessionCookie
  /** Origin of the dashboard and the API. */
  readonly origin: string
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * A browser sends the cookie with requests that other sites start. An unsafe one is taken only when the browser says
 * that our own page made it, and only as JSON, which no form can send.
 */
function assertOwnPage(request: FastifyRequest, origin: string): void {
  if (safeMethods.has(request.method)) return
  const site = request.headers['sec-fetch-site']
  const own = site === undefined ? request.headers.origin === origin : site === 'same-origin'
  const json = /^application\/json\b/i.test(request.headers['content-type'] ?? '')
  if (own && json) return
  throw new Failure('forbidden', 'A request with the session’s cookie must come from the dashboard itself, as JSON.', {
    hint: 'Send the token as Authorization: Bearer instead.',
  })
}

function credentialOf(request: FastifyRequest, { cookie, origin }: AccessOptions): string | null {
  const { authorization } = request.headers
  if (authorization !== undefined) {
    const [, token] = /^bearer +([\x21-\x7e]+) *$/i.exec(authorization) ?? []
    if (token !== undefined) return token
    throw new Failure(
      'unauthenticated',
      'The Authorization header must be `Bearer` and an API key or a session’s token.',
    )
  }
  const token = cookie.read(request)
  if (token !== null) assertOwnPage(request, origin)
  return token
}

/** The slug in the path, else the one in the query; null when neither has one and the key’s project is meant. */
function slugOf(request: FastifyRequest, caller: Principal): string | null {
  const { slug } = request.params as { slug?: string }
  const { project } = request.query as { project?: unknown }
  const named = slug ?? (typeof project === 'string' ? project : undefined)
  if (named !== undefined) return named
  if (caller?.kind === 'key') return null
  throw new Failure('invalid_request', 'With a session, name the project: `?project=`.', {
    errors: [{ pointer: '/project', message: 'is missing' }],
  })
}

/** Redirects a request that names a former slug of a project to the same URL with its current slug. */
function redirect(request: FastifyRequest, reply: FastifyReply, slug: string): FastifyReply {
  if (!safeMethods.has(request.method)) {
    throw new Failure('not_found', `The project has another slug now: ${slug}.`, {
      hint: `Use ${slug} in the path; with the old slug only GET requests are sent on.`,
    })
  }
  const url = new URL(request.url, 'http://localhost')
  if (url.searchParams.has('project')) url.searchParams.set('project', slug)
  const path = url.pathname.replace(/^(\/api\/projects\/)[^/]+/, (_, before: string) => before + slug)
  return reply.header('cache-control', 'no-cache').redirect(path + url.search, 301)
}

export function useAccess(app: FastifyInstance): void {
  app.decorateRequest('caller', null)
  app.decorateRequest('project', null)
  app.decorateRequest('isMember', false)
}

/**
 * Finds out who calls an endpoint, as an `onRequest` hook: it runs before the body is read, so a stranger’s upload
 * costs nothing. Throws Failure `unauthenticated` for a credential that is not valid; none at all is `null`.
 */
export function identification({ access, members }: Endpoint, options: AccessOptions) {
  return async (request: FastifyRequest): Promise<void> => {
    if (access === 'public' && members !== true) return
    const credential = credentialOf(request, options)
    if (credential === null) return
    request.caller = await options.authenticator.identify(credential)
    if (request.caller === null)
      throw new Failure('unauthenticated', 'The API key or session is unknown, revoked or expired.')
  }
}

/**
 * Whether the caller may, as an `onRequest` hook after identification, and of which project it is. Whoever has no part in
 * a project cannot tell it from one that does not exist.
 */
export function accessCheck(endpoint: Endpoint, { projects, visibility, isAdmitted }: AccessOptions) {
  const { access, keys, path, forDeploys } = endpoint
  const needsActive = isRefusedWhileSuspended(endpoint)
  /** The scope that a caller must have: one of two where a deploy needs the endpoint. */
  const neededOf = (caller: Principal): EndpointAccess =>
    forDeploys === true && caller?.kind === 'key' && caller.key.scopes.includes('deploy') ? 'deploy' : access
  const namesProject = path.includes('/:slug')
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const { caller } = request
    const isPublic = access === 'public'
    if (isPublic ? !namesProject : caller === null || access === 'account') {
      if (keys !== true || caller?.kind !== 'key') demand(caller, access)
      return undefined
    }
    const slug = slugOf(request, caller)
    const named = slug === null ? null : projects.resolve(slug)
    const id = slug === null && caller?.kind === 'key' ? caller.project : named?.id
    const project = id === undefined ? null : await projects.find(id)
    if (!isPublic) demand(caller, neededOf(caller), project)
    if (project === null) throw noProject(slug ?? '')
    request.isMember = isPublic && caller !== null && authorize(caller, 'read', project) === 'ok'
    const isHidden = isPublic && !request.isMember && visibility.isPrivate(project.id)
    if (isHidden && !isAdmitted(request, project.id)) throw noProject(slug ?? '')
    if (named !== null && named.movedTo !== null) return redirect(request, reply, named.movedTo)
    if (needsActive && !request.isMember) projects.requireActive(project)
    request.project = project
    return undefined
  }
}

/** Who pays for what a request leads to: the owner of the project, else the account that asks; null for strangers. */
export function payerOf({ project, caller }: FastifyRequest): string | null {
  return project?.owner ?? (caller?.kind === 'account' ? caller.account.id : null)
}

/** Who stands as the author of a commit. Characters that Git’s format gives a meaning to are left out. */
export function authorOf(caller: NonNullable<Principal>): Author {
  if (caller.kind === 'key') return { name: plain(caller.key.name) || 'API key', email: addressOfKey(caller.key.id) }
  const { email } = caller.account
  return { name: plain(nameOf(email)) || 'Quire', email }
}

const plain = (text: string): string => text.replace(/[\p{Cc}\p{Surrogate}\u2028\u2029<>]/gu, ' ').trim()
