import type { Readable } from 'node:stream'
import type { Scope } from '../../contract/endpoint.ts'
import { Failure } from '../../contract/failure.ts'
import { diskRefusal, takesNoChanges } from '../../lib/disk.ts'
import { currentRequestId } from '../../lib/request-id.ts'
import { branchPrefix, mainRef, tagPrefix } from '../refs/ref-names.ts'
import { RefsHalfMoved, type Author, type BareRepository, type Oid } from '../repository.ts'
import { isTip, refuseTogether, type Command, type PushRequest, type Refusals } from './commands.ts'
import type { PushResponse } from './report-status.ts'

/** What a push asks of a branch. `old: null`: it must not exist; `new: null`: delete it. */
export interface BranchPush {
  /** Without `refs/heads/`; it obeys the rules for names. Never `main`. */
  readonly name: string
  readonly old: Oid | null
  readonly new: Oid | null
  /** Who pushes; the commits have authors of their own. */
  readonly author: Author
}

/** What a push asks of main: fast-forward, or the first commit. */
export interface MainPush {
  readonly old: Oid | null
  readonly new: Oid
  readonly author: Author
}

/** What an atomic push asks of branches, tags and main. */
export interface AtomicPush {
  /** Each ref by its full name, once; main is never deleted, and tags do not move. */
  readonly moves: readonly Command[]
  readonly author: Author
}

/** Tags that a push has made. */
export interface TagsPush {
  /** Without `refs/tags/`. */
  readonly names: readonly string[]
  readonly author: Author
}

/**
 * Where a push arrives, one call for each ref, in the client’s order but tags before all others, when its objects are checked and durable in the
 * repository. The implementation moves the ref by compare-and-swap and does what follows from it.
 *
 * `report` prints a line in the developer’s terminal at once. A refusal is a Failure: its message, hint and errors are
 * shown and the ref is reported as rejected. The other refs of the push go on.
 */
export interface PushTarget {
  /** Saves, creates or deletes a branch and builds its preview. A build that fails is reported, and rejects nothing. */
  saveBranch(projectId: string, push: BranchPush, report: (line: string) => void): Promise<void>
  /** Deploys: main moves when the site is built. Failure `build_failed` with the places that are wrong. */
  deployMain(projectId: string, push: MainPush, report: (line: string) => void): Promise<void>
  /**
   * Moves all refs or none, also where the service is killed meanwhile; main among them when its site is built. A Failure
   * that is about one of the refs names it as `extra.ref`; one that does not is about main, where that is among them.
   */
  moveTogether(projectId: string, push: AtomicPush, report: (line: string) => void): Promise<void>
  /** Tags are there that were not, and main has not moved with them: a site that shows them is built anew. Must not throw. */
  followTags(projectId: string, push: TagsPush, report: (line: string) => void): Promise<void>
}

/** A ref that a push has moved. */
export interface MovedRef {
  readonly ref: string
  /** null: the ref was removed. */
  readonly to: string | null
}

/** A push that may begin: its caller is known. */
export interface Push {
  readonly repository: BareRepository
  readonly author: Author
  readonly may: (scope: Scope) => boolean
  /** The body of the request, decoded. */
  readonly input: Readable
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal
  /** Told of bytes of the pack before they are kept; a Failure that it throws refuses the push. */
  readonly onBytes?: (bytes: number) => void
  /** Told of every ref that was moved, before the client is. */
  readonly onMoved: (moved: MovedRef) => Promise<void>
  /** Told of what is the service’s own fault; for the log. */
  readonly onError: (error: unknown) => void
}

/** From here on the push is done, whether somebody waits for the answer or not. @param refusals more are added. */
export async function deliver(
  target: PushTarget,
  push: Push,
  { answer, request }: { readonly answer: PushResponse; readonly request: PushRequest },
  refusals: Refusals,
): Promise<void> {
  answer.keepAlive()
  const wanted = request.commands.filter((command) => !refusals.has(command))
  if (request.atomic) {
    const failure = await moveTogether(target, push, wanted, answer)
    if (failure === null) return followTags(target, push, wanted, answer)
    const blamed = wanted.find(({ ref }) => ref === failure.extra['ref']) ?? wanted.find(({ ref }) => ref === mainRef)
    for (const command of blamed === undefined ? wanted : [blamed]) refusals.set(command, failure)
    return refuseTogether(request, refusals)
  }
  const moved: Command[] = []
  // What is built of main may show a tag that comes with it.
  for (const command of [...wanted.filter(isTag), ...wanted.filter((one) => !isTag(one))]) {
    try {
      await move(target, push, command, (line) => answer.say(line))
    } catch (error) {
      refusals.set(command, failureOf(push, error))
      continue
    }
    moved.push(command)
    // It has moved, whatever comes of the note of it.
    await push.onMoved({ ref: command.ref, to: command.new }).catch(push.onError)
  }
  await followTags(target, push, moved, answer)
}

const isTag = ({ ref }: Command): boolean => ref.startsWith(tagPrefix)

/** After main has moved, too, its site has been built with the tags. */
async function followTags(
  target: PushTarget,
  { repository, author }: Push,
  moved: readonly Command[],
  answer: PushResponse,
): Promise<void> {
  const names = moved
    .filter(isTag)
    .filter(isTip)
    .map(({ ref }) => ref.slice(tagPrefix.length))
  if (names.length === 0 || moved.some(({ ref }) => ref === mainRef)) return
  await target.followTags(repository.projectId, { names, author }, (line) => answer.say(line))
}

/** Returns why nothing has moved. */
async function moveTogether(
  target: PushTarget,
  push: Push,
  moves: readonly Command[],
  answer: PushResponse,
): Promise<Failure | null> {
  const { repository, author } = push
  if (moves.length === 0) return null
  try {
    await target.moveTogether(repository.projectId, { moves, author }, (line) => answer.say(line))
  } catch (error) {
    return failureOf(push, error)
  }
  for (const { ref, new: to } of moves) await push.onMoved({ ref, to }).catch(push.onError)
  return null
}

function move(
  target: PushTarget,
  { repository, author }: Push,
  command: Command,
  report: (line: string) => void,
): Promise<void> {
  const { ref, old, new: value } = command
  if (ref.startsWith(tagPrefix)) return repository.updateRefs([{ ref, old, new: value }])
  if (ref !== mainRef) {
    return target.saveBranch(
      repository.projectId,
      { name: ref.slice(branchPrefix.length), old, new: value, author },
      report,
    )
  }
  if (!isTip(command)) throw new Error('a deletion of main got past the rules')
  return target.deployMain(repository.projectId, { old: command.old, new: command.new, author }, report)
}

/** What the client is told; what is no fault of its goes to the log. */
export function failureOf(push: Push, error: unknown): Failure {
  if (error instanceof Failure) return error
  push.onError(error)
  if (error instanceof RefsHalfMoved) return halfMoved
  const refusal = diskRefusal(error)
  return refusal === null ? internal() : takesNoChanges(refusal)
}

const halfMoved = new Failure(
  'unavailable',
  'Git broke off while it moved the refs: those that have not moved follow',
  {
    hint: 'Fetch in a while to see what has moved.',
  },
)
function internal(): Failure {
  const id = currentRequestId()
  const where = id === undefined ? 'it is in its log' : `it is in its log under ${id}`
  return new Failure('internal', `The service made a mistake; ${where}.`)
}
