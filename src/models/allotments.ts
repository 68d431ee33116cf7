import { Failure } from '../contract/failure.ts'
import { KeyedMutex } from '../lib/keyed-mutex.ts'
import type { Reserved, Usage } from '../usage/usage.ts'
import type { GenerationHead, Ledger } from './ledger.ts'
import type { MeteredKind } from './model.ts'

/** What one of the plan may comprise. */
export interface AllotmentBounds {
  readonly requests: number
  readonly tokens: number
}

/** One of the plan's allowance, with the works that share it. */
export interface Allotment {
  readonly projectId: string
  readonly kind: MeteredKind
  readonly id: string
  /** Its caller chose the id, and may come back with it. */
  readonly isNamed: boolean
  /** When it was begun. */
  readonly at: string
  requests: number
  tokens: number
  /** Absent once it is charged. */
  reserved: Reserved | undefined
  /** Works that are under way. */
  members: number
}

interface AllotmentsOptions {
  readonly usage: Pick<Usage, 'reserve'>
  readonly ledger: Ledger
  readonly bounds: AllotmentBounds
  readonly now: () => Date
}

const nouns: Readonly<Record<MeteredKind, string>> = {
  generations: 'generation',
  agentMessages: 'message to the assistant',
  answers: 'answer',
}

/**
 * Takes the plan's allowance for works, one for all that name the same generation: the first of them takes it, the first
 * that produces something charges it, and when the last has gone and nothing was produced it is given back.
 */
export class Allotments {
  readonly #options: AllotmentsOptions
  readonly #open = new Map<string, Allotment>()
  readonly #mutex = new KeyedMutex()

  constructor(options: AllotmentsOptions) {
    this.#options = options
  }

  /** Throws Failure `quota_exceeded`, `not_found`. Each that joins leaves. */
  async join(of: Pick<Allotment, 'projectId' | 'kind' | 'id' | 'isNamed'>): Promise<Allotment> {
    return this.#mutex.run(slotOf(of), async () => {
      const allotment = this.#open.get(slotOf(of)) ?? (await this.#begin(of))
      allotment.members += 1
      this.#open.set(slotOf(of), allotment)
      return allotment
    })
  }

  /** Counts a request. Throws Failure `quota_exceeded` where it is one too many. */
  admit(allotment: Allotment): void {
    const { bounds } = this.#options
    if (allotment.requests >= bounds.requests) throw exhausted(allotment, `${bounds.requests} requests`)
    if (allotment.tokens >= bounds.tokens) throw exhausted(allotment, `${bounds.tokens} tokens`)
    allotment.requests += 1
  }

  /** Works of one allotment are charged one after the other: the first pays for it. */
  async inTurn(allotment: Allotment, charge: () => Promise<void>): Promise<void> {
    await this.#mutex.run(slotOf(allotment), charge)
  }

  async leave(allotment: Allotment): Promise<void> {
    await this.#mutex.run(slotOf(allotment), async () => {
      allotment.members -= 1
      if (allotment.members > 0) return
      this.#open.delete(slotOf(allotment))
      await allotment.reserved?.settle(0)
    })
  }

  async #begin(of: Pick<Allotment, 'projectId' | 'kind' | 'id' | 'isNamed'>): Promise<Allotment> {
    const { usage, ledger, now } = this.#options
    const counted: GenerationHead | null = of.isNamed ? await ledger.generation(of.projectId, of.id) : null
    const reserved = counted === null ? await usage.reserve(of.projectId, of.kind) : undefined
    const { at, requests, tokens } = counted ?? { at: now().toISOString(), requests: 0, tokens: 0 }
    return { ...of, at, requests, tokens, reserved, members: 0 }
  }
}

function slotOf({ projectId, kind, id }: Pick<Allotment, 'projectId' | 'kind' | 'id'>): string {
  return `${projectId} ${kind} ${id}`
}

function exhausted({ kind, id, isNamed }: Allotment, bound: string): Failure {
  const what = isNamed ? `The generation ${id}` : `This ${nouns[kind]}`
  return new Failure('quota_exceeded', `${what} has used the ${bound} that one may.`, {
    hint: `A new ${nouns[kind]} goes on, and counts as another one of the plan.`,
  })
}
