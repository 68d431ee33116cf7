import { Failure } from '../contract/failure.ts'
import type { Plan } from '../contract/projects.ts'
import type { ProjectUsage, UsageMeter, UsageMonth } from '../contract/usage.ts'
import { KeyedMutex } from '../lib/keyed-mutex.ts'
import type { Reservation, Store } from '../storage/store.ts'
import {
  historyPrefix,
  monthIn,
  usageDocument,
  usageFolder,
  usagePrefix,
  usedBefore,
  usedIn,
  type Before,
  type OwnedProject,
  type UsageDocument,
} from './documents.ts'
import { UsageHistory } from './history.ts'
import {
  isCounted,
  meters,
  nanosOfDollar,
  periodOf,
  plans,
  quantityNames,
  type Counted,
  type Meter,
  type Period,
  type Quantities,
  type QuantityName,
} from './plans.ts'

/** A part of a plan's allowance that is taken: every one is settled in the end. */
export interface Reserved {
  /**
   * Makes it outlive the process: after a crash the next start asks whether `subject` came about. Before the point of
   * no return. Durable when the promise settles.
   */
  hold(subject: string): Promise<void>
  /**
   * Ends it, durably.
   * @param used 1 when something came about, 0 to give it back, which never rejects. A second call changes nothing.
   */
  settle(used: 0 | 1): Promise<void>
}

/** Amounts that are counted by themselves, and limited by no plan; otherwise as `Reserved`. */
export interface ReservedQuantities {
  hold(subject: string): Promise<void>
  /** Ends it with what was used, which may be more or less than was reserved. */
  settle(used: Quantities): Promise<void>
}

/** Takes one of the allowance of a kind of work. Throws Failure `quota_exceeded`, `not_found`. */
export type Reserve = (projectId: string) => Promise<Reserved>

export interface UsageOptions {
  readonly store: Store
  /** Throws Failure `not_found`. */
  readonly projectOf: (id: string) => Promise<OwnedProject & { readonly plan: Plan }>
  readonly now: () => Date
  /** Told of work in the background that failed; it is tried again. */
  readonly onError: (error: unknown, message: string) => void
}

/** What a process that died had held. */
export interface UnsettledReservation {
  /** Id of the project. */
  readonly project: string
  readonly counted: Counted
  readonly subject: string
}

/**
 * Quotas: an allowance is taken before the work and settled after, so that concurrent work never exceeds it. It is the
 * account’s, over all of its projects; how much of it each project used is counted in a document of its own.
 */
export class Usage {
  readonly #options: UsageOptions
  /** By account: what its projects have taken is summed and more is taken in one step. */
  readonly #taking = new KeyedMutex()
  readonly #history: UsageHistory
  #sweptBefore = ''
  #sweeping: Promise<void> = Promise.resolve()

  constructor(options: UsageOptions) {
    this.#options = options
    this.#history = new UsageHistory(options)
  }

