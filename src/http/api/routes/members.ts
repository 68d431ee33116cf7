import type { Member } from '../../../contract/members.ts'
import { Failure } from '../../../contract/failure.ts'
import { contract } from '../../../contract/index.ts'
import type { Principal } from '../../../access/principal.ts'
import type { Router } from '../route.ts'
import type { Services } from '../../services.ts'

export function memberRoutes(router: Router, { members }: Services): void {
  router.route(contract.members.list, async ({ project }) => ({ items: await members.list(project) }))
  router.route(contract.members.add, async ({ project, body, request }) => {
    const member = await members.add(project, body.email)
    request.audit = { target: member.email }
    return member
  })
  router.route(contract.members.update, async ({ project, body, request }) => {
    const { email } = await members.read(project, body.id)
    if (request.caller?.kind !== 'account') {
      throw new Failure('forbidden', 'An API key cannot give a project away.', { hint: 'Sign in as its owner.' })
    }
    request.audit = { target: email, detail: 'is the owner now' }
    return members.transfer(project, body.id)
  })
  router.route(contract.members.remove, async ({ project, query, request }) => {
    const all = await members.list(project)
    const gone = all.find(({ id }) => id === query.id)
    if (gone !== undefined && !mayRemove(request.caller, gone, all)) {
      throw new Failure('forbidden', 'Only the owner of the project may remove others.', {
        hint: 'You may remove yourself.',
      })
    }
    await members.remove(project, query.id)
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
