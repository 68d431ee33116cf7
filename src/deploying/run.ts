import { deployRef, mainRef } from '../content/refs/ref-names.ts'
import type { Author, Oid, RefUpdate, Repository } from '../content/repository.ts'
import type { ErrorDetail } from '../contract/common.ts'
import { isKeyAddress } from '../access/keys.ts'
import type { Deploy, DeployAuthor, DeployEvent, DeployStage } from '../contract/deploys.ts'
import { inSpan } from '../lib/measured.ts'
import { countOf } from '../contract/rules.ts'
import type { ProjectReleases } from '../hosting/hosting.ts'
import type { Lease } from '../storage/store.ts'
import type { Charge } from './charge.ts'
import type { ContentSource, DeployTrigger } from './content-source.ts'
import { maxReported, reportedOf } from './reports.ts'
import type { DeployState, StoredDeploy } from './state.ts'

/** One deploy on its way through the pipeline, from the project's lock to its end. */
export interface DeployRun {
  readonly trigger: DeployTrigger
  readonly source: ContentSource
  readonly lease: Lease
  /** When the project was locked, by `performance.now()`. */
  readonly since: number
  /** Id of the deploy and of its release. */
  readonly id: string
  readonly createdAt: string
  readonly progress: Progress
  readonly stopwatch: Stopwatch
  readonly charge: Charge
  /** Lets the next build of the owner begin. */
  endTurn: () => void
  /** Ends its build, or its wait for a turn. */
  readonly cutOff: AbortController
}

/** Fires when a deploy is cut off, and with whatever else ends its work. */
export function endOf({ cutOff }: Pick<DeployRun, 'cutOff'>, signal: AbortSignal | undefined): AbortSignal {
  return signal === undefined ? cutOff.signal : AbortSignal.any([signal, cutOff.signal])
}

/** What a deploy finds: its project, locked. */
export interface DeployTarget {
  readonly repository: Repository
  readonly releases: ProjectReleases
  readonly state: Readonly<DeployState>
  /** What main is now. */
  readonly main: Oid | null
}

/** A commit that no ref names yet, and the release under way that is built of it. */
export interface Candidate {
  readonly commit: Oid
  readonly tree: Oid
  readonly mergeCommit?: Oid
  /** What is published. */
  readonly branch?: string
  readonly rollbackOf?: string
  /** Release that will be served. */
  readonly release: string
  /** What decides how the files are built, as `StoredDeploy.builder`. */
  readonly builder?: string
  readonly built: Promise<BuildOutcome>
  /** Settles when the release is durable. Nothing is published when there are errors. */
  readonly published: Promise<void>
  /** Moved in the transaction that moves main. */
  readonly refs?: readonly RefUpdate[]
}

/** A run whose deploy is on record, with all that its end needs. */
export interface RecordedRun extends DeployRun {
  /** These three change when refs moved during the build. */
  target: DeployTarget
  candidate: Candidate
  stored: StoredDeploy
  /** The refs have moved: the deploy has happened. */
  committed: boolean
}

/** What came of a build. */
export interface BuildOutcome {
  /** Empty when the site may go live. */
  readonly errors: readonly ErrorDetail[]
  /** Of pages that are as they were, or left out. */
  readonly kept?: readonly ErrorDetail[]
  readonly warnings: readonly ErrorDetail[]
  readonly pages: { readonly total: number; readonly built: number; readonly reused: number }
}

/** The record of a deploy that begins. */
export function newRecord(run: DeployRun, candidate: Candidate): Omit<StoredDeploy, 'number'> {
  const { trigger, source, id, createdAt, stopwatch } = run
  return {
    id,
    status: 'building',
    kind: source.kind,
    ...(trigger.message === undefined ? {} : { message: trigger.message }),
    by: deployAuthor(trigger.author),
    ...candidateFields(candidate),
    errors: [],
    warnings: [],
    pages: { total: 0, built: 0, reused: 0 },
    counts: { errors: 0, warnings: 0 },
    stages: stopwatch.stages(),
    createdAt,
  }
}

