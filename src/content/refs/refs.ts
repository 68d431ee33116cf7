import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import pLimit from 'p-limit'
import type { Failure } from '../../contract/failure.ts'
import { hasCode, nullIfMissing, syncDirectory } from '../../lib/disk.ts'
import { quickly, type Git } from '../git/git.ts'
import { isOid, RefsHalfMoved, type Oid, type RefUpdate } from '../repository.ts'
import { readJournal, removeJournal, writeJournal } from './ref-journal.ts'
import { removeRefLocks } from './ref-locks.ts'
import { checkRefName, nameConflict, staleRef } from './ref-names.ts'
import { longestTransaction, packedVersion, RefWriter, type TransactionResult } from './ref-writer.ts'

/** Updates that are made together or not at all, and the promise of whoever asked for them. */
interface RequestedUpdates {
  readonly updates: readonly RefUpdate[]
  /** Those that a transaction, which was broken off, has not made. */
  readonly left?: readonly RefUpdate[]
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

const zeroOid = '0'.repeat(40)
/** Git writes and flushes the refs of a transaction one after another: more would keep the first waiting. */
const maxBatch = 32
/**
 * A process that died is replaced. And the lasting one may have compared with the packed refs of before they were packed
 * again: refusing has ended it, so that a new one looks.
 */
const maxTries = 2
/** Processes that hang while writers wait; those that have waited so long are told to come back. */
const maxHangs = 2
/** Milliseconds for tens of thousands of refs; writers wait meanwhile. */
const longestPacking = 15_000

/** One of those who write by themselves: transactions of it that hung. */
interface Turn {
  hangs: number
}

/** Refs of one repository: read from their files, written only by native git’s transactions. */
export class Refs {
  readonly #git: Git
  readonly #directory: string
  readonly #longest: number
  readonly #writer: RefWriter
  /** One transaction of this process at a time; git’s own lock files keep other processes out. */
  readonly #oneAtATime = pLimit(1)
  readonly #waiting: RequestedUpdates[] = []
  #packed: { readonly version: string; readonly refs: ReadonlyMap<string, Oid> } = { version: '', refs: new Map() }
  /** Whether a journal may be there of a transaction that has not come to its end. */
  #unsettled = true

  /** @param longest milliseconds of a transaction, beside those for each of its refs. */
  constructor(git: Git, directory: string, longest = longestTransaction) {
    this.#git = git
    this.#directory = directory
    this.#longest = longest
    this.#writer = new RefWriter(git, directory, longest)
  }

  /** Starts the writing process, for a transaction that will soon come. */
  warm(): void {
    this.#writer.warm()
  }

  close(): Promise<void> {
    return this.#writer.close()
  }

