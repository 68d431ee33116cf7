import { randomBytes } from 'node:crypto'
import type { ErrorDetail } from '../contract/common.ts'
import type { Deploy, DeployAuthor, DeployKind, DeployStatus } from '../contract/deploys.ts'
import type { RefUpdate } from '../content/repository.ts'

const dayMs = 24 * 60 * 60 * 1000

/** Deploys in the document, which is written twice a deploy: with the bounds below it stays well under 256 KB. */
export const maxSummaries = 100
/** Releases kept to roll back to. */
export const maxLive = 50
/** The newest deploys show their first errors and warnings in lists; of older ones only how many there were. */
const maxDetailed = 20
const maxDetails = 3
const maxMessage = 200
/** About 150 bytes each. Beyond it the oldest are forgotten before their day is over. */
export const maxKeys = 1000

/**
 * A deploy as it is stored. Its URL follows from the settings and is put in when it is read. `live` stays in the
 * record of every deploy that went live: which one is live now says the pointer.
 */
export interface StoredDeploy {
  readonly id: string
  readonly number: number
  readonly status: Exclude<DeployStatus, 'superseded'>
  readonly kind: DeployKind
  readonly branch?: string
  readonly message?: string
  /** Earlier versions did not note it. */
  readonly by?: DeployAuthor
  readonly commit?: string
  readonly mergeCommit?: string
  readonly tree?: string
  /** The release that it serves: its own, or for a rollback and for unchanged content an earlier one. */
  readonly release: string
  readonly rollbackOf?: string
  /**
   * The refs that its transaction moves, in that order. Only in its report, which is written before: git renames one
   * after the other, and a crash in between is carried to its end by this.
   */
  readonly moves?: readonly RefUpdate[]
  /** What the site was built with, as far as the same files could build to something else. */
  readonly builder?: string
  readonly pages: { total: number; built: number; reused: number }
  readonly errors: ErrorDetail[]
  readonly warnings: ErrorDetail[]
  readonly counts: { errors: number; warnings: number }
  readonly stages: Record<string, number>
  readonly durationMs?: number
  readonly createdAt: string
  readonly finishedAt?: string
}

/** Which request an idempotency key stood for. */
export interface IdempotencyEntry {
  /** Digest of the key. */
  readonly key: string
  /** Digest of the request body. */
  readonly body: string
  readonly deploy: string
  readonly at: string
}

/** A release that was live, and the deploy that served it last. */
export interface LiveRelease {
  readonly release: string
  readonly deploy: string
}

/** What this room keeps in a project's document. */
export interface DeployState {
  /** Number of the next deploy. */
  next: number
  /** The live pointer. */
  live: StoredDeploy | null
  /** Newest first; the older ones are only in their files. */
  deploys: StoredDeploy[]
  /**
   * Releases that were live, newest first. A list of its own, so that deploys that failed do not push them out. The name is
   * that of documents which were written long ago.
   */
  went?: LiveRelease[]
  idempotency: IdempotencyEntry[]
}

/** A project's document, as far as this room knows it. Other rooms have members of their own. */
export interface DeployDocument {
  deploying?: DeployState
}

export const emptyState = (): DeployState => ({ next: 1, live: null, deploys: [], idempotency: [] })

const cut = (text: string, length: number): string => (text.length <= length ? text : `${text.slice(0, length - 1)}…`)

/** Messages quote tenants’ files; the store takes neither NUL nor half a character. */
const storable = (text: string): string => text.replace(/[\0\p{Surrogate}]/gu, '\uFFFD')

/** The first few, without the source lines. */
function digest(details: readonly ErrorDetail[]): ErrorDetail[] {
  return details
    .slice(0, maxDetails)
    .map(({ frame: _frame, ...detail }) => ({ ...detail, message: storable(cut(detail.message, maxMessage)) }))
}

/** A deploy as the project's document holds it: small. */
export function summarise({ moves: _moves, ...deploy }: StoredDeploy): StoredDeploy {
  return {
    ...deploy,
    ...(deploy.message === undefined ? {} : { message: cut(deploy.message, maxMessage) }),
    errors: digest(deploy.errors),
    warnings: digest(deploy.warnings),
  }
}

/** Puts a deploy in its place among the newest; the oldest beyond the bound go. */
export function putSummary(state: DeployState, deploy: StoredDeploy): void {
  const summary = summarise(deploy)
  const index = state.deploys.findIndex((other) => other.id === deploy.id)
  if (index === -1) state.deploys.unshift(summary)
  else state.deploys[index] = summary
  state.deploys.splice(maxSummaries)
  const { [maxDetailed]: aged } = state.deploys
  if (aged !== undefined) state.deploys[maxDetailed] = { ...aged, errors: [], warnings: [] }
}

/** The last releases that were live, newest first. Documents of before had no list of them. */
export function liveReleases(state: Readonly<DeployState>): readonly LiveRelease[] {
  if (state.went !== undefined) return state.went
  const live = state.deploys.filter((deploy) => deploy.status === 'live')
  return live.slice(0, maxLive).map(({ id, release }) => ({ release, deploy: id }))
}

/** Puts the release of a deploy that goes live in front; the oldest beyond the bound go. */
export function putLive(state: DeployState, { id, release }: StoredDeploy): void {
  const others = liveReleases(state).filter((other) => other.release !== release)
  state.went = [{ release, deploy: id }, ...others].slice(0, maxLive)
}

/** Forgets keys that are older than a day, and the oldest beyond the bound. */
export function pruneKeys(state: DeployState, now: Date): void {
  const kept = state.idempotency.filter((entry) => now.getTime() - Date.parse(entry.at) < dayMs)
  state.idempotency = kept.slice(-maxKeys)
}

/** An id that sorts by time and cannot be guessed: `0mi3k2x9q4f8a1c07`. Also the name of its release and file. */
export function newDeployId(now: Date): string {
  const time = now.getTime().toString(36).padStart(10, '0')
  return time + randomBytes(5).readUIntBE(0, 5).toString(36).padStart(8, '0')
}

/** The deploy as the API shows it. */
export function present(
  deploy: StoredDeploy,
  context: { readonly project: string; readonly url: string; readonly live: string | null },
): Deploy {
  const { release: _release, builder: _builder, moves: _moves, ...shown } = deploy
  const status = deploy.status === 'live' && context.live !== deploy.id ? 'superseded' : deploy.status
  return { ...shown, status, project: context.project, url: context.url }
}
