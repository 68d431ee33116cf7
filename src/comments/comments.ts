import { randomBytes } from 'node:crypto'
import pLimit from 'p-limit'
import type { Branches } from '../branching/branches.ts'
import {
  commentLimits,
  type Comment,
  type CommentAnchor,
  type CommentChange,
  type CommentList,
  type NewComment,
} from '../contract/comments.ts'
import { pageItems, type ListQuery } from '../contract/common.ts'
import { Failure } from '../contract/failure.ts'
import { pageOf } from '../lib/pages.ts'
import type { RecordChange, RecordTable, Records, StreamSpec } from '../storage/records.ts'

/** Who writes. */
export interface Commenter {
  readonly kind: 'account' | 'key'
  readonly id: string
  /** Of a key: it is kept. An account is asked for its own each time. */
  readonly name: string
  /** Administers the project. */
  readonly isOwner: boolean
}

export interface CommentKey {
  readonly projectId: string
  /** Id. */
  readonly branch: string
  readonly comment: string
}

interface CommentHead {
  readonly branch: string
  readonly thread: string
}

interface ThreadHead {
  readonly branch: string
  readonly resolved: boolean
}

type Head = CommentHead | ThreadHead

interface CommentBody {
  readonly text: string
  readonly author: { readonly kind: Commenter['kind']; readonly id: string; readonly name?: string }
  readonly createdAt: string
  readonly editedAt?: string
}

type Table = RecordTable<Head, CommentBody | CommentAnchor>

/** The comments of a project: a record each, and one for each thread. One writer at a time. */
interface ProjectComments {
  readonly table: Table
  readonly turn: ReturnType<typeof pLimit>
}

/** What is deleted is erased. */
const stream: StreamSpec<ProjectComments> = {
  name: 'comments',
  open: async (opener) => ({ table: await opener.table({ erases: true }), turn: pLimit(1) }),
  weigh: ({ table }) => table.size * 300,
}

export interface CommentPorts {
  readonly branches: Pick<Branches, 'require' | 'isKnown'>
  readonly records: Pick<Records, 'use' | 'exists'>
  /** Of an account, as members see it; undefined when it was removed. */
  readonly nameOf: (account: string) => Promise<string | undefined>
  readonly now: () => Date
  readonly log: { warn(details: object, message: string): void }
}

/** What people say about the changes of branches. All that name a branch throw `not_found` where there is none. */
export class Comments {
  readonly #ports: CommentPorts
  readonly #pruning = new Set<Promise<void>>()

  constructor(ports: CommentPorts) {
    this.#ports = ports
  }

