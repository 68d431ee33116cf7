import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Scope } from '../../contract/endpoint.ts'
import { Failure } from '../../contract/failure.ts'
import { ClientGone } from '../../lib/client-gone.ts'
import { limits } from '../../contract/limits.ts'
import { Budget } from '../../lib/budget.ts'
import type { FairLimit } from '../../lib/fair-limit.ts'
import { slowestPace, type Pace } from '../../lib/pace.ts'
import { forOwner } from '../../lib/slices.ts'
import { ClientInput } from '../git/client-input.ts'
import { fairSlots, type Git } from '../git/git.ts'
import { flush, pktLine, PktReader } from '../git/pkt-line.ts'
import { Quarantine } from '../objects/quarantine.ts'
import { branchPrefix, mainRef, tagPrefix } from '../refs/ref-names.ts'
import { RefsHalfMoved, type Author, type BareRepository, type Oid } from '../repository.ts'
import {
  capabilities,
  isTip,
  readCommands,
  refuseCommands,
  refuseTogether,
  type Command,
  type PushRequest,
  type Refusals,
  type Tip,
} from './commands.ts'
import { spool, unpack } from './pack-input.ts'
import type { PushedObjects } from './object-checks.ts'
import { checkContent } from './push-content.ts'
import { PushResponse } from './report-status.ts'

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

/**
 * Where a push arrives, one call for each ref, in the client’s order, when its objects are checked and durable in the
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
}

export interface ReceivePackOptions {
  readonly git: Git
  readonly target: PushTarget
  /** Packs that are unpacked and checked at a time. */
  readonly concurrency: number
  /** Pushes of one owner that are under way, whatever they wait for; more are told to come back. Default 32. */
  readonly open?: number
  /** Milliseconds for a push to arrive and be checked; builds have limits of their own. Default 15 minutes. */
  readonly timeout?: number
  /** How slowly a push may come. */
  readonly pace?: Pace
  /** Of a pack as it is sent. Default 20 times the largest request. */
  readonly maxBytes?: number
  /** Bytes that the objects of any pack may have together unpacked, beside `expansion` times its own. Default 256 MB. */
  readonly freelyExpanded?: number
  /** Objects of one pack. Default 200,000. */
  readonly maxObjects?: number
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
  /** Told of every ref that was moved, before the client is. */
  readonly onMoved: (moved: MovedRef) => Promise<void>
  /** Told of what is the service’s own fault; for the log. */
  readonly onError: (error: unknown) => void
}

/**
 * The server’s side of `git push` (https://git-scm.com/docs/gitprotocol-pack, “Pushing Data To a Server”): git unpacks
 * and verifies, the rules and the refs are ours.
 */
export class ReceivePack {
  readonly #options: Required<ReceivePackOptions>
  readonly #slots: FairLimit
  readonly #open: Budget
  /** Bytes of packs that are on disk, not checked yet. */
  readonly #spooled: Budget

