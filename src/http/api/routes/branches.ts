import type { FastifyRequest } from 'fastify'
import type { Precondition, Save, Saved } from '#branching/saves.ts'
import { decodeContent, refusals } from '#content/changes/sent-content.ts'
import type { SavedFile } from '#contract/branches.ts'
import type { Encoding } from '#contract/common.ts'
import { Failure } from '#contract/failure.ts'
import { contract } from '#contract/index.ts'
import { conditionOf, isUnchanged } from '../conditional.ts'
import { answerDeploy, requestAuthor, triggerOf } from './deploys.ts'
import { projectIdOf, type Router } from '../route.ts'
import type { Branches } from '#branching/branches.ts'

export interface BranchServices {
  readonly branches: Branches
}

/** Branches, their files, and main's. */
export function branchRoutes(router: Router, { branches }: BranchServices): void {
  listingRoutes(router, branches)
  sentRoutes(router, branches)
  fileRoutes(router, branches)
}

function listingRoutes(router: Router, branches: Branches): void {
  const endpoints = contract.branches
  router.route(endpoints.create, async ({ projectId, body, request }) => {
    const { name, from } = body
    const author = requestAuthor(request)
    request.audit = { detail: name }
    return branches.create(projectId, { name, author, ...(from === undefined ? {} : { from }) })
  })
  router.route(endpoints.list, ({ projectId, query }) => branches.list(projectId, query))
  router.route(endpoints.read, ({ projectId, params }) => branches.read(projectId, params.id))
  router.route(endpoints.remove, async ({ projectId, query, request }) => {
    noteBranch(branches, query.id, request)
    await branches.remove(projectId, query.id)
    return undefined
  })
  router.route(endpoints.diff, ({ projectId, params, query }) => branches.diff(projectId, params.id, query))
  router.route(endpoints.history, ({ projectId, params, query }) => branches.history(projectId, params.id, query))
  router.route(endpoints.update, ({ params, body, request }) =>
    branches.update({ ...saveOf(branches, params, request), resolutions: body.resolutions }),
  )
  router.route(endpoints.publish, async ({ body, request, reply, gone }) => {
    const { branchId: id, resolutions, message } = body
    if (id !== undefined) noteBranch(branches, id, request)
    const what = { resolutions, ...(id === undefined ? {} : { id }) }
    const trigger = { ...triggerOf(request, message), signal: gone }
    return answerDeploy(await branches.publish(trigger, what), request, reply)
  })
}

function sentRoutes(router: Router, branches: Branches): void {
  router.route(contract.previews.create, async ({ projectId, body, request, reply }) => {
    const { branch: name, ...sent } = body
    request.audit = { detail: name }
    const { branch, isNew } = await branches.send(projectId, { ...sent, name, author: requestAuthor(request) })
    if (isNew) void reply.code(201)
    return branch
  })
  router.route(contract.previews.remove, async ({ projectId, query, request }) => {
    const { branch: name, expectedHead } = query
    request.audit = { target: name, detail: name }
    await branches.closeSent(projectId, { name, expectedHead })
    return undefined
  })
}

function fileRoutes(router: Router, branches: Branches): void {
  const endpoints = contract.branches
  const { contents, saves } = branches
  router.route(contract.files.list, ({ projectId }) => contents.mainFiles(projectId))
  router.route(contract.files.read, async ({ projectId, params: { path }, query, request, reply }) => {
    const file = await contents.mainFile(projectId, { path, ...query })
    return isUnchanged(request, reply, file.oid) ? reply.code(304).send() : file
  })
  router.route(contract.files.history, ({ projectId, query }) => contents.mainHistory(projectId, query))
  router.route(contract.files.diff, ({ projectId, query }) => contents.mainDiff(projectId, query))
  router.route(contract.files.search, ({ projectId, query, gone }) => contents.searchMain(projectId, query, gone))
  router.route(endpoints.files, ({ projectId, params }) => contents.files(projectId, params.id))
  router.route(endpoints.readFile, async ({ projectId, params: { id, path }, query, request, reply }) => {
    const file = await contents.file(projectId, id, { path, ...query })
    return isUnchanged(request, reply, file.oid) ? reply.code(304).send() : file
  })
  router.route(endpoints.search, ({ projectId, params, query, gone }) =>
    contents.search(projectId, params.id, query, gone),
  )
  router.route(endpoints.check, ({ projectId, params, body, gone }) =>
    branches.checkSent(projectId, params.id, body.changes, gone),
  )
  router.route(endpoints.render, async ({ projectId, params, body, gone }) => {
    const page = { ...body, content: bytesOf(body.path, { content: body.content }) }
    return branches.render(projectId, params.id, page, gone)
  })
  router.route(endpoints.saveFile, async ({ params, body, request, reply }) => {
    const { path } = params
    const condition = conditionOf(request)
    const precondition: Precondition = condition.kind === 'none' ? { kind: 'harmless' } : condition
    const bytes = bytesOf(path, body)
    const saved = await saves.file(saveOf(branches, params, request, body.message), { path, bytes }, precondition)
    const file = savedFile(saved)
    void reply.header('etag', `"${file.oid}"`)
    if (saved.created) void reply.code(201)
    return file
  })
  router.route(endpoints.removeFile, async ({ params, request }) => {
    const condition = conditionOf(request)
    if (condition.kind === 'absent') throw new Failure('invalid_request', 'What is not there cannot be deleted.')
    const precondition: Precondition = condition.kind === 'none' ? { kind: 'harmless' } : condition
    return savedFile(await saves.remove(saveOf(branches, params, request), params.path, precondition))
  })
  router.route(endpoints.commit, async ({ params, body, request }) => {
    const { commit, files } = await saves.commit(saveOf(branches, params, request, body.message), body.changes)
    return { commit, files: files.map((file) => ({ ...file })) }
  })
  router.route(endpoints.restore, async ({ params, body, request }) => {
    const save = saveOf(branches, params, request)
    request.audit = { ...request.audit, target: `${params.id} ${body.path}` }
    return savedFile(await saves.restore(save, body.path, body.expectedOid))
  })
}

function saveOf(branches: Branches, params: { readonly id: string }, request: FastifyRequest, message?: string): Save {
  noteBranch(branches, params.id, request)
  return { projectId: projectIdOf(request), id: params.id, author: requestAuthor(request), message }
}

/** The audit log tells its name, too: the id says nothing when the branch is gone. */
function noteBranch(branches: Branches, id: string, request: FastifyRequest): void {
  const name = branches.nameOf(projectIdOf(request), id)
  if (name !== undefined) request.audit = { detail: name }
}

function savedFile({ commit, files }: Saved): SavedFile {
  const [file] = files
  if (file === undefined) throw new Error('a save of one file saved none')
  return { ...file, commit }
}

function bytesOf(
  path: string,
  { content, encoding }: { readonly content: string; readonly encoding?: Encoding },
): Buffer {
  const bytes = decodeContent(encoding === undefined ? { content } : { content, encoding })
  if (typeof bytes !== 'string') return bytes
  const message = refusals[bytes]
  const code = bytes === 'size' ? 'file_too_large' : 'invalid_request'
  throw new Failure(code, `${path}: ${message}`, { errors: [{ pointer: '/content', path, message }] })
}
