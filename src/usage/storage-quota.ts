import { Failure } from '../contract/failure.ts'
import type { Plan } from '../contract/projects.ts'
import type { StorageUsage } from '../contract/usage.ts'
import { FairLimit } from '../lib/fair-limit.ts'
import { plans } from './plans.ts'

const megabyte = 2 ** 20
/** Milliseconds from the end of a change to the look at what it has left; and to the look at what was built after it. */
const looksAfter = [5_000, 60_000] as const
/** How old what the disk said may be where somebody is about to be refused, or reads it. */
const freshMs = 5_000
const readMs = 30_000
/** Of the time between two looks of an account, looking is this share at most. */
const share = 1 / 20
/** Whoever has less left is looked at before they are let in: they may have deleted something. */
const nearBytes = 64 * megabyte

export interface StorageQuotaOptions {
  /** Bytes by plan; Infinity: any number. */
  readonly limits: Readonly<Record<Plan, number>>
  readonly planOf: (account: string) => Promise<Plan>
  /** Ids of the projects of an account. Only memory is looked at. */
  readonly ownedBy: (account: string) => readonly string[]
  /** Bytes that the disk gives for each project. Throws Failure `unavailable`. */
  readonly measure: (projectIds: readonly string[]) => Promise<ReadonlyMap<string, number>>
  /** Told of looks in the background that failed; the next change looks again. */
  readonly onError: (error: unknown) => void
  /** Where people reach the operator. */
  readonly contact?: string | undefined
}

/** A change that may add content, until it has ended. */
export interface Growth {
  /** Counts bytes before they are kept. Throws Failure `quota_exceeded` where they are too many. */
  readonly add: (bytes: number) => void
  /** Once it has ended, whatever came of it. A second call changes nothing. */
  readonly end: () => void
}

/** What a change has added, as far as the disk has not said it yet. */
interface Added {
  bytes: number
  hasEnded: boolean
}

/** What does not fit. */
interface Excess {
  readonly plan: Plan
  readonly limit: number
  readonly used: number
  readonly bytes: number
}

/** An account of which something is known. */
interface Account {
  /** What the disk said last, by project. */
  readonly measured: Map<string, number>
  readonly added: Set<Added>
  /** `performance.now()` of the last look at all; -Infinity before the first. */
  lookedAt: number
  looking: Promise<void> | undefined
  /** How long the last look took. */
  tookMs: number
  /** Looks that are still to come of the last change. */
  left: number
  timer: NodeJS.Timeout | undefined
}

/**
 * How much the projects of an account may take of the disk, together. What is there is asked of the disk: at the first
 * change after a start, and again soon after changes, by few at a time; no request waits for that otherwise. Until then
 * what came counts as it came, so that many at once do not get past a limit that they share. What is built of it is not
 * known before: a change may go beyond by that.
 */
export class StorageQuota {
  readonly #options: StorageQuotaOptions
  readonly #accounts = new Map<string, Account>()
  readonly #looks = new FairLimit({ slots: 1, firsts: 1, share: 1, reserve: 0 })

  constructor(options: StorageQuotaOptions) {
    this.#options = options
  }

  /** Begins a change that an account pays for. Throws Failure `unavailable` where the disk cannot be asked. */
  async begin(owner: string): Promise<Growth> {
    const plan = await this.#options.planOf(owner)
    const limit = this.#options.limits[plan]
    if (limit === Infinity) return unlimited
    const account = this.#accountOf(owner)
    if (account.lookedAt === -Infinity) await this.#look(owner)
    const isNear = limit - this.#used(owner, account) < nearBytes
    if (isNear && performance.now() - account.lookedAt > freshMs) await this.#look(owner)
    const added: Added = { bytes: 0, hasEnded: false }
    account.added.add(added)
    return {
      add: (bytes) => {
        const used = this.#used(owner, account)
        if (used + bytes > limit) {
          // Nothing of what came so far is kept.
          added.bytes = 0
          throw this.#exceeded({ plan, limit, used, bytes })
        }
        added.bytes += bytes
      },
      end: () => {
        if (added.hasEnded) return
        added.hasEnded = true
        account.left = looksAfter.length
        this.#lookLater(owner, account)
      },
    }
  }

