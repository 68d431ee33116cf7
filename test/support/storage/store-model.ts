import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import type { Reservation, Store } from '#storage/store.ts'
import type { StoreUnderTest } from './store-contract.ts'
import { cases } from '#test/support/properties.ts'

type Operation =
  | { readonly kind: 'set'; readonly at: string; readonly value: number }
  | { readonly kind: 'throw' | 'delete'; readonly at: string }
  | { readonly kind: 'reserve'; readonly at: string; readonly limit: number }
  | { readonly kind: 'settle'; readonly pick: number; readonly used: number }
  | { readonly kind: 'restart' }

const at = fc.constantFrom('project/a', 'project/b', 'service')
const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('set' as const), at, value: fc.nat(99) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('throw' as const, 'delete' as const), at }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('reserve' as const), at, limit: fc.nat(4) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('settle' as const), pick: fc.nat(5), used: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
)
const meter = { meter: 'deploys', period: '2026-11-21' }

/** The store in a few lines, beside the real one. */
class Model {
  readonly #subject: StoreUnderTest
  readonly #together: boolean
  readonly #pending: Promise<unknown>[] = []
  readonly #values = new Map<string, number>()
  readonly #settled = new Map<string, number>()
  #open: Reservation[] = []
  #store: Store

  constructor(subject: StoreUnderTest, store: Store, together: boolean) {
    this.#subject = subject
    this.#store = store
    this.#together = together
  }

  /** Does the operation to both; with `together`, changes run at once until one needs the ones before. */
  async run(step: Operation): Promise<void> {
    if (step.kind === 'set') {
      this.#values.set(step.at, step.value)
      await this.#go(this.#store.mutate(step.at, () => ({ document: { value: step.value }, result: null })))
    } else if (step.kind === 'throw') await this.#go(this.#throw(step.at))
    else if (step.kind === 'delete') await this.#delete(step.at)
    else if (step.kind === 'reserve') await this.#reserve(step.at, step.limit)
    else if (step.kind === 'settle') await this.#settle(step.pick, step.used)
    else await this.#restart()
  }

  /** Compares after a restart. */
  async compare(): Promise<Store> {
    await this.#restart()
    assert.deepEqual(await this.#store.list(), [...this.#values.keys()].sort())
    for (const [name, value] of this.#values) {
      assert.deepEqual(await this.#store.read(name), { value })
      assert.equal(await this.#store.used(name, meter.meter, meter.period), this.#settled.get(name) ?? 0)
    }
    return this.#store
  }

  async #go(change: Promise<unknown>): Promise<void> {
    if (this.#together) this.#pending.push(change)
    else await change
  }

  async #throw(name: string): Promise<void> {
    const change = this.#store.mutate<{ value: number }, null>(name, (draft) => {
      if (draft !== undefined) draft.value = -1
      throw new RangeError('no')
    })
    await assert.rejects(change, RangeError)
  }

  async #delete(name: string): Promise<void> {
    await this.#allDone()
    this.#values.delete(name)
    this.#settled.delete(name)
    this.#open = this.#open.filter((reservation) => reservation.document !== name)
    await this.#store.mutate(name, () => ({ document: undefined, result: null }))
  }

  async #reserve(name: string, limit: number): Promise<void> {
    await this.#allDone()
    if (!this.#values.has(name)) return
    const open = this.#open.filter((reservation) => reservation.document === name).length
    const allowed = (this.#settled.get(name) ?? 0) + open + 1 <= limit
    const reservation = await this.#store.reserve(name, { ...meter, amount: 1, limit })
    assert.equal(reservation !== null, allowed)
    if (reservation !== null) this.#open.push(reservation)
  }

  async #settle(pick: number, used: number): Promise<void> {
    const [reservation] = this.#open.splice(pick % Math.max(1, this.#open.length), 1)
    if (reservation === undefined) return
    this.#settled.set(reservation.document, (this.#settled.get(reservation.document) ?? 0) + used)
    await this.#go(this.#store.settle(reservation, used))
  }

  async #restart(): Promise<void> {
    await this.#allDone()
    this.#open = []
    this.#store = await this.#subject.reopen()
  }

  async #allDone(): Promise<void> {
    await Promise.all(this.#pending.splice(0))
  }
}

/** Random operations on the store and on the model end the same; rejects with the shortest that do not. */
export async function checkAgainstModel(subject: StoreUnderTest): Promise<void> {
  let store = subject.store
  const property = fc.asyncProperty(
    fc.array(operation, { maxLength: 40 }),
    fc.boolean(),
    async (operations, together) => {
      for (const name of await store.list()) await store.mutate(name, () => ({ document: undefined, result: null }))
      const model = new Model(subject, store, together)
      for (const step of operations) await model.run(step)
      store = await model.compare()
    },
  )
  await fc.assert(property, { numRuns: cases(40) })
}