  /** Newest first. */
  async list(projectId: string, branch: string, query: ListQuery): Promise<CommentList> {
    await this.#ports.branches.require(projectId, branch)
    if (!(await this.#ports.records.exists(projectId, stream.name))) return { items: [], openThreads: 0 }
    return this.#ports.records.use(projectId, stream, async ({ table }) => {
      const ids: string[] = []
      let openThreads = 0
      for (const [id, head] of table.heads()) {
        if (head.branch !== branch) continue
        if ('thread' in head) ids.push(id)
        else if (!head.resolved) openThreads += 1
      }
      const { items: page } = pageOf(ids, query, (id) => id)
      const limit = roomFor(page, table, query.limit ?? pageItems)
      const { items: shown, nextCursor } = pageOf(ids, { ...query, limit }, (id) => id)
      const presenter = new Presenter(table, this.#ports.nameOf)
      const items: Comment[] = []
      for (const id of shown) items.push(...(await presenter.find(id)))
      return { items, openThreads, ...(nextCursor === undefined ? {} : { nextCursor }) }
    })
  }

  /** Throws `not_found` for the thread, `invalid_request` for a place that is none and when there are too many. */
  async create(projectId: string, branch: string, request: NewComment, by: Commenter): Promise<Comment> {
    const anchor = anchorOf(request)
    await this.#ports.branches.require(projectId, branch)
    return this.#inTurn(projectId, async (table) => {
      const gone = this.#leftovers(projectId, table)
      assertRoom(table, branch, new Set(gone))
      const now = this.#ports.now()
      const id = newId('c', now)
      const thread = request.thread ?? newId('t', now)
      if (request.thread !== undefined) requireThread(table, branch, request.thread)
      const { kind, name } = by
      const author = { kind, id: by.id, ...(kind === 'key' ? { name } : {}) }
      await table.write([
        ...deletionsOf(gone),
        ...(request.thread === undefined ? [{ put: thread, head: { branch, resolved: false }, body: anchor }] : []),
        { put: id, head: { branch, thread }, body: { text: request.text, author, createdAt: now.toISOString() } },
      ])
      return this.#present(table, id)
    })
  }

  /** Throws `not_found`, `invalid_request` for no change, and `forbidden` when somebody edits what another one wrote. */
  async update({ projectId, branch, comment }: CommentKey, change: CommentChange, by: Commenter): Promise<Comment> {
    await this.#ports.branches.require(projectId, branch)
    const { text, resolved } = change
    if (text === undefined && resolved === undefined)
      throw new Failure('invalid_request', 'Nothing was to change.', { hint: 'Send `text`, `resolved`, or both.' })
    return this.#inTurn(projectId, async (table) => {
      const head = requireComment(table, branch, comment)
      const changes: RecordChange<Head, CommentBody | CommentAnchor>[] = []
      if (text !== undefined) {
        const body = await bodyOf(table, comment)
        if (!isBy(body, by)) throw new Failure('forbidden', 'Only who wrote a comment may edit it.')
        const editedAt = this.#ports.now().toISOString()
        if (text !== body.text) changes.push({ put: comment, head, body: { ...body, text, editedAt } })
      }
      if (resolved !== undefined && resolved !== isResolved(table, head.thread))
        changes.push({ put: head.thread, head: { branch, resolved } })
      if (changes.length > 0) await table.write(changes)
      return this.#present(table, comment)
    })
  }

  /** For good, with its thread when it was the last there. Throws `not_found`, and `forbidden` for what another one wrote. */
  async remove({ projectId, branch, comment }: CommentKey, by: Commenter): Promise<void> {
    await this.#ports.branches.require(projectId, branch)
    await this.#inTurn(projectId, async (table) => {
      const { thread } = requireComment(table, branch, comment)
      if (!by.isOwner && !isBy(await bodyOf(table, comment), by))
        throw new Failure('forbidden', 'Only who wrote a comment may delete it, or the owner of the project.')
      let answers = 0
      for (const [id, head] of table.heads())
        if ('thread' in head && head.thread === thread && id !== comment) answers++
      await table.write([{ delete: comment }, ...(answers === 0 ? [{ delete: thread }] : [])])
    })
  }

  /** A branch is gone, and so is what was said about it. */
  forget(projectId: string, branch: string): void {
    const pruning = this.#prune(projectId, branch)
      // What is left goes with the next comment of the project.
      .catch((error: unknown) => this.#ports.log.warn({ err: error, projectId, branch }, 'comments could not go'))
      .finally(() => this.#pruning.delete(pruning))
    this.#pruning.add(pruning)
  }

  async close(): Promise<void> {
    await Promise.all(this.#pruning)
  }

  async #prune(projectId: string, branch: string): Promise<void> {
    if (!(await this.#ports.records.exists(projectId, stream.name))) return
    await this.#inTurn(projectId, async (table) => {
      const gone = keysIn(table, (of) => of === branch)
      if (gone.length > 0) await table.write(deletionsOf(gone))
    })
  }

  /** What a crash left of branches that are gone. */
  #leftovers(projectId: string, table: Table): readonly string[] {
    const known = new Map<string, boolean>()
    return keysIn(table, (branch) => {
      const isKnown = known.get(branch) ?? this.#ports.branches.isKnown(projectId, branch)
      known.set(branch, isKnown)
      return !isKnown
    })
  }

  async #present(table: Table, id: string): Promise<Comment> {
    const [comment] = await new Presenter(table, this.#ports.nameOf).find(id)
    if (comment === undefined) throw noComment(id)
    return comment
  }

  #inTurn<R>(projectId: string, work: (table: Table) => Promise<R>): Promise<R> {
    return this.#ports.records.use(projectId, stream, ({ table, turn }) => turn(() => work(table)))
  }
}

/** Comments as they are answered with; places and names are asked for once. */
class Presenter {
  readonly #table: Table
  readonly #nameOf: CommentPorts['nameOf']
  readonly #anchors = new Map<string, Promise<CommentAnchor>>()
  readonly #names = new Map<string, Promise<string | undefined>>()

  constructor(table: Table, nameOf: CommentPorts['nameOf']) {
    this.#table = table
    this.#nameOf = nameOf
  }