  /**
   * Begins that an account gets a project of somebody else, which counts on its storage from then on.
   *
   * @param slug what people call the project
   * Throws Failure `quota_exceeded` where it does not fit, `unavailable` where the disk cannot be asked.
   */
  async takeOver(owner: string, projectId: string, slug: string): Promise<Pick<Growth, 'end'>> {
    const plan = await this.#options.planOf(owner)
    const limit = this.#options.limits[plan]
    if (limit === Infinity) return unlimited
    const growth = await this.begin(owner)
    try {
      const found = await this.#looks.run(owner, () => this.#options.measure([projectId]))
      const bytes = found.get(projectId) ?? 0
      const account = this.#accountOf(owner)
      // Whoever has made room for it is not refused by what was there before.
      const isStale = performance.now() - account.lookedAt > freshMs
      if (isStale && this.#used(owner, account) + bytes > limit) await this.#look(owner)
      const used = this.#used(owner, account)
      if (used + bytes > limit) throw this.#tooLarge({ plan, limit, used, bytes, slug })
      growth.add(bytes)
    } catch (error) {
      growth.end()
      throw error
    }
    return growth
  }

  /** What the projects of an account take, and one of them. Throws Failure `unavailable` where the disk cannot be asked. */
  async read(owner: string, projectId: string): Promise<StorageUsage> {
    const account = this.#accountOf(owner)
    if (performance.now() - account.lookedAt > readMs) await this.#look(owner)
    const limit = this.#options.limits[await this.#options.planOf(owner)]
    const used = this.#used(owner, account)
    return {
      used,
      ofProject: account.measured.get(projectId) ?? 0,
      limit: limit === Infinity ? null : limit,
      remaining: limit === Infinity ? null : Math.max(0, limit - used),
    }
  }

  close(): void {
    for (const { timer } of this.#accounts.values()) clearTimeout(timer)
    this.#accounts.clear()
  }

  #accountOf(owner: string): Account {
    const known = this.#accounts.get(owner)
    if (known !== undefined) return known
    const account: Account = {
      measured: new Map(),
      added: new Set(),
      lookedAt: -Infinity,
      looking: undefined,
      tookMs: 0,
      left: 0,
      timer: undefined,
    }
    this.#accounts.set(owner, account)
    return account
  }

  /** Of the projects that it has now: those that were deleted or given away do not count. */
  #used(owner: string, { measured, added }: Account): number {
    let sum = 0
    for (const id of this.#options.ownedBy(owner)) sum += measured.get(id) ?? 0
    for (const { bytes } of added) sum += bytes
    return sum
  }

  /** One look at a time of an account: whoever asks meanwhile waits for the same. */
  #look(owner: string): Promise<void> {
    const account = this.#accountOf(owner)
    account.looking ??= this.#looks
      .run(owner, () => this.#measure(owner, account))
      .finally(() => {
        account.looking = undefined
      })
    return account.looking
  }

  async #measure(owner: string, account: Account): Promise<void> {
    const began = performance.now()
    // What ends meanwhile may be seen in part only.
    const seen = [...account.added].filter(({ hasEnded }) => hasEnded)
    const found = await this.#options.measure(this.#options.ownedBy(owner))
    account.measured.clear()
    for (const [id, bytes] of found) account.measured.set(id, bytes)
    for (const added of seen) account.added.delete(added)
    account.lookedAt = performance.now()
    account.tookMs = account.lookedAt - began
  }

  #lookLater(owner: string, account: Account): void {
    if (!this.#accounts.has(owner)) return
    clearTimeout(account.timer)
    const after = looksAfter[looksAfter.length - account.left]
    if (after === undefined) return
    // Whoever changes something all the time is looked at all the same.
    const sinceLook = performance.now() - account.lookedAt
    const wait = Math.max(Math.min(after, after * 2 - sinceLook), account.tookMs / share - sinceLook, 0)
    account.timer = setTimeout(() => {
      account.left -= 1
      this.#look(owner).then(() => this.#lookLater(owner, account), this.#options.onError)
    }, wait)
    account.timer.unref()
  }

  #tooLarge({ plan, limit, used, bytes, slug }: Excess & { readonly slug: string }): Failure {
    const { title } = plans[plan]
    return new Failure(
      'quota_exceeded',
      `The ${title} plan allows ${inMegabytes(limit)} for all projects of their owner. Yours take ${inMegabytes(used)}, and ${slug} takes ${inMegabytes(bytes)} more.`,
      {
        hint:
          'The invitation stays open, and the project with its owner. Delete projects, branches or files that are not ' +
          `needed, in yours or in this one, and accept it then. ${this.#otherPlan}`,
        extra: { plan: title, limit, used, of: 'storage' },
      },
    )
  }

  get #otherPlan(): string {
    const { contact } = this.#options
    const ask = contact === undefined ? '' : `: ${contact.replace(/^mailto:/, '')}`
    return `Who operates this service can change the plan${ask}.`
  }

  #exceeded({ plan, limit, used, bytes }: Excess): Failure {
    const { title } = plans[plan]
    const more = bytes < megabyte / 10 ? '' : `, and ${inMegabytes(bytes)} more do not fit`
    return new Failure(
      'quota_exceeded',
      `The ${title} plan allows ${inMegabytes(limit)} for all projects of its owner. They take ${inMegabytes(used)}${more}.`,
      {
        hint:
          'Delete projects, branches or files that are not needed: that goes on, as reading, cloning and rollbacks do. ' +
          'Previews of a deleted branch give back their room at once, its history after two weeks. ' +
          this.#otherPlan,
        extra: { plan: title, limit, used, of: 'storage' },
      },
    )
  }
}

const unlimited: Growth = { add: () => undefined, end: () => undefined }

/** `1,020 MB`, `0.4 MB`: as the settings count them. */
function inMegabytes(bytes: number): string {
  const size = bytes / megabyte
  return `${size.toLocaleString('en', { maximumFractionDigits: size < 10 ? 1 : 0 })} MB`
}
