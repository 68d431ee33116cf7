import { blobOid } from '../contract/blob-oid.ts'
import { decodeContent, refusals, type ContentRefusal } from '../content/changes/sent-content.ts'
import { missingObjects } from '../content/changes/new-commits.ts'
import { checkPaths } from '../content/paths.ts'
import type { NewFile, Oid, Repository, Tree } from '../content/repository.ts'
import type { ErrorDetail } from '../contract/common.ts'
import type { DeployFile, ObjectsRequest } from '../contract/deploys.ts'
import { Failure } from '../contract/failure.ts'
import { limits } from '../contract/limits.ts'
import { nextTurn, isTurnOver } from '../lib/slices.ts'

/** More mistakes than this are not listed: the request is wrong as a whole. */
const maxErrors = 100

/** Bytes that a project may send ahead of deploys in a day: many times a whole site. */
export const maxSentAhead = 512 * 1024 * 1024
/** What an object takes at least, however small: a block of the disk. */
const leastBytes = 4096
const hour = 60 * 60_000
/** Sent content is counted by the hour, and forgotten after a day. */
const hours = 24

export interface ReceivedFiles {
  readonly files: readonly NewFile[]
  /** Blob id of every file. */
  readonly oids: ReadonlyMap<string, Oid>
  /** Content that came with the request, by blob id. */
  readonly contents: ReadonlyMap<Oid, Buffer>
}

/**
 * Decodes the files of a deploy request. Failures: `invalid_request` for files without or with two sources of content
 * and for content that does not decode, `file_too_large`, `invalid_path` for a path that comes twice.
 */
export async function receiveFiles(sent: readonly DeployFile[]): Promise<ReceivedFiles> {
  const problems = new Problems()
  const files: NewFile[] = []
  const ids: Oid[] = []
  const contents = new Map<Oid, Buffer>()
  const first = new Map<string, number>()
  for (const [index, { path, content, encoding, oid }] of sent.entries()) {
    if (isTurnOver()) await nextTurn()
    const before = first.get(path)
    if (before !== undefined) {
      problems.add('invalid_path', {
        pointer: `/files/${index}/path`,
        path,
        message: `The path came before, as file ${before} of the request.`,
      })
      continue
    }
    first.set(path, index)
    if ((content === undefined) === (oid === undefined)) {
      const message =
        content === undefined
          ? 'The file has neither content nor oid.'
          : 'The file has both content and oid: send one of them.'
      problems.add('invalid_request', { pointer: `/files/${index}`, path, message })
    } else if (oid !== undefined) {
      files.push({ path, oid })
      ids.push(oid)
    } else if (content !== undefined) {
      const decoded = decodeContent(encoding === undefined ? { content } : { content, encoding })
      if (typeof decoded === 'string') problems.refuse(decoded, `/files/${index}/content`, path)
      else {
        const id = blobOid(decoded)
        files.push({ path, content: decoded })
        ids.push(id)
        contents.set(id, decoded)
      }
    }
  }
  problems.throwIfAny()
  return { files, oids: new Map(files.map((file, index) => [file.path, ids[index] ?? ''])), contents }
}

/**
 * The files under checked, normalised paths. Throws `invalid_path`.
 *
 * @param tree Files of main: paths that stand there together have been checked together, and so has any part of them.
 */
export async function withCheckedPaths(received: ReceivedFiles, tree: Tree | null): Promise<ReceivedFiles> {
  if (tree !== null && received.files.every(({ path }) => tree.has(path))) return received
  const paths = await checkPaths(received.files.map((file) => file.path))
  const files = received.files.map((file, index) => ({ ...file, path: paths[index] ?? file.path }))
  const ids = [...received.oids.values()]
  return { ...received, files, oids: new Map(files.map((file, index) => [file.path, ids[index] ?? ''])) }
}

/** Files that are given by id alone must be there. @throws Failure `missing_objects` */
export async function requireContent(
  repository: Repository,
  tree: Tree | null,
  { oids, contents }: Pick<ReceivedFiles, 'oids' | 'contents'>,
): Promise<void> {
  const kept = new Set<Oid>()
  for (const { oid } of tree?.values() ?? []) kept.add(oid)
  const named = new Set<Oid>()
  for (const oid of oids.values()) if (!kept.has(oid) && !contents.has(oid)) named.add(oid)
  if (named.size === 0) return
  for (const oid of (await repository.blobSizes([...named])).keys()) named.delete(oid)
  if (named.size > 0) throw missingObjects(oids, named)
}

/** Whether a tree holds these files and no others. */
export function sameFiles(tree: Tree, oids: ReadonlyMap<string, Oid>): boolean {
  if (tree.size !== oids.size) return false
  for (const [path, oid] of oids) if (tree.get(path)?.oid !== oid) return false
  return true
}