  constructor(options: ReceivePackOptions) {
    this.#options = {
      open: 32,
      timeout: 15 * 60_000,
      pace: slowestPace,
      maxBytes: 20 * limits.requestBytes,
      freelyExpanded: 256 * 2 ** 20,
      maxObjects: 200_000,
      ...options,
    }
    // Those that wait are bounded as those that are open.
    this.#slots = fairSlots(options.concurrency, firstPacks, Infinity)
    this.#open = new Budget(this.#options.open)
    this.#spooled = new Budget(packsOfOwner * this.#options.maxBytes)
  }

  /** The branches and tags, and what a client may ask for, as git expects it at the start of a push. */
  async advertise(repository: BareRepository): Promise<Buffer> {
    const refs = [...(await pushableRefs(repository))]
    const [first = ['capabilities^{}', '0'.repeat(40)] as const, ...others] = refs
    return Buffer.concat([
      pktLine('# service=git-receive-pack\n'),
      flush,
      pktLine(`${first[1]} ${first[0]}\0${capabilities}\n`),
      ...others.map(([ref, oid]) => pktLine(`${oid} ${ref}\n`)),
      flush,
    ])
  }

  /**
   * Takes a push.
   *
   * @returns the body of the answer, once its commands are read. What is refused from then on is said in it.
   * @throws Failure `unavailable` when too many are open; `invalid_request` for what is no push.
   */
  async receive(push: Push): Promise<Readable> {
    const owner = this.#options.git.ownerOf(push.repository.directory)
    if (!this.#open.take(owner, 1)) throw tooMany()
    return new Promise((resolve, reject) => {
      forOwner(owner, () => this.#serve(push, resolve))
        .catch(reject)
        .finally(() => this.#open.giveBack(owner, 1))
    })
  }

  async #serve(push: Push, started: (answer: Readable) => void): Promise<void> {
    const { timeout, pace } = this.#options
    const input = new ClientInput(push.input, { request: 'push', signal: push.signal, timeout, pace })
    try {
      const reader = new PktReader(input)
      const request = await readCommands(reader)
      const answer = new PushResponse(request)
      started(answer.stream)
      if (request.commands.length === 0) answer.end()
      else await this.#answer(push, { request, reader, input, answer })
    } finally {
      input.end()
    }
  }

  async #answer(push: Push, exchange: PushExchange): Promise<void> {
    const { answer, request } = exchange
    try {
      const refusals = refuseCommands(request.commands, {
        current: await pushableRefs(push.repository),
        may: push.may,
      })
      refuseTogether(request, refusals)
      const problem = await this.#take(push, exchange, refusals)
      if (problem !== null)
        for (const command of request.commands) if (!refusals.has(command)) refusals.set(command, unpackerError)
      answer.report(problem, refusals, request.commands)
    } catch (error) {
      if (error instanceof ClientGone) return answer.end()
      push.onError(error)
      // Git takes each ref that is not refused for moved, and notes that.
      answer.report(internal, new Map(request.commands.map((command) => [command, unpackerError])), request.commands)
    }
  }

  /**
   * Takes the pack in, as far as something in it is wanted, and moves the refs.
   *
   * @param refusals more are added.
   * @returns why the pack was not taken, or null.
   */
  async #take(push: Push, exchange: PushExchange, refusals: Refusals): Promise<Failure | null> {
    const tips = exchange.request.commands.filter(isTip).filter((tip) => !refusals.has(tip))
    if (tips.length === 0) {
      exchange.input.end()
      await this.#deliver(push, exchange, refusals)
      return null
    }
    const { git: native } = this.#options
    const { signal } = exchange.input
    const { directory } = push.repository
    const owner = native.ownerOf(directory)
    const quarantine = await Quarantine.open(native, directory)
    const inTurn = (work: () => Promise<void>) => this.#slots.run(owner, work, signal)
    try {
      const { git } = quarantine
      const bytes = await this.#unpack({ git, directory, signal }, { quarantine, exchange, inTurn, owner })
      await push.repository.withoutMaintenance(async () => {
        const maxExpanded = this.#options.freelyExpanded + expansion * bytes
        const at = { git, directory, signal, maxExpanded }
        await inTurn(() => this.#accept(at, { quarantine, tips, refusals, exchange }))
        exchange.input.end()
        await this.#deliver(push, exchange, refusals)
      })
      return null
    } catch (error) {
      // An abort shows itself in many ways; its reason says which it was.
      const cause: unknown = signal.aborted ? signal.reason : error
      if (cause instanceof Failure) return cause
      throw cause
    } finally {
      await quarantine.remove()
    }
  }

  /** Takes the pack in however slowly it comes, then has it unpacked in its turn. Returns its bytes. */
  async #unpack(
    at: Pick<PushedObjects, 'git' | 'directory' | 'signal'>,
    { quarantine, exchange: { reader, answer }, inTurn, owner }: UnpackingPack,
  ): Promise<number> {
    const { maxBytes, maxObjects } = this.#options
    const path = join(quarantine.folder, 'tmp_incoming')
    let taken = 0
    const onBytes = (bytes: number) => {
      if (!this.#spooled.take(owner, bytes)) throw tooMany()
      taken += bytes
    }
    try {
      const bytes = await spool({ path, reader, maxBytes, maxObjects, onBytes })
      answer.keepAlive()
      await inTurn(() => unpack({ ...at, path, bytes }))
      return bytes
    } finally {
      await rm(path, { force: true })
      this.#spooled.giveBack(owner, taken)
    }
  }

  /** Checks what is in quarantine, and lets it into the repository when a ref needs it. */
  async #accept(at: PushedObjects, { quarantine, tips, refusals, exchange }: ReceivedPack): Promise<void> {
    const objects = await quarantine.objects()
    exchange.answer.progress(`Checking ${objects.length} ${objects.length === 1 ? 'object' : 'objects'}`)
    for (const [tip, failure] of await checkContent(at, objects, tips)) refusals.set(tip, failure)
    refuseTogether(exchange.request, refusals)
    at.signal.throwIfAborted()
    if (objects.length > 0 && tips.some((tip) => !refusals.has(tip))) await quarantine.migrate()
  }

  /** From here on the push is done, whether somebody waits for the answer or not. */
  async #deliver(push: Push, exchange: PushExchange, refusals: Refusals): Promise<void> {
    const { answer, request } = exchange
    answer.keepAlive()
    const wanted = request.commands.filter((command) => !refusals.has(command))
    if (request.atomic) {
      const failure = await this.#moveTogether(push, wanted, answer)
      if (failure === null) return
      const blamed = wanted.find(({ ref }) => ref === failure.extra['ref']) ?? wanted.find(({ ref }) => ref === mainRef)
      for (const command of blamed === undefined ? wanted : [blamed]) refusals.set(command, failure)
      return refuseTogether(request, refusals)
    }
    for (const command of wanted) {
      try {
        await this.#move(push, command, (line) => answer.say(line))
        await push.onMoved({ ref: command.ref, to: command.new })
      } catch (error) {
        refusals.set(command, failureOf(push, error))
      }
    }
  }

  /** Returns why nothing has moved. */
  async #moveTogether(push: Push, moves: readonly Command[], answer: PushResponse): Promise<Failure | null> {
    const { repository, author } = push
    if (moves.length === 0) return null
    try {
      await this.#options.target.moveTogether(repository.projectId, { moves, author }, (line) => answer.say(line))
    } catch (error) {
      return failureOf(push, error)
    }
    for (const { ref, new: to } of moves) await push.onMoved({ ref, to }).catch(push.onError)
    return null
  }

  #move({ repository, author }: Push, command: Command, report: (line: string) => void): Promise<void> {
    const { target } = this.#options
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
}

