import { onTestFinished } from 'vitest'
import { Branches } from '#branching/branches.ts'
import type { PreviewEnded } from '#branching/ports.ts'
import type { BranchRecord } from '#branching/registry.ts'
import type { Precondition, Saved } from '#branching/saves.ts'
import { branchRef, mainRef } from '#content/refs/ref-names.ts'
import type { Oid, RefUpdate, Repository } from '#content/repository.ts'
import type { Branch, Resolution } from '#contract/branches.ts'
import type { Deploy } from '#contract/deploys.ts'
import { Checks } from '#deploying/checks.ts'
import { Deploys } from '#deploying/deploys.ts'
import type { FailpointName, AcceptedDeploy, DeployFinished } from '#deploying/ports.ts'
import { DeployReports } from '#deploying/reports.ts'
import type { DeployTrigger } from '#deploying/content-source.ts'
import type { ProjectReleases } from '#hosting/hosting.ts'
import type { Reserved } from '#usage/usage.ts'
import { openDocuments } from '#storage/documents/document-store.ts'
import type { Store } from '#storage/store.ts'
import type { OnePageRenderer } from '#site/one-page.ts'
import { FairLimit } from '#lib/fair-limit.ts'
import { HeldBuilder } from './held-builder.ts'
import { MemoryDocuments } from './memory-documents.ts'
import { MemoryRecords } from './memory-records.ts'
import { MemoryReleases } from './memory-releases.ts'
import { MemoryRepository } from './memory-repository.ts'

export const author = { name: 'Ada', email: 'ada@example.com' }
export const projectId = 'docs'
const document = `project/${projectId}`

class Killed extends Error {}

/** What one process has in its hands; of a killed one nothing reaches the data any more. */
class Process {
  killed = false

  guard<T extends object>(target: T): T {
    return new Proxy(target, {
      get: (inner, name) => {
        const value: unknown = Reflect.get(inner, name, inner)
        if (typeof value !== 'function') return value
        return (...args: unknown[]): unknown => {
          if (this.killed) return Promise.reject(new Killed())
          return Reflect.apply(value, inner, args)
        }
      },
    })
  }
}

/**
 * Deploying and branching over one project whose repository, documents, records and releases are in memory, in the
 * words of their tests. What other rooms are told is written down; any step can be made to fail, wait or kill the process.
 */
export class Rooms {
  readonly builder = new HeldBuilder()
  readonly repository = new MemoryRepository(projectId)
  readonly releases = new MemoryReleases()
  /** Events in the outbox, in order. */
  readonly events: (DeployFinished | PreviewEnded)[] = []
  /** What became of the plan's allowance: `deploy held d1`, `deploy used`, `branch given back`, … */
  readonly quota: string[] = []
  readonly logged: string[] = []
  /** Builds under way; the project’s owner is `owner`. */
  deployBuilds!: FairLimit
  previewBuilds!: FairLimit
  checkBuilds!: FairLimit
  searches!: FairLimit
  renders!: FairLimit
  /** Renders a page by itself; it comes out empty unless a test says otherwise. */
  renderPage: OnePageRenderer['render'] = async () => ({ ok: true, html: '', title: '', headings: [], warnings: [] })
  /** Steps of deploys that were reached. */
  readonly steps: FailpointName[] = []
  /** What happens at a step. */
  onStep: (step: FailpointName) => void = () => undefined
  /** Thrown by the outbox, by the plan. */
  outboxRefuses: Error | undefined
  quotaRefuses: Error | undefined
  /** Thrown by a write of the project's document. */
  storeRefuses: (() => Error | undefined) | undefined
  store!: Store
  deploys!: Deploys
  checks!: Checks
  branches!: Branches
  #documents = new MemoryDocuments()
  #records = new MemoryRecords()
  #process = new Process()

  private constructor() {}