function deployAuthor({ name, email }: Author): DeployAuthor {
  return { kind: isKeyAddress(email) ? 'key' : 'account', name }
}

type CandidateFields = 'commit' | 'tree' | 'release' | 'mergeCommit' | 'branch' | 'rollbackOf' | 'builder'

/** What the record of a deploy says of its candidate. */
export function candidateFields(candidate: Candidate): Pick<StoredDeploy, CandidateFields> {
  const { commit, tree, release, mergeCommit, branch, rollbackOf, builder } = candidate
  return {
    commit,
    tree,
    release,
    ...(rollbackOf === undefined ? {} : { rollbackOf }),
    ...(branch === undefined ? {} : { branch }),
    ...(mergeCommit === undefined ? {} : { mergeCommit }),
    ...(builder === undefined ? {} : { builder }),
  }
}

/** What is told of a build: how many mistakes there were, and the first of them. */
export function reportOf({ errors, kept = [], warnings, pages }: BuildOutcome) {
  const all = [...errors, ...kept]
  return {
    errors: all.slice(0, maxReported),
    warnings: reportedOf(warnings),
    counts: { errors: countOf(all), warnings: countOf(warnings) },
    pages,
  }
}

export function withOutcome(stored: StoredDeploy, outcome: BuildOutcome): StoredDeploy {
  return { ...stored, ...reportOf(outcome) }
}

/** The deploy's own ref, main and what goes with them. The first exists for this deploy only: with it, the deploy has begun to happen. */
export function movesOf({ target, candidate, stored }: RecordedRun): readonly RefUpdate[] {
  const { commit, refs = [] } = candidate
  return [
    { ref: deployRef(stored.number), old: null, new: commit },
    { ref: mainRef, old: target.main, new: commit },
    ...refs,
  ]
}

export type DeployListener = (event: DeployEvent) => void

/** What happened in one running deploy, for those who watch it, also from later on. */
export class Progress {
  /** Stages so far: at most as many as there are. */
  readonly #stages: DeployEvent[] = []
  #latest: DeployEvent | undefined
  #done: DeployEvent | undefined
  readonly #listeners = new Set<DeployListener>()

  stage(stage: DeployStage): void {
    const event: DeployEvent = { type: 'stage', stage, at: new Date().toISOString() }
    this.#stages.push(event)
    this.#tell(event)
  }

  pages(done: number, total: number): void {
    this.#latest = { type: 'progress', done, total }
    this.#tell(this.#latest)
  }

  finish(deploy: Deploy): void {
    this.#done = { type: 'done', deploy }
    this.#tell(this.#done)
    this.#listeners.clear()
  }

  /** Replays the stages and the latest count, then tells what comes. Returns how to stop. */
  watch(listener: DeployListener): () => void {
    for (const event of this.#stages) listener(event)
    if (this.#latest !== undefined) listener(this.#latest)
    if (this.#done !== undefined) listener(this.#done)
    else this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #tell(event: DeployEvent): void {
    for (const listener of this.#listeners) listener(event)
  }
}

const rounded = (ms: number): number => Math.round(ms * 10) / 10

/** Milliseconds of the stages of one deploy. Stages may overlap: their sum can be more than the total. */
export class Stopwatch {
  readonly #start: number
  readonly #stages = new Map<DeployStage, number>()

  /** @param start of the deploy, by `performance.now()`. */
  constructor(start: number) {
    this.#start = start
  }

  /** Notes that a stage took from `since` until now. */
  lap(stage: DeployStage, since: number): void {
    this.#stages.set(stage, rounded(performance.now() - since))
  }

  async time<T>(stage: DeployStage, work: () => Promise<T>): Promise<T> {
    const since = performance.now()
    try {
      return await inSpan(`deploy ${stage}`, {}, work)
    } finally {
      this.lap(stage, since)
    }
  }

  stages(): Record<string, number> {
    return Object.fromEntries(this.#stages)
  }

  total(): number {
    return rounded(performance.now() - this.#start)
  }
}
