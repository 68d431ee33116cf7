import type { FastifyRequest } from 'fastify'
import { scopesIn } from '#access/principal.ts'
import { nameOf } from '#access/members.ts'
import type { Branches } from '#branching/branches.ts'
import type { Commenter, CommentKey, Comments } from '#comments/comments.ts'
import { contract } from '#contract/index.ts'
import type { ProjectInfo } from '#projects/projects.ts'
import type { Router } from '../route.ts'

export interface CommentServices {
  readonly comments: Comments
  readonly branches: Branches
}

/** Comments on the changes of branches. */
export function commentRoutes(router: Router, { comments, branches }: CommentServices): void {
  /** Branch, comment, what became of it; and the branch’s name: the id says nothing when it is gone. No words of people. */
  const note = (request: FastifyRequest, { projectId, branch, comment }: CommentKey, what = ''): void => {
    const name = branches.nameOf(projectId, branch)
    const target = `${branch} ${comment} ${what}`.trimEnd()
    request.audit = { target, ...(name === undefined ? {} : { detail: name }) }
  }

  const endpoints = contract.comments
  router.route(endpoints.list, ({ projectId, params, query }) => comments.list(projectId, params.id, query))
  router.route(endpoints.create, async ({ project, projectId, params, body, request }) => {
    const made = await comments.create(projectId, params.id, body, commenterOf(request, project))
    note(request, { projectId, branch: params.id, comment: made.id }, body.thread === undefined ? '' : 'answered')
    return made
  })
  router.route(endpoints.update, async ({ project, projectId, params, body, request }) => {
    const key = { projectId, branch: params.id, comment: params.comment }
    note(request, key, body.resolved === undefined ? 'edited' : body.resolved ? 'resolved' : 'reopened')
    return comments.update(key, body, commenterOf(request, project))
  })
  router.route(endpoints.remove, async ({ project, projectId, params, request }) => {
    const key = { projectId, branch: params.id, comment: params.comment }
    note(request, key)
    await comments.remove(key, commenterOf(request, project))
    return undefined
  })
}

function commenterOf({ caller, url }: FastifyRequest, project: ProjectInfo): Commenter {
  if (caller === null) throw new Error(`${url} has no caller`)
  const isOwner = scopesIn(caller, project).includes('admin')
  if (caller.kind === 'key') return { kind: 'key', id: caller.key.id, name: caller.key.name, isOwner }
  return { kind: 'account', id: caller.account.id, name: nameOf(caller.account.email), isOwner }
}