/** One push under way: what was asked, what is still to be read, and the answer that is being written. */
interface PushExchange {
  readonly request: PushRequest
  readonly reader: PktReader
  readonly input: ClientInput
  readonly answer: PushResponse
}

/** A pack that arrives. */
interface UnpackingPack {
  readonly quarantine: Quarantine
  readonly exchange: PushExchange
  /** Runs work when the owner of the project has a slot. */
  readonly inTurn: (work: () => Promise<void>) => Promise<void>
  readonly owner: string
}

/** A pack in quarantine. */
interface ReceivedPack {
  readonly quarantine: Quarantine
  readonly tips: readonly Tip[]
  readonly refusals: Refusals
  readonly exchange: PushExchange
}

/**
 * How much larger than itself a pack may be unpacked; honest histories stay below 70. A few kilobytes of deltas may stand
 * for gigabytes, which every later check and clone would unpack again.
 */
const expansion = 200
async function pushableRefs(repository: BareRepository): Promise<ReadonlyMap<string, Oid>> {
  const [branches, tags] = await Promise.all([repository.listRefs(branchPrefix), repository.listRefs(tagPrefix)])
  return new Map([...branches, ...tags])
}

/** Owners beyond the slots who may have one pack checked each; how much processor time that takes is bounded by its size. */
const firstPacks = 16
/** Packs of the largest size that one owner may have on disk unchecked. */
const packsOfOwner = 2

function tooMany(): Failure {
  return new Failure('unavailable', 'Too many pushes of this account are under way.', {
    hint: 'Push again when one of them has ended.',
    retryAfter: 10,
  })
}

/** What the client is told; what is no fault of its goes to the log. */
function failureOf(push: Push, error: unknown): Failure {
  if (error instanceof Failure) return error
  push.onError(error)
  return error instanceof RefsHalfMoved ? halfMoved : internal
}

const halfMoved = new Failure(
  'unavailable',
  'Git broke off while it moved the refs: those that have not moved follow',
  {
    hint: 'Fetch in a while to see what has moved.',
  },
)
const unpackerError = new Failure('invalid_request', 'unpacker error')
const internal = new Failure('internal', 'The service made a mistake; it is in its log.')
