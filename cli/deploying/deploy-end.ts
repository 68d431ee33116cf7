import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../../src/client/client.ts'
import type { Deploy, DeployEvent, DeployStage } from '../../src/contract/deploys.ts'
import { Failure } from '../../src/contract/failure.ts'
import { contract } from '../../src/contract/index.ts'
import { withRetry, type RetryPolicy } from '../service/retry.ts'

/** The stages of a deploy for people. */
export const phases: Readonly<Record<DeployStage, string>> = {
  receive: 'receiving',
  commit: 'committing',
  build: 'building pages',
  release: 'storing the site',
  point: 'going live',
}

export type RunningEvent = Exclude<DeployEvent, { type: 'done' }>

export interface DeployFollower {
  readonly policy: RetryPolicy
  readonly onEvent: (event: RunningEvent) => void
  /** The connection broke: from now on the record is asked. */
  readonly onBroken: () => void
  readonly signal?: AbortSignal
}

export function isFinal({ status }: Pick<Deploy, 'status'>): boolean {
  return status !== 'queued' && status !== 'building'
}

/** A deploy when it has come to its end. @throws Failure what the service refuses; an AbortError when `signal` fires. */
export async function deployEnd(
  client: Client,
  { slug, started }: { readonly slug: string; readonly started: Deploy },
  follower: DeployFollower,
): Promise<Deploy> {
  if (isFinal(started)) return started
  const params = { slug, id: started.id }
  const end = await followEvents(client, params, follower)
  // A stream may end early, as behind a proxy or on a broken connection: the record knows how it went.
  return end ?? (await withRetry(() => waitForEnd(client, params, follower.signal), follower.policy))
}

async function followEvents(
  client: Client,
  params: { slug: string; id: string },
  { onEvent, onBroken, signal }: DeployFollower,
): Promise<Deploy | undefined> {
  try {
    for await (const event of client.events<DeployEvent>(contract.deploys.events, { params, ...withSignal(signal) })) {
      if (event.type === 'done') return event.deploy
      onEvent(event)
    }
  } catch (error) {
    if (signal?.aborted === true || (error instanceof Failure && error.status < 500)) throw error
    onBroken()
  }
  return undefined
}

async function waitForEnd(
  client: Client,
  params: { slug: string; id: string },
  signal: AbortSignal | undefined,
): Promise<Deploy> {
  for (;;) {
    const deploy = await client.call(contract.deploys.read, { params, ...withSignal(signal) })
    if (isFinal(deploy)) return deploy
    await sleep(500, undefined, withSignal(signal))
  }
}

function withSignal(signal: AbortSignal | undefined): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal }
}