  static async open(): Promise<Rooms> {
    const rooms = new Rooms()
    rooms.store = await openDocuments(rooms.#documents)
    await rooms.store.mutate(document, () => ({ document: { title: 'Docs' }, result: undefined }))
    await rooms.#start()
    onTestFinished(async () => {
      rooms.builder.release()
      await rooms.branches.close()
      await rooms.deploys.drain(1000)
    })
    return rooms
  }

  /** The process is gone, as with kill -9: nothing that it still does is kept. */
  kill(): void {
    this.#process.killed = true
  }

  /** The next process on the same data. */
  async restart(): Promise<void> {
    this.kill()
    this.builder.release()
    this.onStep = () => undefined
    this.#documents = this.#documents.afterDeath()
    this.#records = this.#records.afterDeath()
    this.store = await openDocuments(this.#documents)
    this.#process = new Process()
    await this.#start()
  }

  trigger(rest: Partial<DeployTrigger> = {}): DeployTrigger {
    return { projectId, author, receivedAt: performance.now(), ...rest }
  }

  /** Settles at the end of the deploy. */
  deploy(files: Readonly<Record<string, string>>, rest: Partial<DeployTrigger> = {}): Promise<Deploy> {
    const list = Object.entries(files).map(([path, content]) => ({ path, content }))
    return ended(this.deploys.deploy(this.trigger(rest), list))
  }

  publish(
    branch: Pick<Branch, 'id'> | null,
    resolutions?: readonly Resolution[],
    rest: Partial<DeployTrigger> = {},
  ): Promise<Deploy> {
    const what = { resolutions, ...(branch === null ? {} : { id: branch.id }) }
    return ended(this.branches.publish(this.trigger(rest), what))
  }

  rollback(id: string): Promise<Deploy> {
    return ended(this.deploys.rollback(this.trigger(), id))
  }

  branch(name: string, from?: string): Promise<Branch> {
    return this.branches.create(projectId, { name, author, ...(from === undefined ? {} : { from }) })
  }

  async list(): Promise<Branch[]> {
    return (await this.branches.list(projectId, {})).items
  }

  read({ id }: Pick<Branch, 'id'>): Promise<Branch> {
    return this.branches.read(projectId, id)
  }

  /** Saves over whatever is there. */
  save({ id }: Pick<Branch, 'id'>, path: string, content: string | null): Promise<Saved> {
    return this.branches.saves.commit({ projectId, id, author }, [{ path, content }])
  }

  saveFile({ id }: Pick<Branch, 'id'>, path: string, text: string, precondition: Precondition): Promise<Saved> {
    return this.branches.saves.file({ projectId, id, author }, { path, bytes: Buffer.from(text) }, precondition)
  }

  /** Waits until nothing is under way for the preview; answers with the branch then. */
  async previewed(branch: Branch): Promise<Branch> {
    const { id } = await this.read(branch)
    for (;;) {
      const shown = await this.read({ id })
      if (shown.preview.status !== 'queued' && shown.preview.status !== 'building') return shown
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  /** Once, after the site was built and before the refs move; the work gets what shall move. */
  beforeMainMoves(work: (updates: readonly RefUpdate[]) => Promise<unknown>): void {
    const { repository } = this
    const updateRefs = repository.updateRefs.bind(repository)
    repository.updateRefs = async (updates) => {
      if (!updates.some(({ ref }) => ref === mainRef)) return updateRefs(updates)
      repository.updateRefs = updateRefs
      await work(updates)
      return updateRefs(updates)
    }
  }

  recordOf(branch: Branch): BranchRecord | undefined {
    return this.branches.atLabel(new URL(branch.previewUrl).hostname)
  }

  /** What the preview of a branch shows at a path; null when there is none. */
  preview(branch: Branch, path: string): string | null {
    const served = this.recordOf(branch)?.served
    return served === undefined ? null : (this.releases.text(served.release, path) ?? null)
  }

  /** What readers get at a path. */
  site(path: string): string | undefined {
    const release = this.deploys.liveRelease(projectId)
    return release === undefined ? undefined : this.releases.text(release, path)
  }

  main(): Promise<Oid | null> {
    return this.repository.resolveRef(mainRef)
  }

  head(name: string): Promise<Oid | null> {
    return this.repository.resolveRef(branchRef(name))
  }

  /** All refs, for "nothing has moved". */
  async refs(): Promise<Record<string, Oid>> {
    return Object.fromEntries(await this.repository.listRefs('refs/'))
  }

  /** The files of a commit with their content. */
  async files(commit: Oid): Promise<Record<string, string>> {
    const files: Record<string, string> = {}
    for (const [path, { oid }] of await this.repository.readTree(commit))
      files[path] = (await this.repository.readBlob(oid)).toString()
    return files
  }

  async history(): Promise<Deploy[]> {
    return (await this.deploys.list(projectId, { limit: 100 })).items
  }

  async #start(): Promise<void> {
    const process = this.#process
    const store = process.guard(this.store)
    const refusing: Pick<Store, 'read' | 'list' | 'setAside' | 'acquire' | 'release' | 'mutate' | 'readOnly'> = {
      readOnly: null,
      setAside: () => [],
      read: (name) => store.read(name),
      list: (prefix) => store.list(prefix),
      acquire: (name, lock) => store.acquire(name, lock),
      release: (lease) => store.release(lease),
      mutate: async (name, change, options) => {
        const refusal = this.storeRefuses?.()
        if (refusal !== undefined) throw refusal
        return store.mutate(name, change, options)
      },
    }
    const repositories = {
      open: async (): Promise<Repository> => process.guard<Repository>(this.repository),
    }
    const hosting = {
      open: async (): Promise<ProjectReleases> => process.guard<ProjectReleases>(this.releases),
    }
    const shared = {
      slugOf: (project: string) => project,
      store: refusing,
      repositories,
      hosting,
      builder: this.builder,
      now: () => new Date(),
      documentOf: (project: string) => `project/${project}`,
      titleOf: async () => 'Docs',
      onErrorOf: async () => 'refuse' as const,
      ownerOf: () => 'owner',
      log: {
        info: () => undefined,
        warn: (_details: unknown, message: string) => void this.logged.push(message),
        error: (_details: unknown, message: string) => void this.logged.push(message),
      },
    }
    const outbox = {
      requireRoom: async () => {
        if (this.outboxRefuses !== undefined) throw this.outboxRefuses
      },
      record: (_document: object, event: DeployFinished | PreviewEnded) => {
        if (!('type' in event) && this.outboxRefuses !== undefined) throw this.outboxRefuses
        if (!process.killed) this.events.push(event)
      },
      wake: () => undefined,
    }
    this.deployBuilds = new FairLimit({ slots: 2, share: 1, reserve: 1, firsts: 0, queue: 1 })
    this.previewBuilds = new FairLimit({ slots: 4, share: 2, reserve: 2, firsts: 0 })
    this.deploys = new Deploys({
      ...shared,
      builds: this.deployBuilds,
      outbox,
      previews: { releases: async () => this.branches.releases(projectId) },
      reserveDeploy: () => this.#reserve('deploy'),
      siteUrl: (project) => `https://${project}.test`,
      canonicalUrl: (project) => `https://${project}.test`,
      reports: new DeployReports(this.#records),
      failpoint: (step) => {
        this.steps.push(step)
        this.onStep(step)
      },
    })
    this.checkBuilds = new FairLimit({ slots: 2, share: 1, reserve: 1, firsts: 0, queue: 1 })
    this.checks = new Checks({
      ...shared,
      builds: this.checkBuilds,
      deploys: this.deploys,
      canonicalUrl: (project) => `https://${project}.test`,
    })
    this.searches = new FairLimit({ slots: 1, share: 1, reserve: 0, firsts: 0, queue: 1 })
    this.renders = new FairLimit({ slots: 1, share: 1, reserve: 0, firsts: 0, queue: 1 })
    this.branches = new Branches({
      ...shared,
      checks: this.checks,
      builds: this.previewBuilds,
      searches: this.searches,
      renders: this.renders,
      pages: { render: (request) => this.renderPage(request) },
      outbox,
      deploys: this.deploys,
      documentPrefix: 'project/',
      urlOf: (label) => `https://${label}`,
      reserveBranch: () => this.#reserve('branch'),
    })
    await this.branches.load()
    await this.deploys.recover()
    this.branches.recoverInBackground()
  }

  async #reserve(what: string): Promise<Reserved> {
    if (this.quotaRefuses !== undefined) throw this.quotaRefuses
    let settled = false
    return {
      hold: async (subject) => {
        this.quota.push(`${what} held ${subject}`)
      },
      settle: async (used) => {
        if (settled) return
        settled = true
        this.quota.push(`${what} ${used === 1 ? 'used' : 'given back'}`)
      },
    }
  }
}

/** The deploy at its end; its failure is an answer, too. */
export async function ended(accepting: Promise<AcceptedDeploy>): Promise<Deploy> {
  return (await accepting).finished
}
