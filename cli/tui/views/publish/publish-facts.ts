import type { Branch, HistoryCommit } from '#contract/branches.ts'
import type { Deploy } from '#contract/deploys.ts'
import type { ProjectFile } from '#contract/files.ts'
import { contract } from '#contract/index.ts'
import type { Project } from '#contract/projects.ts'
import type { UnsavedFile } from '../../data/workspace.ts'
import type { Context } from '../shared/context.ts'
import { deploysSince, ownCommits } from '#authoring/branch-history.ts'
import { isUnderWay } from '../shared/states.ts'
import { Watch } from '../shared/watch.ts'

/** Milliseconds between two looks: while the preview is built, and otherwise. */
const soon = 1000
const seldom = 15_000
/** Looks after which a publish that was broken off has not begun. */
const patience = 10

/** What is known before a publish: each part as soon as it is there, and left out where it cannot be had. */
export class PublishFacts {
  readonly #context: Context
  readonly #onChange: () => void
  readonly #watch = new Watch(() => this.look())
  project: Project
  branch: Branch | 'main'
  files: readonly ProjectFile[] | undefined
  commits: readonly HistoryCommit[] | undefined
  since: readonly Deploy[] | undefined
  drafts: readonly UnsavedFile[] = []
  /** There is no such branch any more: it was published with `deploy`, or deleted where there is none. */
  gone: { readonly deploy: Deploy | undefined } | undefined
  /** The last publish of the branch, where nobody waited for its end. */
  unattended: Deploy | undefined
  /** Looks for a publish that may have begun. */
  #looks = 0
  /** Of publishes that had ended before. */
  readonly #known = new Set<string>()

  constructor(
    context: Context,
    { project, branch }: { readonly project: Project; readonly branch: Branch | 'main' },
    onChange: () => void,
  ) {
    this.#context = context
    this.#onChange = onChange
    this.project = project
    this.branch = branch
  }

  /** Reads all of it, and follows the preview. */
  start(): void {
    this.#watch.start(0)
    void this.#load()
  }

  stop(): void {
    this.#watch.stop()
  }

  /** Drafts of this machine that would have no branch any more. */
  async readDrafts(): Promise<readonly UnsavedFile[]> {
    const { branch } = this
    if (branch === 'main') return []
    const all = await this.#context.workspace.unsaved()
    this.drafts = all.filter(({ slug, branchId }) => slug === this.project.slug && branchId === branch.id)
    this.#onChange()
    return this.drafts
  }

  async #load(): Promise<void> {
    const { branch } = this
    if (branch === 'main') return
    const { client } = this.#context.workspace
    const { slug } = this.project
    const space = this.#context.workspace.project(slug)
    await Promise.all([
      this.#part(this.readDrafts(), () => undefined),
      this.#part(space.files(branch).list(), ({ value }) => (this.files = value)),
      this.#part(
        client.call(contract.branches.history, { params: { slug, id: branch.id }, query: { limit: 200 } }),
        ({ items }) => (this.commits = ownCommits(items, branch.base)),
      ),
      this.#part(client.call(contract.deploys.list, { params: { slug }, query: { limit: 50 } }), ({ items }) => {
        this.since = deploysSince(items, branch.base)
        for (const deploy of items) if (!isUnderWay(deploy)) this.#known.add(deploy.id)
      }),
    ])
  }

  async #part<T>(loading: Promise<T>, keep: (value: T) => void): Promise<void> {
    try {
      keep(await loading)
      this.#onChange()
    } catch (error) {
      this.#context.app.log(`a part of the summary of a publish: ${String(error)}`)
    }
  }

  /** Somebody no longer waits for the publish: how it ends is looked for. @param known the last one before it */
  follow(known: Deploy | undefined): void {
    if (known !== undefined) this.#known.add(known.id)
    this.#looks = patience
    this.#watch.start(0)
  }

  /** Looks at once. @returns milliseconds until it is worth to look again */
  async look(): Promise<number | undefined> {
    const { branch } = this
    const space = this.#context.workspace.project(this.project.slug)
    this.project = (await space.read()).value
    if (branch === 'main') return undefined
    const { value, offline } = await space.branches()
    const now = value.find(({ id }) => id === branch.id)
    const isGone = now === undefined && !offline
    if (isGone || this.#looks > 0) await this.#lookForPublish(branch, isGone)
    this.branch = now ?? branch
    this.#onChange()
    if (isGone) return undefined
    const isGoing = this.unattended !== undefined && this.unattended.status !== 'failed'
    return this.#looks > 0 || isGoing || isUnderWay(this.branch.preview) ? soon : seldom
  }

  /** How the last publish of the branch ended, or that it is none. */
  async #lookForPublish({ name, createdAt }: Branch, isGone: boolean): Promise<void> {
    const params = { slug: this.project.slug }
    const { items } = await this.#context.workspace.client.call(contract.deploys.list, { params, query: { limit: 50 } })
    const deploy = items.find((one) => one.kind === 'publish' && one.branch === name && one.createdAt >= createdAt)
    if (isGone) this.gone = { deploy: deploy?.status === 'failed' ? undefined : deploy }
    const isNew = deploy !== undefined && !this.#known.has(deploy.id)
    if (this.#looks === 0 || (isNew && isUnderWay(deploy))) return
    this.#looks = isNew || isGone ? 0 : this.#looks - 1
    if (isNew) this.unattended = deploy
  }
}