  /**
   * Takes one of a meter from the plan that the project's owner has now, for all of their projects. Throws Failure
   * `quota_exceeded` with when it resets, `not_found`.
   */
  async reserve(id: string, meter: Meter): Promise<Reserved> {
    const { store, projectOf, now } = this.#options
    const project = await projectOf(id)
    const { allowance, apart } = meters[meter]
    const { limit, per } = plans[project.plan].allowances[allowance]
    const at = now()
    const period = periodOf(per, at)
    const document = await this.#open(project, period)
    const request = { period: period.key, amount: 1 }
    const taken = await this.#taking.run(project.owner, async () => {
      const used =
        limit === null ? 0 : await this.#usedBy(project, await this.#adopted(project, period), allowance, period.key)
      if (limit !== null && used >= limit) return null
      return store.reserve(document, { ...request, meter: allowance, limit: null })
    })
    if (taken === null) throw exceeded({ plan: project.plan, meter, period, at })
    const counted = apart === true ? await store.reserve(document, { ...request, meter, limit: null }) : null
    const reservations = counted === null ? [taken] : [taken, counted]
    return {
      hold: (subject) => this.#hold(reservations, meter, subject),
      settle: (used) =>
        this.#settle(
          reservations.map((reservation) => ({ reservation, used })),
          used > 0,
        ),
    }
  }

  /** Counts amounts in the month of a project, which no plan limits. Throws Failure `not_found`. */
  async reserveQuantities(id: string, amounts: Quantities): Promise<ReservedQuantities> {
    const { store, projectOf, now } = this.#options
    const period = periodOf('month', now())
    const document = await this.#open(await projectOf(id), period)
    const reservations: { readonly name: QuantityName; readonly reservation: Reservation }[] = []
    for (const name of quantityNames) {
      const request = { meter: name, period: period.key, amount: amounts[name], limit: null }
      const reservation = await store.reserve(document, request)
      if (reservation !== null) reservations.push({ name, reservation })
    }
    return {
      hold: async (subject) => {
        await Promise.all(reservations.map(({ name, reservation }) => this.#hold([reservation], name, subject)))
      },
      settle: (used) =>
        this.#settle(
          reservations.map(({ name, reservation }) => ({ reservation, used: used[name] })),
          quantityNames.some((name) => used[name] > 0),
        ),
    }
  }

  /** Use of the plan now, by a project and all others of its owner; what is reserved counts. Throws Failure `not_found`. */
  async read(id: string): Promise<ProjectUsage> {
    const { projectOf, now } = this.#options
    const project = await projectOf(id)
    const at = now()
    const month = periodOf('month', at)
    const document = usageDocument(project, month.key)
    const adopted = await this.#adopted(project, month)
    const usedBy = (meter: Counted, period: string): Promise<number> => this.#usedBy(project, adopted, meter, period)
    const rowOf = async (meter: Meter): Promise<UsageMeter> => {
      const { allowance, apart } = meters[meter]
      const { limit, per } = plans[project.plan].allowances[allowance]
      const { key, end } = periodOf(per, at)
      const counted = apart === true ? meter : allowance
      const taken = await usedBy(allowance, key)
      const used = apart === true ? await usedBy(meter, key) : taken
      const ofProject = await usedIn(this.#options.store, document, { meter: counted, period: key })
      const remaining = limit === null ? null : Math.max(0, limit - taken)
      const shared = apart === true && allowance === 'generations' ? { shares: allowance } : {}
      return { used, ofProject, limit, remaining, resetsAt: end.toISOString(), ...shared }
    }
    return {
      plan: project.plan,
      period: { start: month.start.toISOString(), end: month.end.toISOString() },
      generations: await rowOf('generations'),
      deploys: { ...(await rowOf('deploys')), inPeriod: await usedBy('deploys', `${month.key}-`) },
      agentMessages: await rowOf('agentMessages'),
      answers: await rowOf('answers'),
      models: {
        inputTokens: await usedBy('inputTokens', month.key),
        outputTokens: await usedBy('outputTokens', month.key),
        costUsd: (await usedBy('costNanoUsd', month.key)) / nanosOfDollar,
      },
    }
  }

  /**
   * What was used in the running month and those before it, newest first; what is reserved counts. Throws Failure
   * `not_found`.
   */
  async history(id: string, months: number): Promise<UsageMonth[]> {
    return this.#history.read(await this.#options.projectOf(id), months)
  }

  /**
   * At start: settles what a process that died had held, by what came of it; then puts together the counters of past months, and drops the oldest.
   * @param usedOf How much was used: 0 where nothing came about. What it cannot tell stays taken, and is asked for again
   * at the next start.
   */
  async recover(usedOf: (left: UnsettledReservation) => Promise<number>): Promise<void> {
    const { store, onError } = this.#options
    for (const document of await store.list(usagePrefix)) {
      for (const held of await store.held(document)) {
        try {
          const left = { ...wordsOf(held.subject), project: await this.#projectOf(document) }
          await store.settle(held, await usedOf(left))
        } catch (error) {
          onError(error, `what came of ${held.subject} in ${document} is not known`)
        }
      }
    }
    this.#sweepBefore(periodOf('month', this.#options.now()))
  }

  /** Takes over today's and this month's use that an earlier version counted in the projects' own documents. Once. */
  async adopt(projects: readonly string[], documentOf: (id: string) => string): Promise<void> {
    const { store, projectOf, now } = this.#options
    for (const id of projects) {
      const before: Record<string, Record<string, number>> = {}
      for (const [meter, { per }] of Object.entries(plans.free.allowances)) {
        const { key } = periodOf(per, now())
        const used = await store.used(documentOf(id), meter, key)
        if (used > 0) before[meter] = { [key]: used }
      }
      if (Object.keys(before).length > 0) await this.#open(await projectOf(id), periodOf('month', now()), before)
    }
  }

  /** When nothing is under way in the background any more. */
  async close(): Promise<void> {
    await this.#sweeping
  }

  async #hold(reservations: readonly Reservation[], counted: Counted, subject: string): Promise<void> {
    const { store } = this.#options
    await Promise.all(reservations.map((each) => store.hold(each, `${counted} ${subject}`)))
  }

  /** All in one go: they are of one document, and so of one write. */
  async #settle(
    all: readonly { readonly reservation: Reservation; readonly used: number }[],
    must: boolean,
  ): Promise<void> {
    const { store, onError } = this.#options
    try {
      await Promise.all(all.map(({ reservation, used }) => store.settle(reservation, used)))
    } catch (error) {
      if (must) throw error
      onError(error, 'giving back an allowance waits for the next start')
    }
  }

  /** The document for a period, made when there is none. Answers with its name. */
  async #open(project: OwnedProject, period: Period, before?: Before): Promise<string> {
    const { store } = this.#options
    const document = usageDocument(project, period.key)
    if ((await store.read<UsageDocument>(document)) !== undefined) return document
    const created: UsageDocument = {
      slug: project.id,
      account: project.owner,
      ...(before === undefined ? {} : { before }),
    }
    await store.mutate<UsageDocument, void>(document, (draft) => ({ document: draft ?? created, result: undefined }))
    this.#sweepBefore(periodOf('month', period.start))
    return document
  }

  /** By all projects that the account has, or had in that month. */
  async #usedBy({ owner }: OwnedProject, adopted: readonly Before[], meter: Counted, period: string): Promise<number> {
    const used = await this.#options.store.used(`${usageFolder(owner, period)}/`, meter, period)
    return adopted.reduce((sum, before) => sum + usedBefore(before, meter, period), used)
  }

  /** What an earlier version had counted of an account’s month. */
  async #adopted({ owner }: OwnedProject, { key }: Period): Promise<readonly Before[]> {
    const { store } = this.#options
    const adopted: Before[] = []
    for (const document of await store.list(`${usageFolder(owner, key)}/`)) {
      const { before } = (await store.read<UsageDocument>(document)) ?? {}
      if (before !== undefined) adopted.push(before)
    }
    return adopted
  }

  async #projectOf(document: string): Promise<string> {
    const { slug } = (await this.#options.store.read<UsageDocument>(document)) ?? {}
    if (slug === undefined) throw new Error(`there is no document ${document}`)
    return slug
  }

  /** Once a month, and at start. */
  #sweepBefore({ key }: Period): void {
    if (key <= this.#sweptBefore) return
    this.#sweptBefore = key
    this.#sweeping = this.#sweeping.then(() => this.#sweep(key))
  }

  async #sweep(month: string): Promise<void> {
    const { store, onError } = this.#options
    try {
      for (const document of await store.list(usagePrefix)) {
        const isHistory = document.startsWith(historyPrefix)
        if (isHistory ? !this.#history.isOver(document) : monthIn(document) >= month) continue
        if ((await store.held(document)).length > 0) continue
        if (!isHistory) await this.#history.keep(document)
        await store.mutate(document, () => ({ document: undefined, result: undefined }))
      }
    } catch (error) {
      onError(error, 'the counters of past months could not be put together')
    }
  }
}

