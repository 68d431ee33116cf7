import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openStore } from '#storage/documents/document-files.ts'
import { FileRecords } from '#storage/records/file-records.ts'
import type { Records } from '#storage/records.ts'
import type { Store } from '#storage/store.ts'
import type { DeliveryPorts } from '#webhooks/attempts.ts'
import { Deliveries } from '#webhooks/deliveries.ts'
import { Dispatcher } from '#webhooks/dispatcher.ts'
import { Keyring } from '#webhooks/keyring.ts'
import { record, type OutboxDocument } from '#webhooks/queue.ts'
import { SendFailed, type SendRequest, type SendResponse } from '#webhooks/send.ts'
import type { StoredWebhook } from '#webhooks/stored-webhook.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

export const projectId = 'docs'
export const arrived: SendResponse = { status: 204, headers: {}, body: '', truncated: false }
export const answer = (status: number, headers: Record<string, string> = {}): SendResponse => ({
  status,
  headers,
  body: `status ${status}`,
  truncated: false,
})

/** What a receiver got. */
export interface Got {
  readonly host: string
  /** The number of the event. */
  readonly number: number
  readonly request: SendRequest
}

export interface Desk {
  readonly ports: DeliveryPorts
  readonly directory: string
  readonly store: Store
  readonly records: Records
  readonly dispatcher: Dispatcher
  readonly deliveries: Deliveries
  readonly got: Got[]
  readonly warnings: { readonly message: string; readonly [detail: string]: unknown }[]
  readonly errors: unknown[]
  /** Records events, as a deploy does, and wakes the dispatcher. */
  happen(...numbers: number[]): Promise<void>
  document(): Promise<Readonly<OutboxDocument>>
  webhook(id: string): Promise<Readonly<StoredWebhook>>
  change(change: (document: OutboxDocument) => void): Promise<void>
  /** Numbers of the events that a host got, in their order. */
  numbers(host: string): number[]
  /** Milliseconds that the clock goes forward. */
  pass(milliseconds: number): void
  /** Closes the dispatcher and opens another one on the same files. */
  restart(): Promise<void>
}

export interface DeskOptions {
  readonly webhooks: StoredWebhook[]
  readonly send: (got: Got) => Promise<SendResponse> | SendResponse
  /** Milliseconds. */
  readonly schedule?: readonly number[]
}

/** Gives its answers in their order, and then takes everything. */
export function sequence(...answers: (() => ReturnType<DeskOptions['send']>)[]): DeskOptions['send'] {
  let index = 0
  return () => (answers[index++] ?? (() => arrived))()
}

/** Resolves never, but when it is called off. */
export function hang({ request }: Pick<Got, 'request'>): Promise<never> {
  return new Promise((_resolve, reject) => {
    request.signal?.addEventListener('abort', () => reject(new SendFailed('aborted', 'It was called off.')))
  })
}

/** The dispatcher over a real store and real files, with receivers that a test makes up. */
export async function openDesk({ webhooks, send, schedule = [0, 20, 40, 60, 80] }: DeskOptions): Promise<Desk> {
  const directory = await temporaryDirectory()
  await mkdir(join(directory, projectId))
  const store = await openStore({ directory, release: async () => undefined })
  const errors: unknown[] = []
  const openRecords = (): FileRecords =>
    new FileRecords({ directory, onError: (_project, error) => void errors.push(error) })
  let records = openRecords()
  const documentOf = (name: string): string => `project/${name}`
  const got: Got[] = []
  const warnings: Desk['warnings'] = []
  let skew = 0
  const now = (): Date => new Date(Date.now() + skew)
  const ports = {
    store,
    documentOf,
    documentPrefix: 'project/',
    ownerOf: (project: string) => project,
    rests: () => false,
    get records() {
      return records
    },
    schedule,
    keyring: new Keyring([]),
    log: {
      warn: (details: object, message: string) => void warnings.push({ ...details, message }),
      error: (details: object, message: string) => void errors.push({ ...details, message }),
    },
    now,
    random: () => 0,
    send: async (request: SendRequest) => {
      const number = Number(/"message":"Event (\d+)\./.exec(request.body)?.[1] ?? Number.NaN)
      const one = { host: new URL(request.url).hostname, number, request }
      got.push(one)
      return send(one)
    },
  }
  const siteUrl = (): string => 'https://docs.example.net'
  let dispatcher = new Dispatcher(ports)
  onTestFinished(async () => {
    await dispatcher.close(0)
    await records.close()
    await store.close()
  })
  const change = (work: (document: OutboxDocument) => void): Promise<void> =>
    store.mutate<OutboxDocument, void>(documentOf(projectId), (draft) => {
      const document = draft ?? { slug: projectId, title: 'Docs', webhooks }
      work(document)
      return { document, result: undefined }
    })
  await change(() => undefined)
  const document = async (): Promise<Readonly<OutboxDocument>> => {
    const stored = await store.read<OutboxDocument>(documentOf(projectId))
    if (stored === undefined) throw new Error('the document is gone')
    return stored
  }
  return {
    ports,
    directory,
    store,
    get records() {
      return records
    },
    get dispatcher() {
      return dispatcher
    },
    get deliveries() {
      return new Deliveries({ store, documentOf, now, siteUrl }, dispatcher)
    },
    got,
    warnings,
    errors,
    async happen(...numbers) {
      await change((draft) => {
        for (const number of numbers)
          record(draft, {
            id: `evt_${number}`,
            type: 'deploy.success',
            at: now().toISOString(),
            data: { message: `Event ${number}.`, url: siteUrl() },
          })
      })
      dispatcher.wake(projectId)
    },
    document,
    async webhook(id) {
      const found = (await document()).webhooks?.find((webhook) => webhook.id === id)
      if (found === undefined) throw new Error(`there is no webhook ${id}`)
      return found
    },
    change,
    numbers: (host) => got.filter((one) => one.host === host).map(({ number }) => number),
    pass: (milliseconds) => void (skew += milliseconds),
    async restart() {
      await dispatcher.close(0)
      await records.close()
      records = openRecords()
      dispatcher = new Dispatcher(ports)
      dispatcher.start()
    },
  }
}
