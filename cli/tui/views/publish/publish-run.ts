import { randomUUID } from 'node:crypto'
import type { Resolution } from '#contract/branches.ts'
import type { Deploy } from '#contract/deploys.ts'
import { Failure } from '#contract/failure.ts'
import { deployEnd, phases, type RunningEvent } from '#cli/deploying/deploy-end.ts'
import { count } from '#cli/output.ts'
import { startPublish, type PublishRequest } from '#cli/publishing.ts'
import type { RetryPolicy } from '#cli/service/retry.ts'
import type { Progress } from '../../app/dialogs.ts'
import { durationText } from '../shared/age.ts'
import type { Context } from '../shared/context.ts'
import { mergeWith } from '#authoring/merge-attempt.ts'
import { PendingMerge } from '../merge/pending-merge.ts'

/** Milliseconds for which a publish waits for the deploy of somebody else. */
const contentionMs = 10 * 60_000

/** How a publish ended: with a deploy, with conflicts to settle, or because the person no longer waits for it. */
export type PublishEnd = { readonly deploy: Deploy } | 'conflicts' | 'left'

/**
 * The key of a publish: the same for as long as nobody knows whether the service has begun it, so that a lost answer
 * does not publish twice.
 */
export class PublishKey {
  #sent: { readonly of: string; readonly key: string } | undefined

  of(request: unknown): string {
    const of = JSON.stringify(request)
    if (this.#sent?.of !== of) this.#sent = { of, key: randomUUID() }
    return this.#sent.key
  }

  /** The service has answered. */
  used(): void {
    this.#sent = undefined
  }
}

/** Publishes with the phases shown. @throws Failure what the service refuses */
export async function runPublish(
  { workspace: { client } }: Context,
  request: Omit<PublishRequest, 'resolutions'>,
  run: { readonly progress: Progress; readonly pendingMerge?: PendingMerge; readonly key: PublishKey },
): Promise<PublishEnd> {
  const { progress, pendingMerge = new PendingMerge(), key } = run
  const { signal } = progress
  const policy = policyOf(progress)
  let started: Deploy | undefined
  try {
    started = await mergeWith(pendingMerge, async (resolutions: readonly Resolution[]) => {
      progress.phase('joining with main')
      const whole = { ...request, resolutions }
      return startPublish(client, whole, { policy, key: key.of(whole) })
    })
    key.used()
    if (started === undefined) return 'conflicts'
    const { slug } = request
    const deploy = await deployEnd(
      client,
      { slug, started },
      {
        policy,
        signal,
        onEvent: teller(progress),
        onBroken: () => progress.detail('the connection broke; asking how it went'),
      },
    )
    return { deploy }
  } catch (error) {
    // Of what the service has answered nothing is in doubt.
    if (error instanceof Failure && error.status < 500) key.used()
    if (signal.aborted) return 'left'
    throw error
  }
}

/** What went wrong for good is told; the rest is waited for, with the reason. */
export function policyOf(progress: Progress): RetryPolicy {
  return {
    tries: 5,
    contentionMs,
    signal: progress.signal,
    onWait: (failure, seconds) => {
      const why =
        failure.code === 'deploy_in_progress' ? 'another deploy is under way' : failure.message.replace(/\.$/, '')
      progress.detail(`${why}; again in ${Math.ceil(seconds)} s`)
    },
  }
}

/** Shows what a deploy tells of itself. */
function teller(progress: Progress): (event: RunningEvent) => void {
  let isBuilding = false
  return (event) => {
    if (event.type === 'stage') {
      isBuilding = event.stage === 'build'
      progress.phase(phases[event.stage])
    } else if (isBuilding && event.total > 0) progress.counted(event.done, event.total)
  }
}

/** How a deploy went well, a line each. */
export function liveLines({ url, pages, counts, durationMs }: Deploy): readonly string[] {
  const time = durationMs === undefined ? '' : `, ${durationText(durationMs)}`
  const warnings = counts.warnings === 0 ? [] : [`${count(counts.warnings, 'warning')}: see the deploys for them.`]
  return [`Live at ${url}`, `${count(pages.total, 'page')}, ${pages.built} built anew${time}.`, ...warnings]
}

/** A refusal, a line each. */
export function refusalLines({ message, hint, errors }: Failure): readonly string[] {
  return [
    message,
    ...errors
      .slice(0, 5)
      .map(({ path, line, message: what }) => [path, line, what].filter((part) => part !== undefined).join(': ')),
    ...(hint === undefined ? [] : [hint]),
  ]
}