/** Decodes content that is sent ahead of a deploy. Failures: `invalid_request`, `file_too_large`. */
export async function receiveObjects(objects: ObjectsRequest['objects']): Promise<readonly Buffer[]> {
  const problems = new Problems()
  const contents: Buffer[] = []
  for (const [index, object] of objects.entries()) {
    if (isTurnOver()) await nextTurn()
    const decoded = decodeContent(object)
    if (typeof decoded === 'string') problems.refuse(decoded, `/objects/${index}/content`)
    else contents.push(decoded)
  }
  problems.throwIfAny()
  return contents
}

type ProblemCode = 'invalid_request' | 'file_too_large' | 'invalid_path'

/** All mistakes of one request; the gravest kind is reported, so that one answer has one code. */
class Problems {
  readonly #found = new Map<ProblemCode, ErrorDetail[]>()

  add(code: ProblemCode, detail: ErrorDetail): void {
    const details = this.#found.get(code) ?? []
    if (details.length < maxErrors) details.push(detail)
    this.#found.set(code, details)
  }

  refuse(refusal: ContentRefusal, pointer: string, path?: string): void {
    const detail = { pointer, message: refusals[refusal], ...(path === undefined ? {} : { path }) }
    this.add(refusal === 'size' ? 'file_too_large' : 'invalid_request', detail)
  }

  throwIfAny(): void {
    for (const code of ['invalid_request', 'invalid_path', 'file_too_large'] as const) {
      const errors = this.#found.get(code)
      if (errors !== undefined) throw new Failure(code, summaryOf(code, errors), { errors })
    }
  }
}

function summaryOf(code: ProblemCode, errors: readonly ErrorDetail[]): string {
  const [first] = errors
  const names = errors.slice(0, 3).map((error) => error.path ?? error.pointer ?? '')
  const which = names.join(', ') + (errors.length > names.length ? ` and ${errors.length - names.length} more` : '')
  if (code === 'file_too_large')
    return `Too large: ${which}. A file may have at most ${limits.fileBytes / 1024 / 1024} MB.`
  if (code === 'invalid_path') return `The request names a path twice: ${which}.`
  return `${which}: ${first?.message ?? ''}`
}

/**
 * Counts the content that projects send ahead. It stays on disk for a day even when no deploy takes it up: without a
 * bound, one key could fill the disk of all. In memory, as a restart forgives little.
 */
export class SentAhead {
  /** Bytes by hour since 1970, by project. */
  readonly #sent = new Map<string, Map<number, number>>()

  /**
   * Counts content that is about to be stored.
   *
   * @returns How to take it back, when it could not be stored.
   * @throws Failure `rate_limited` when the project has sent too much in the last day; then nothing is counted.
   */
  count(projectId: string, contents: readonly Uint8Array[], now: Date): () => void {
    const current = Math.floor(now.getTime() / hour)
    this.#forget(current - hours)
    const bytes = contents.reduce((sum, { byteLength }) => sum + Math.max(byteLength, leastBytes), 0)
    const sent = this.#sent.get(projectId) ?? new Map<number, number>()
    refuseTooMuch(sent, bytes, now)
    this.#sent.set(projectId, sent)
    sent.set(current, (sent.get(current) ?? 0) + bytes)
    return () => sent.set(current, Math.max(0, (sent.get(current) ?? 0) - bytes))
  }

  /** Forgets all that is as old as `last`, an hour since 1970, or older. */
  #forget(last: number): void {
    for (const [projectId, sent] of this.#sent) {
      for (const at of sent.keys()) if (at <= last) sent.delete(at)
      if (sent.size === 0) this.#sent.delete(projectId)
    }
  }
}

function refuseTooMuch(sent: ReadonlyMap<number, number>, bytes: number, now: Date): void {
  let excess = [...sent.values()].reduce((sum, count) => sum + count, bytes) - maxSentAhead
  if (excess <= 0) return
  // The hours leave the day in their order; the last one of them makes room.
  let free = Math.floor(now.getTime() / hour) + hours
  for (const [at, count] of [...sent].sort(([a], [b]) => a - b)) {
    free = at + hours
    excess -= count
    if (excess <= 0) break
  }
  throw new Failure(
    'rate_limited',
    `The project has sent ${maxSentAhead / 1024 / 1024} MB of content ahead of deploys within a day, and may not send more.`,
    {
      hint: 'Send only content that the service lacks: a deploy takes files that it has by their oid.',
      retryAfter: Math.max(1, Math.ceil((free * hour - now.getTime()) / 1000)),
    },
  )
}