/** A reservation's subject names the meter first: several may share an allowance. */
function wordsOf(subject: string): { readonly counted: Counted; readonly subject: string } {
  const [counted = '', ...rest] = subject.split(' ')
  if (!isCounted(counted)) throw new Error(`not a meter: ${counted}`)
  return { counted, subject: rest.join(' ') }
}

/** `24 November`, UTC. */
function dayOf(date: Date): string {
  return new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', timeZone: 'UTC' }).format(date)
}

/** The refusal of work that the plan has no more room for, with when it has again. */
export function exceeded(of: {
  readonly plan: Plan
  readonly meter: Meter
  readonly period: Period
  readonly at: Date
}): Failure {
  const { plan, meter, period, at } = of
  const { allowance, title } = meters[meter]
  const { limit, per } = plans[plan].allowances[allowance]
  const what = limit === 1 ? `1 ${allowance.slice(0, -1)}` : `${limit} ${allowance}`
  const shared = meter === allowance ? '' : ` (${title} counts as one)`
  const resetsAt = period.end.toISOString()
  return new Failure(
    'quota_exceeded',
    `The ${plans[plan].title} plan allows ${what} a ${per}${shared}, and ${limit === 1 ? 'it is' : 'they are'} used up.`,
    {
      hint: `The count starts anew on ${dayOf(period.end)} at 00:00 UTC. The plan is that of the project’s owner: who operates this service can change it to ${plans.pro.title}, which has no such limit.`,
      retryAfter: Math.max(1, Math.ceil((period.end.getTime() - at.getTime()) / 1000)),
      extra: { plan: plans[plan].title, limit, resetsAt },
    },
  )
}
