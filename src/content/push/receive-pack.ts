import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { Failure } from '../../contract/failure.ts'
import { ClientGone } from '../../lib/client-gone.ts'
import { Budget } from '../../lib/budget.ts'
import type { FairLimit } from '../../lib/fair-limit.ts'
import { slowestPace, type Pace } from '../../lib/pace.ts'
import { forOwner } from '../../lib/slices.ts'
import { ClientInput } from '../git/client-input.ts'
import { fairSlots, type Git } from '../git/git.ts'
import { flush, pktLine, PktReader } from '../git/pkt-line.ts'
import { Quarantine } from '../objects/quarantine.ts'
import { branchPrefix, tagPrefix } from '../refs/ref-names.ts'
import type { BareRepository, Oid } from '../repository.ts'
import {
  capabilities,
  isTip,
  readCommands,
  refuseCommands,
  refuseTogether,
  type PushRequest,
  type Refusals,
  type Tip,
} from './commands.ts'
import { deliver, failureOf, type Push, type PushTarget } from './delivery.ts'
import { maxPackBytes, spool, unpack } from './pack-input.ts'
import type { PushedObjects } from './object-checks.ts'
import { checkContent } from './push-content.ts'
import { PushResponse } from './report-status.ts'

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
  /** Of a pack as it is sent. Default `maxPackBytes`. */
  readonly maxBytes?: number
  /** Bytes that the objects of any pack may have together unpacked, beside `expansion` times its own. Default 256 MB. */
  readonly freelyExpanded?: number
  /** Objects of one pack. Default 200,000. */
  readonly maxObjects?: number
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
      maxBytes: maxPackBytes,
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
      const problem = failureOf(push, error)
      // Git takes each ref that is not refused for moved, and notes that.
      answer.report(problem, new Map(request.commands.map((command) => [command, unpackerError])), request.commands)
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
      await deliver(this.#options.target, push, exchange, refusals)
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
      const bytes = await this.#unpack({ git, directory, signal }, { quarantine, exchange, inTurn, owner, push })
      await push.repository.withoutMaintenance(async () => {
        const maxExpanded = this.#options.freelyExpanded + expansion * bytes
        const at = { git, directory, signal, maxExpanded }
        await inTurn(() => this.#accept(at, { quarantine, tips, refusals, exchange }))
        exchange.input.end()
        await deliver(this.#options.target, push, exchange, refusals)
      })
      return null
    } catch (error) {
      // An abort shows itself in many ways; its reason says which it was.
      const cause: unknown = signal.aborted ? signal.reason : error
      if (cause instanceof Failure && !(cause instanceof ClientGone)) return cause
      throw cause
    } finally {
      // What has come into the repository stays as it is; what is left of this goes at the next start.
      await quarantine.remove().catch(push.onError)
    }
  }

  /** Takes the pack in however slowly it comes, then has it unpacked in its turn. Returns its bytes. */
  async #unpack(
    at: Pick<PushedObjects, 'git' | 'directory' | 'signal'>,
    { quarantine, exchange: { reader, answer }, inTurn, owner, push }: UnpackingPack,
  ): Promise<number> {
    const { maxBytes, maxObjects } = this.#options
    const path = join(quarantine.folder, 'tmp_incoming')
    let taken = 0
    const onBytes = (bytes: number) => {
      push.onBytes?.(bytes)
      if (!this.#spooled.take(owner, bytes)) throw tooMany()
      taken += bytes
    }
    try {
      const bytes = await spool({ path, reader, maxBytes, maxObjects, onBytes })
      answer.keepAlive()
      await inTurn(() => unpack({ ...at, path, bytes }))
      return bytes
    } finally {
      this.#spooled.giveBack(owner, taken)
      await rm(path, { force: true })
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
  readonly push: Pick<Push, 'onBytes'>
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

const unpackerError = new Failure('invalid_request', 'unpacker error')
