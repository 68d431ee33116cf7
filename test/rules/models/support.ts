import { onTestFinished } from 'vitest'
import { Failure } from '#contract/failure.ts'
import type { GenerationRequest, ModelList } from '#contract/generation.ts'
import type { Plan } from '#contract/projects.ts'
import { Generations } from '#models/generations.ts'
import type { ModelEvent } from '#models/model.ts'
import { MeteredModels, type ModelsOptions } from '#models/models.ts'
import type { RunningGeneration } from '#models/running.ts'
import { openDocuments } from '#storage/documents/document-store.ts'
import type { Store } from '#storage/store.ts'
import { Usage } from '#usage/usage.ts'
import { isQuantity } from '#usage/plans.ts'
import { MemoryDocuments } from '#test/support/memory-documents.ts'
import { MemoryRecords } from '#test/support/memory-records.ts'
import { answer, MemoryRouter, type RouterScript } from '#test/support/memory-router.ts'

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

/** What lasts. */
export interface Disk {
  readonly documents: MemoryDocuments
  readonly records: MemoryRecords
}

/** What a process that dies now leaves. */
export function diedOf({ documents, records }: Disk): Disk {
  return { documents: documents.afterDeath(), records: records.afterDeath() }
}

export interface Room {
  readonly store: Store
  readonly usage: Usage
  readonly models: MeteredModels
  /** As the endpoint does it. */
  readonly ask: (
    request: GenerationRequest,
    how?: { readonly key?: string; readonly signal?: AbortSignal },
  ) => Promise<RunningGeneration>
}

const modelList: ModelList = {
  configured: true,
  default: 'acme/large',
  models: [{ id: 'acme/large' }],
  maxTokens: 1000,
  promptBytes: 1000,
  generation: { requests: 200, tokens: 1_000_000 },
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
    const generations = new Generations({ models, list: modelList })
    const ask = async (request: GenerationRequest, how: { key?: string; signal?: AbortSignal } = {}) =>
      generations.ask({
        projectId: 'leaves',
        request,
        idempotency: how.key === undefined ? undefined : { key: how.key, body: JSON.stringify(request) },
        signal: how.signal ?? new AbortController().signal,
      })
    return { store, usage, models, ask }
  }
  /** The next process, on what this one has left on the disk. */
  const restart = async (left: Disk = diedOf(disk)): Promise<Room> => {
    disk = left
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
