import type { InvitationMail } from '#access/invitation-mail.ts'
import type { Invitations } from '#access/invitations.ts'
import { authorize, roleOf, scopesIn, type Principal } from '#access/principal.ts'
import type { List } from '#contract/common.ts'
import { Failure } from '#contract/failure.ts'
import { contract } from '#contract/index.ts'
import type { Member } from '#contract/members.ts'
import type { Project } from '#contract/projects.ts'
import type { ProjectInfo, Projects } from '#projects/projects.ts'
import type { Keys } from '#access/keys.ts'
import type { Members } from '#access/members.ts'
import type { AuditLog } from '#audit/audit-log.ts'
import type { Repositories } from '#content/repositories.ts'
import type { RepositoryChecks } from '#content/repository-checks.ts'
import type { Deploys } from '#deploying/deploys.ts'
import type { ProjectLifecycle } from '#projects/lifecycle.ts'
import type { Answers } from '#answers/answers.ts'
import type { StorageQuota } from '#usage/storage-quota.ts'
import type { Usage } from '#usage/usage.ts'
import type { Visibility } from '#visibility/visibility.ts'
import type { Router } from '../route.ts'
import { accountOf } from './accounts.ts'

export interface ProjectServices {
  readonly projects: Projects
  readonly lifecycle: ProjectLifecycle
  readonly members: Members
  readonly invitations: Invitations
  readonly invitationMail: InvitationMail
  /** Where an invitation is accepted; with the code, for nobody else. */
  readonly invitationUrl: (invitation: { readonly id: string; readonly code: string }) => string
  readonly keys: Keys
  readonly repositories: Repositories
  readonly repositoryChecks: RepositoryChecks
  readonly deploys: Deploys
  readonly usage: Usage
  readonly storage: StorageQuota
  readonly answers: Pick<Answers, 'today'>
  readonly audit: AuditLog
  readonly visibility: Visibility
  readonly siteUrl: (projectId: string) => string
  readonly cloneUrl: (projectId: string) => string
}

/** Projects, and what belongs to one: members and keys, what is used of the plan, who did what. */
export function projectRoutes(router: Router, services: ProjectServices): void {
  lifecycleRoutes(router, services)
  memberRoutes(router, services)
  invitationRoutes(router, services)
  keyRoutes(router, services)
  router.route(contract.usage.read, async ({ project: { id, owner } }) => {
    const measured = services.storage.read(owner, id).catch((error: unknown) => {
      if (error instanceof Failure) return undefined
      throw error
    })
    const reads = [services.usage.read(id), services.answers.today(id), measured] as const
    const [usage, today, storage] = await Promise.all(reads)
    const answers = today === undefined ? usage.answers : { ...usage.answers, today }
    return { ...usage, answers, ...(storage === undefined ? {} : { storage }) }
  })
  router.route(contract.usage.history, async ({ projectId, query: { months = 12 } }) => ({
    items: await services.usage.history(projectId, months),
  }))
  router.route(contract.audit.list, ({ projectId, query }) => services.audit.list(projectId, query))
}

function lifecycleRoutes(router: Router, services: ProjectServices): void {
  const { projects, lifecycle, repositories, deploys, visibility, siteUrl, cloneUrl } = services
  const present = async (project: ProjectInfo, caller: Principal): Promise<Project> => {
    const { id, slug, title, plan, createdAt, onError, suspended } = project
    const [live, latest] = await Promise.all([deploys.live(id), deploys.latest(id)])
    const role = caller?.kind === 'account' ? roleOf(caller.account.id, project) : null
    const part = role === null ? {} : { role }
    const scopes = [...scopesIn(caller, project)]
    const privateSince = visibility.privateSince(id)
    const shown = { slug, title, url: siteUrl(id), plan, cloneUrl: cloneUrl(id), createdAt, onError, ...part, scopes }
    return {
      ...shown,
      ...(suspended === undefined ? {} : { suspended }),
      ...(privateSince === undefined ? {} : { privateSince }),
      ...(live === null ? {} : { live }),
      ...(latest === null ? {} : { latest }),
    }
  }

  router.route(contract.projects.create, async (call) => {
    const { slug, title } = call.body
    const project = await lifecycle.create(accountOf(call).id, { slug, ...(title === undefined ? {} : { title }) })
    call.request.audit = { projectIds: [project.id], target: slug }
    return present(project, call.request.caller)
  })
  router.route(contract.projects.list, async ({ request, query }): Promise<List<Project>> => {
    if (request.caller?.kind === 'key')
      return { items: [await present(await projects.read(request.caller.project), request.caller)] }
    const page = await projects.list(accountOf({ request }).id, query)
    return { ...page, items: await Promise.all(page.items.map((project) => present(project, request.caller))) }
  })
  router.route(contract.projects.read, ({ project, request }) => present(project, request.caller))
  router.route(contract.projects.update, async ({ projectId, body, request }) => {
    const { slug, title, onError } = body
    let project = await projects.read(projectId)
    const details: string[] = []
    if (slug !== undefined && slug !== project.slug) {
      details.push(`${project.slug} is ${slug} now`)
      project = await lifecycle.rename(projectId, slug)
    }
    if (title !== undefined) {
      details.push(title)
      project = await projects.setTitle(projectId, title)
    }
    if (onError !== undefined) {
      details.push(`onError: ${onError}`)
      project = await projects.setOnError(projectId, onError)
    }
    request.audit = { detail: details.join('; ') }
    return present(project, request.caller)
  })
  router.route(contract.projects.fsck, async ({ projectId, gone }) => {
    const repository = await repositories.open(projectId)
    return { problems: [...(await services.repositoryChecks.run(repository, gone))] }
  })
  router.route(contract.projects.remove, async ({ projectId }) => {
    await lifecycle.remove(projectId)
    return undefined
  })
}