  /** None when it is gone meanwhile. */
  async find(id: string): Promise<readonly Comment[]> {
    const found = await this.#table.read(id)
    if (found === undefined || !('thread' in found.head)) return []
    const { thread } = found.head
    const { text, author, createdAt, editedAt } = found.body as CommentBody
    const name = author.kind === 'key' ? author.name : await once(this.#names, author.id, this.#nameOf)
    const anchor = await once(
      this.#anchors,
      thread,
      async () => ((await this.#table.read(thread))?.body ?? {}) as CommentAnchor,
    )
    const resolved = isResolved(this.#table, thread)
    return [
      {
        id,
        thread,
        ...anchor,
        text,
        author: { kind: author.kind, id: author.id, ...(name === undefined ? {} : { name }) },
        resolved,
        createdAt,
        ...(editedAt === undefined ? {} : { editedAt }),
      },
    ]
  }
}

function once<T>(known: Map<string, Promise<T>>, key: string, ask: (key: string) => Promise<T>): Promise<T> {
  const answer = known.get(key) ?? ask(key)
  known.set(key, answer)
  return answer
}

/** An id that sorts by time. */
function newId(kind: 'c' | 't', now: Date): string {
  return `${kind}${now.getTime().toString(36).padStart(10, '0')}${randomBytes(6).toString('hex')}`
}

function anchorOf({ thread, path, line }: NewComment): CommentAnchor {
  if (thread !== undefined && (path !== undefined || line !== undefined))
    throw new Failure('invalid_request', 'An answer stands where its thread does: send `thread`, or a place.', {
      errors: [{ pointer: '/thread', message: 'has a place already' }],
    })
  if (line !== undefined && path === undefined)
    throw new Failure('invalid_request', 'A line is one of a file: send its `path`, too.', {
      errors: [{ pointer: '/path', message: 'is missing' }],
    })
  return { ...(path === undefined ? {} : { path }), ...(line === undefined ? {} : { line }) }
}

/** @param leaving records that go in the same write */
function assertRoom(table: Table, branch: string, leaving: ReadonlySet<string>): void {
  let ofBranch = 0
  let all = 0
  for (const [id, head] of table.heads()) {
    if (!('thread' in head) || leaving.has(id)) continue
    all += 1
    if (head.branch === branch) ofBranch += 1
  }
  const isFull = ofBranch >= commentLimits.ofBranch
  if (!isFull && all < commentLimits.ofProject) return
  const [whose, count] = isFull ? ['branch', ofBranch] : ['project', all]
  throw new Failure('invalid_request', `The ${whose} has ${count} comments, which is the most.`, {
    hint: 'Delete comments that have done their work, or publish or delete branches: their comments go with them.',
  })
}

/** How many of the newest fit into one answer: at least one. */
function roomFor(ids: readonly string[], table: Table, limit: number): number {
  let bytes = 0
  const fit = ids.findIndex((id) => {
    const head = table.head(id)
    // The place of its thread comes with each.
    bytes += table.bodyBytes(id) + (head !== undefined && 'thread' in head ? table.bodyBytes(head.thread) : 0)
    return bytes > commentLimits.listBytes
  })
  return fit === -1 ? limit : Math.max(1, fit)
}

function keysIn(table: Table, isOf: (branch: string) => boolean): readonly string[] {
  return [...table.heads()].filter(([, head]) => isOf(head.branch)).map(([id]) => id)
}

function deletionsOf(keys: readonly string[]): { readonly delete: string }[] {
  return keys.map((key) => ({ delete: key }))
}

function requireComment(table: Table, branch: string, id: string): CommentHead {
  const head = table.head(id)
  if (head === undefined || !('thread' in head) || head.branch !== branch) throw noComment(id)
  return head
}

function requireThread(table: Table, branch: string, id: string): void {
  const head = table.head(id)
  if (head === undefined || 'thread' in head || head.branch !== branch)
    throw new Failure('not_found', 'The thread is not there any more: all of its comments were deleted.', {
      hint: 'Leave `thread` out to begin a new one.',
    })
}

async function bodyOf(table: Table, id: string): Promise<CommentBody> {
  const found = await table.read(id)
  if (found?.body === undefined) throw noComment(id)
  return found.body as CommentBody
}

function isResolved(table: Table, thread: string): boolean {
  const head = table.head(thread)
  return head !== undefined && 'resolved' in head && head.resolved
}

function isBy({ author }: CommentBody, { kind, id }: Commenter): boolean {
  return author.kind === kind && author.id === id
}

function noComment(id: string): Failure {
  return new Failure('not_found', `The branch has no comment ${id.replace(/\P{ASCII}|\p{Cc}/gu, '?')}.`)
}