  /** The ref file first, packed-refs second: git packs in the opposite order, so a ref is never missed. */
  async resolve(ref: string): Promise<Oid | null> {
    checkRefName(ref)
    const text = await readFile(join(this.#directory, ref), 'utf8').catch(absent)
    if (text === null) return (await this.#readPacked()).get(ref) ?? null
    const oid = text.trim()
    if (!isOid(oid)) throw new Error(`${ref} in ${this.#directory} is damaged or symbolic`)
    return oid
  }

  async list(prefix: string): Promise<ReadonlyMap<string, Oid>> {
    checkRefName(prefix + 'x')
    const output = await this.#git.check(['for-each-ref', '--format=%(objectname) %(refname)', '--', prefix], {
      directory: this.#directory,
      timeout: quickly,
    })
    const lines = output
      .toString()
      .split('\n')
      .filter((line) => line !== '')
    return new Map(lines.map((line) => [line.slice(41), line.slice(0, 40)]))
  }

  /** @param journal whether it is all or nothing also where the service is killed amidst it. */
  async update(updates: readonly RefUpdate[], journal = false): Promise<void> {
    if (updates.length === 0) return
    for (const update of updates) {
      checkRefName(update.ref)
      for (const oid of [update.old, update.new])
        if (typeof oid === 'string' && !isOid(oid)) throw new Error(`not an object id: ${oid}`)
    }
    if (journal && updates.length > 1) return this.#oneAtATime(() => this.#commitJournaled(updates))
    await new Promise<void>((resolve, reject) => {
      this.#waiting.push({ updates, resolve, reject })
      this.#oneAtATime(() => this.#commitWaiting()).catch(reject)
    })
  }

  /** Runs work during which no transaction of this process moves a ref. */
  withRefsLocked<T>(work: () => Promise<T>): Promise<T> {
    return this.#oneAtATime(work)
  }

  /**
   * Puts the refs that are files of their own into one, durably. Not left to `git gc`: whoever finds locks between
   * two transactions knows then that nobody holds them.
   */
  pack(): Promise<void> {
    return this.#oneAtATime(async () => {
      // A collection follows, which knows only what refs name.
      await this.#settle()
      const signal = AbortSignal.timeout(longestPacking)
      const request = { directory: this.#directory, input: [], signal }
      try {
        // Not `check`: writers wait for this, and would wait for other processes of git as well.
        for await (const _ of this.#git.lines(['pack-refs', '--all', '--prune'], request));
      } catch (error) {
        await removeRefLocks(this.#directory)
        throw error
      }
      await syncDirectory(this.#directory)
    })
  }

  /**
   * Ends what a killed process began: where one of the refs of its journal has moved, the others move, too. Returns
   * whether one had.
   */
  settle(): Promise<boolean> {
    return this.#oneAtATime(() => this.#settle())
  }

  async #settle(): Promise<boolean> {
    if (!this.#unsettled) return false
    const journal = await readJournal(this.#directory)
    const now = await Promise.all((journal ?? []).map(({ ref }) => this.resolve(ref)))
    const begun = journal?.some((update, index) => update.old !== update.new && now[index] === update.new) === true
    if (begun) {
      // What was moved elsewhere since, by hand, stays there.
      const left = journal.filter(({ old }, index) => now[index] === old)
      await this.#commit(left, { hangs: 0 })
      await this.#sync(journal)
    }
    if (journal !== null) await removeJournal(this.#directory)
    this.#unsettled = false
    return begun
  }

  async #commitJournaled(updates: readonly RefUpdate[]): Promise<void> {
    await this.#settle()
    this.#unsettled = true
    await writeJournal(this.#directory, updates)
    try {
      await this.#commit(updates, { hangs: 0 })
    } catch (error) {
      // The journal stays: whoever writes next moves the others first.
      if (!(error instanceof RefsHalfMoved)) await this.#endJournal()
      throw error
    }
    await this.#endJournal()
  }

  /** Where the disk does not take it, whoever writes next does it first: how the transaction ended is known. */
  async #endJournal(): Promise<void> {
    await removeJournal(this.#directory).then(
      () => (this.#unsettled = false),
      () => undefined,
    )
  }

  /** What has gathered while a transaction ran shares the next one, and its cost on disk. */
  async #commitWaiting(): Promise<void> {
    const batch = takeBatch(this.#waiting)
    try {
      await this.#settle()
    } catch (error) {
      for (const { reject } of batch) reject(error)
      return
    }
    const turn = { hangs: 0 }
    const oneByOne = batch.length > 1 ? await this.#commitBatch(batch, turn) : batch
    for (const { updates, left, resolve, reject } of oneByOne)
      await this.#commit(updates, turn, left).then(resolve, reject)
    // Those who came meanwhile have waited for as long as anybody should.
    if (turn.hangs >= maxHangs) for (const { reject } of this.#waiting.splice(0)) reject(this.#hangs())
  }

  /**
   * Returns what has to be done one by one: git refuses a whole transaction for one of its updates, and one that was
   * broken off has moved some refs.
   */
  async #commitBatch(batch: readonly RequestedUpdates[], turn: Turn): Promise<readonly RequestedUpdates[]> {
    const updates = batch.flatMap((request) => request.updates)
    let begun = false
    try {
      const { end } = await this.#transact(updates, turn)
      begun = end === 'done' || end === 'broken-off'
      if (end !== 'done') {
        await this.#removeLocks(end)
        return await Promise.all(
          batch.map(async (request) => ({ ...request, left: await this.#unfinished(request.updates, end) })),
        )
      }
      await this.#sync(updates)
      for (const { resolve } of batch) resolve()
    } catch (error) {
      for (const { reject, updates: own } of batch) reject(begun ? new RefsHalfMoved(own, error) : error)
    }
    return []
  }

  /** Rejects with `RefsHalfMoved` as soon as a ref may have moved, whatever it is that fails then. */
  async #commit(updates: readonly RefUpdate[], turn: Turn, left = updates): Promise<void> {
    let unfinished = left
    let begun = left.length < updates.length
    try {
      for (let tries = 1; unfinished.length > 0; tries++) {
        const { end, hung, stderr } = await this.#transact(unfinished, turn)
        begun ||= end === 'done' || end === 'broken-off'
        if (end === 'done') break
        await this.#removeLocks(end)
        const refusal = end === 'refused' ? await this.#refusal(unfinished, stderr) : null
        unfinished = await this.#unfinished(unfinished, end)
        begun = unfinished.length < updates.length
        if (unfinished.length === 0 || (refusal === null && tries < maxTries)) continue
        throw refusal ?? (hung ? this.#hangs() : new Error(`git update-ref in ${this.#directory}: ${end}: ${stderr}`))
      }
      await this.#sync(updates)
    } catch (error) {
      throw begun ? new RefsHalfMoved(unfinished, error) : error
    }
  }

  async #transact(updates: readonly RefUpdate[], turn: Turn): Promise<TransactionResult> {
    if (turn.hangs >= maxHangs) return { end: 'killed', hung: true, stderr: '' }
    const result = await this.#writer.commit(updates.map(instruction))
    if (result.hung) turn.hangs += 1
    return result
  }

  /** A process that ended amidst its work leaves locks that nobody holds. */
  async #removeLocks(end: TransactionResult['end']): Promise<void> {
    if (end === 'killed' || end === 'broken-off') await removeRefLocks(this.#directory)
  }

  #hangs(): Failure {
    return this.#git.tookTooLong(['update-ref'], this.#directory, maxHangs * this.#longest)
  }

  /** What is left to do after a transaction that did not end well. All that it prepared had the old values. */
  async #unfinished(
    updates: readonly RefUpdate[],
    end: Exclude<TransactionResult['end'], 'done'>,
  ): Promise<readonly RefUpdate[]> {
    if (end !== 'broken-off') return updates
    const now = await Promise.all(updates.map(({ ref }) => this.resolve(ref)))
    return updates.filter((update, index) => now[index] !== update.new)
  }

  async #refusal(updates: readonly RefUpdate[], stderr: string): Promise<Failure | null> {
    for (const { ref, old } of updates) {
      if (old === undefined) continue
      const actual = await this.resolve(ref)
      if (actual === old) continue
      return staleRef(ref, old, actual)
    }
    const [, ref] =
      /exists; cannot create '([^']*)'|cannot process '[^']*' and '([^']*)' at the same time/
        .exec(stderr)
        ?.filter((part) => part !== undefined) ?? []
    return ref === undefined ? null : nameConflict(ref)
  }

  /** Git fsyncs the files but not the directories that name them; without that a power cut brings the old values back. */
  async #sync(updates: readonly RefUpdate[]): Promise<void> {
    const directories = new Set<string>()
    for (const { ref } of updates) for (let at = dirname(ref); at !== '.'; at = dirname(at)) directories.add(at)
    // A deletion rewrites packed-refs.
    if (updates.some((update) => update.new === null)) directories.add('.')
    await Promise.all([...directories].map((path) => syncDirectory(join(this.#directory, path)).catch(absent)))
  }

  async #readPacked(): Promise<ReadonlyMap<string, Oid>> {
    const version = await packedVersion(this.#directory)
    if (version === '') return new Map()
    if (this.#packed.version !== version) {
      const text = (await readFile(join(this.#directory, 'packed-refs'), 'utf8').catch(absent)) ?? ''
      const lines = text.split('\n').filter((line) => /^[0-9a-f]{40} /.test(line))
      this.#packed = { version, refs: new Map(lines.map((line) => [line.slice(41), line.slice(0, 40)])) }
    }
    return this.#packed.refs
  }
}

/**
 * Takes from the front of a queue what can share a transaction: updates of different refs, none of which is a folder of
 * another. What was asked for first is never overtaken.
 */
function takeBatch(waiting: RequestedUpdates[]): RequestedUpdates[] {
  const taken: RequestedUpdates[] = []
  const names = new Set<string>()
  for (const request of waiting) {
    if (taken.length === maxBatch) break
    if (request.updates.some(({ ref }) => clashes(ref, names))) break
    taken.push(request)
    for (const { ref } of request.updates) names.add(ref)
  }
  waiting.splice(0, taken.length)
  return taken
}

function clashes(ref: string, names: ReadonlySet<string>): boolean {
  if (names.has(ref)) return true
  for (const name of names) if (name.startsWith(`${ref}/`) || ref.startsWith(`${name}/`)) return true
  return false
}

/** One line of `git update-ref --stdin -z`; an empty old value is not compared. */
function instruction({ ref, old, new: value }: RefUpdate): string {
  const before = old === undefined ? '' : (old ?? zeroOid)
  if (value !== null) return `update ${ref}\0${value}\0${before}\0`
  return old === null ? `verify ${ref}\0${zeroOid}\0` : `delete ${ref}\0${before}\0`
}

/** A ref of the name of a folder, or below one of a file, is not there either. */
function absent(error: unknown): null {
  if (hasCode(error, 'EISDIR') || hasCode(error, 'ENOTDIR')) return null
  return nullIfMissing(error)
}
