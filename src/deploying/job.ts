import { deployRef, mainRef } from '../content/refs/ref-names.ts'
import { Failure } from '../contract/failure.ts'
import type { Lease } from '../storage/store.ts'
import type { Reserved } from '../usage/reserved.ts'
import { maxReported, type StoredDeploy } from './state.ts'
import type { Outcome, Prepared, Site, Work } from './work.ts'

/** A deploy on record, with all that its end needs. */
export interface Job {
  readonly site: Site
  readonly lease: Lease
  readonly reservation: Reserved
  readonly work: Work
  readonly prepared: Prepared
  readonly stored: StoredDeploy
}

/** Main, the deploy's own ref and what goes with them, in one transaction: from here on the deploy has happened. */
export async function moveRefs({ repository, main }: Site, { commit, refs }: Prepared, number: number): Promise<void> {
  await repository.updateRefs([
    { ref: mainRef, old: main, new: commit },
    { ref: deployRef(number), old: null, new: commit },
    ...(refs ?? []),
  ])
}

export const isStale = (error: unknown): boolean => error instanceof Failure && error.code === 'stale_ref'

export async function prepare(work: Work, site: Site, attempt: number): Promise<Prepared> {
  const prepared = await work.prepare(site, attempt)
  // The pipeline looks at `built` first; when that fails, nobody looks at the other any more.
  prepared.published.catch(() => undefined)
  prepared.built.catch(() => undefined)
  return prepared
}

/** The same deploy of what is there now. */
export async function prepareAgain(job: Job, attempt: number): Promise<Job> {
  job.prepared.settle?.(false)
  job.site.progress.stage('commit')
  const prepared = await prepare(job.work, job.site, attempt)
  job.site.progress.stage('build')
  return { ...job, prepared, stored: { ...job.stored, ...content(prepared) } }
}

function content({
  commit,
  tree,
  release,
  mergeCommit,
  builder,
}: Prepared): Pick<StoredDeploy, 'commit' | 'tree' | 'release' | 'mergeCommit' | 'builder'> {
  return {
    commit,
    tree,
    release,
    ...(mergeCommit === undefined ? {} : { mergeCommit }),
    ...(builder === undefined ? {} : { builder }),
  }
}

/** The record of a deploy that begins. */
export function beginning(site: Site, work: Work, prepared: Prepared): Omit<StoredDeploy, 'number'> {
  const { order, id, createdAt, watch } = site
  return {
    id,
    status: 'building',
    kind: work.kind,
    ...(order.message === undefined ? {} : { message: order.message }),
    ...(work.rollbackOf === undefined ? {} : { rollbackOf: work.rollbackOf }),
    ...(work.branch === undefined ? {} : { branch: work.branch }),
    ...content(prepared),
    ...withoutOutcome,
    stages: watch.stages(),
    createdAt,
  }
}

export const emptyOutcome: Outcome = { errors: [], warnings: [], pages: { total: 0, built: 0, reused: 0 } }
const withoutOutcome = { errors: [], warnings: [], pages: emptyOutcome.pages, counts: { errors: 0, warnings: 0 } }

export function withOutcome(stored: StoredDeploy, { errors, warnings, pages }: Outcome): StoredDeploy {
  return {
    ...stored,
    errors: errors.slice(0, maxReported),
    warnings: warnings.slice(0, maxReported),
    counts: { errors: errors.length, warnings: warnings.length },
    pages,
  }
}

export function ending({ watch }: Site, now: Date): Pick<StoredDeploy, 'stages' | 'durationMs' | 'finishedAt'> {
  return { stages: watch.stages(), durationMs: watch.total(), finishedAt: now.toISOString() }
}
