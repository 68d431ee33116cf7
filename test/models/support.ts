import { onTestFinished } from 'vitest'
import { Failure } from '../../src/contract/failure.ts'
import type { TokenUsage } from '../../src/contract/generation.ts'
import type { Plan } from '../../src/contract/projects.ts'
import type { ModelEvent, ModelRequest, ModelRouter } from '../../src/models/model.ts'
import { MeteredModels, type ModelsOptions } from '../../src/models/models.ts'
import { estimateInput } from '../../src/models/tokens.ts'
import { openDocuments } from '../../src/storage/documents/document-store.ts'
import type { Store } from '../../src/storage/store.ts'
import { Usage } from '../../src/usage/usage.ts'
import { isQuantity } from '../../src/usage/plans.ts'
import { MemoryDocuments } from '../support/memory-documents.ts'
import { MemoryRecords } from '../support/memory-records.ts'

/** What a router in memory does with a request, by its number from 0. */
export type RouterScript = (request: ModelRequest, index: number, signal: AbortSignal) => AsyncIterable<ModelEvent>

/** What `answer` reports. */
export const reported = { inputTokens: 10, outputTokens: 5, costUsd: 0.002 }

/** Texts, and an end that tells what was used. */
export async function* answer(...texts: readonly string[]): AsyncIterable<ModelEvent> {
  for (const text of texts) yield { type: 'text', text }
  yield { type: 'end', model: 'acme/large', finishReason: 'stop', usage: reported }
}

/** Texts, and then nothing until nobody waits. */
export async function* hang(signal: AbortSignal, ...texts: readonly string[]): AsyncIterable<ModelEvent> {
  for (const text of texts) yield { type: 'text', text }
  await new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error)
    signal.addEventListener('abort', () => reject(signal.reason as Error))
  })
}

/** Texts, and then a failure. */
export async function* fail(...texts: readonly string[]): AsyncIterable<ModelEvent> {
  for (const text of texts) yield { type: 'text', text }
  throw new Failure('generation_failed', 'The model did not go on.')
}

export class MemoryRouter implements ModelRouter {
  readonly asked: ModelRequest[] = []
  #script: RouterScript

  constructor(script: RouterScript) {
    this.#script = script
  }

  async *ask(
    request: ModelRequest,
    signal: AbortSignal,
    told?: (usage: TokenUsage) => void,
  ): AsyncIterable<ModelEvent> {
    this.asked.push(request)
    const inputTokens = estimateInput(request)
    let said = ''
    let usage: TokenUsage | undefined
    try {
      for await (const event of this.#script(request, this.asked.length - 1, signal)) {
        if (event.type === 'text') said += event.text
        if (event.type === 'end') usage = event.usage
        yield event
      }
    } finally {
      if (said !== '') told?.(usage ?? { inputTokens, outputTokens: Math.ceil(said.length / 4), estimated: true })
    }
  }
}

/** What lasts. */
export interface Disk {
  readonly documents: MemoryDocuments
  readonly records: MemoryRecords
}

export interface Room {
  readonly store: Store
  readonly usage: Usage
  readonly models: MeteredModels
}

export interface World {
  plan: Plan
  time: number
  script: RouterScript
}

/** The room over a store and records in memory, of an owner with one plan. */
export async function openRoom(world: Partial<World> = {}, options: Partial<ModelsOptions> = {}) {
  const now: World = { plan: 'pro', time: Date.UTC(2026, 10, 21, 12), script: () => answer('Hello'), ...world }
  const router = new MemoryRouter((request, index, signal) => now.script(request, index, signal))
  const errors: unknown[] = []
  let disk: Disk = { documents: new MemoryDocuments(), records: new MemoryRecords() }
  const open = async (on: Disk): Promise<Room> => {
    const store = await openDocuments(on.documents)
    const clock = (): Date => new Date(now.time)
    const usage = new Usage({
      store,
      projectOf: async (id) => ({ id, owner: 'acc_Ada', plan: now.plan }),
      now: clock,
      onError: (error) => errors.push(error),
    })
    const models = new MeteredModels({
      router,
      usage,
      records: on.records,
      ownerOf: () => 'acc_Ada',
      bounds: { requests: 200, tokens: 1_000_000 },
      maxTokens: 1000,
      prices: new Map(),
      primary: 'acme/large',
      now: clock,
      ...options,
    })
    onTestFinished(async () => {
      await usage.close()
      await store.close()
    })
    return { store, usage, models }
  }
  /** The next process, on what this one has left on the disk. */
  const restart = async (): Promise<Room> => {
    disk = { documents: disk.documents.afterDeath(), records: disk.records.afterDeath() }
    const room = await open(disk)
    await room.usage.recover(async ({ project, counted, subject }) => {
      const used = await room.models.usedBy(project, subject)
      return used === null ? 0 : isQuantity(counted) ? used[counted] : 1
    })
    return room
  }
  const room = await open(disk)
  return { ...room, world: now, router, errors, restart, disk: () => disk }
}

/** Reservations on disk of a project’s month. */
export async function heldIn(store: Store): Promise<number> {
  const documents = await store.list('usage/')
  const held = await Promise.all(documents.map((document) => store.held(document)))
  return held.flat().length
}

export async function textOf(events: AsyncIterable<ModelEvent>): Promise<string> {
  let text = ''
  for await (const event of events) if (event.type === 'text') text += event.text
  return text
}