function memberRoutes(router: Router, { members }: ProjectServices): void {
  router.route(contract.members.list, async ({ project, request }) => {
    const { caller } = request
    const all = authorize(caller, 'admin', project) === 'ok'
    const me = caller?.kind === 'account' ? caller.account.id : undefined
    const items = await members.list(project.id)
    return { items: items.map(({ email, ...member }) => (all || member.id === me ? { ...member, email } : member)) }
  })
  router.route(contract.members.remove, async ({ projectId, query, request }) => {
    const all = await members.list(projectId)
    const gone = all.find(({ id }) => id === query.id)
    if (gone !== undefined && !mayRemove(request.caller, gone, all)) {
      throw new Failure('forbidden', 'Only the owner of the project may remove others.', {
        hint: 'You may remove yourself.',
      })
    }
    await members.remove(projectId, query.id)
    if (gone !== undefined) request.audit = { target: gone.email }
    return undefined
  })
}

/** Owners and keys that administer remove anybody; a writer leaves. */
function mayRemove(caller: Principal, gone: Member, all: readonly Member[]): boolean {
  if (caller === null) return false
  if (caller.kind === 'key') return caller.key.scopes.includes('admin')
  const { id } = caller.account
  return id === gone.id || all.some((member) => member.id === id && member.role === 'owner')
}

function invitationRoutes(
  router: Router,
  { invitations, invitationMail, projects, invitationUrl }: ProjectServices,
): void {
  const endpoints = contract.invitations
  router.route(endpoints.create, async ({ project, body: { email, role = 'writer' }, request }) => {
    if (role === 'owner' && request.caller?.kind !== 'account') {
      throw new Failure('forbidden', 'An API key cannot give a project away.', { hint: 'Sign in as its owner.' })
    }
    const created = await invitations.create(project.id, { email, role })
    request.audit = { target: created.email, detail: role }
    const url = invitationUrl(created)
    const inviter = request.caller?.kind === 'account' ? request.caller.account.id : undefined
    const letter = { ...created, url, slug: project.slug }
    return { ...created, url, mailed: await invitationMail.send(letter, { owner: project.owner, inviter }) }
  })
  router.route(endpoints.list, async ({ projectId }) => ({ items: await invitations.list(projectId) }))
  router.route(endpoints.revoke, async ({ projectId, query, request }) => {
    const { email, role } = await invitations.revoke(projectId, query.id)
    request.audit = { target: email, detail: role }
    return undefined
  })
  router.route(endpoints.received, async (call) => ({ items: await invitations.received(accountOf(call).id) }))
  router.route(endpoints.accept, async (call) => {
    const account = accountOf(call)
    const { projectId, member } = await invitations.accept(account.id, call.params.id, call.body.code)
    call.request.audit = { projectIds: [projectId], target: account.email, detail: `is ${member.role} now` }
    return { project: projects.slugOf(projectId), member }
  })
  router.route(endpoints.decline, async (call) => {
    const account = accountOf(call)
    const projectId = await invitations.decline(account.id, call.params.id)
    call.request.audit = { projectIds: [projectId], target: account.email }
    return undefined
  })
}

function keyRoutes(router: Router, { keys }: ProjectServices): void {
  router.route(contract.keys.create, async ({ projectId, body, request }) => {
    const created = await keys.create(projectId, body)
    request.audit = { target: created.id, detail: `${created.name}: ${created.scopes.join(', ')}` }
    return created
  })
  router.route(contract.keys.list, ({ projectId, query }) => keys.list(projectId, query))
  router.route(contract.keys.rename, async ({ projectId, body, request }) => {
    request.audit = { target: body.id, detail: body.name }
    return keys.rename(projectId, body.id, body.name)
  })
  router.route(contract.keys.revoke, async ({ projectId, query }) => {
    await keys.revoke(projectId, query.id)
    return undefined
  })
}
