import type { Branch, HistoryCommit } from '../../../../src/contract/branches.ts'
import type { Deploy } from '../../../../src/contract/deploys.ts'
import type { ProjectFile } from '../../../../src/contract/files.ts'
import { contract } from '../../../../src/contract/index.ts'
import type { Project } from '../../../../src/contract/projects.ts'
import type { UnsavedFile } from '../../data/workspace.ts'
import type { Context } from '../shared/context.ts'
import { deploysSince, ownCommits } from './publish-summary.ts'
import { isUnderWay } from '../shared/states.ts'
import { Watch } from '../shared/watch.ts'

/** Milliseconds between two looks: while the preview is built, and otherwise. */
const soon = 1000
const seldom = 15_000

/** What is known before a publish: each part as soon as it is there, and left out where it cannot be had. */
export class PublishFacts {
  readonly #context: Context
  readonly #onChange: () => void
  readonly #watch = new Watch(() => this.#look())
  project: Project
  branch: Branch | 'main'
  files: readonly ProjectFile[] | undefined
  commits: readonly HistoryCommit[] | undefined
  since: readonly Deploy[] | undefined
  drafts: readonly UnsavedFile[] = []

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
      this.#part(
        client.call(contract.deploys.list, { params: { slug }, query: { limit: 50 } }),
        ({ items }) => (this.since = deploysSince(items, branch.base)),
      ),
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

  /** @returns milliseconds until it is worth to look again */
  async #look(): Promise<number | undefined> {
    const { branch } = this
    const space = this.#context.workspace.project(this.project.slug)
    this.project = (await space.read()).value
    if (branch === 'main') return undefined
    const { value } = await space.branches()
    const now = value.find(({ id }) => id === branch.id) ?? branch
    this.branch = now
    this.#onChange()
    return isUnderWay(now.preview) ? soon : seldom
  }
}
