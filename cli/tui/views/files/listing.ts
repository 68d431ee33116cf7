import type { ProjectFile } from '#contract/files.ts'
import { Failure } from '#contract/failure.ts'
import type { App } from '../../app/app.ts'
import type { BranchFiles } from '../../data/branch-files.ts'
import type { Loaded, Workspace } from '../../data/workspace.ts'
import { ofBranch } from '../shared/gone.ts'
import type { TreePane } from '../../panes/tree.ts'

interface ListingOptions {
  readonly app: App
  readonly workspace: Workspace
  readonly files: BranchFiles
  readonly tree: TreePane
  /** The tree shows other files. */
  readonly onChange: () => void
}

/** Milliseconds after which drafts are looked at again, when something was told of them. */
const settleMs = 300
/** Between two looks whether the branch has moved, while somebody looks for a file. */
const renewMs = 5_000

/** Keeps a tree at what the branch has, and at what is written here and not saved. */
export class Listing {
  readonly #app: App
  readonly #workspace: Workspace
  readonly #files: BranchFiles
  readonly #tree: TreePane
  #loaded: Loaded<readonly ProjectFile[]> | undefined
  #drafts: ReadonlySet<string> = new Set()
  /** What the tree shows: the list, and pages that are not on the branch yet. */
  #listed: readonly ProjectFile[] | undefined
  #added: readonly string[] = []
  #stop: (() => void) | undefined
  #timer: NodeJS.Timeout | undefined
  readonly #onChange: () => void
  #renewedAt = -Infinity
  #isClosed = false

  constructor({ app, workspace, files, tree, onChange }: ListingOptions) {
    this.#app = app
    this.#workspace = workspace
    this.#files = files
    this.#tree = tree
    this.#onChange = onChange
  }

  get loaded(): Loaded<readonly ProjectFile[]> | undefined {
    return this.#loaded
  }

  /** Paths with a text here that is not saved. */
  get drafts(): ReadonlySet<string> {
    return this.#drafts
  }

  /** Follows drafts until it is closed. */
  follow(): void {
    this.#stop ??= this.#workspace.onChange(() => this.#changed())
  }

  close(): void {
    this.#isClosed = true
    this.#stop?.()
    this.#stop = undefined
    clearTimeout(this.#timer)
  }

  /** What cannot be read is told; what was there stays. */
  async load(): Promise<void> {
    const { branch, branchId } = this.#files
    const loaded = await this.#app.task(`Reading the files of ${branch}`, () =>
      this.#files.list().catch((error: unknown) => {
        throw branchId === undefined ? error : ofBranch(error, { name: branch })
      }),
    )
    this.#loaded = loaded ?? this.#loaded
    this.#tree.empty =
      loaded === undefined ? 'The files could not be read. r tries again.' : 'There are no files yet. n makes a page.'
    await this.#readDrafts()
  }

  /** As `load`, where the branch has moved since; not too often, and nobody is told of what fails. */
  renew(): void {
    const now = performance.now()
    if (now - this.#renewedAt < renewMs) return
    this.#renewedAt = now
    this.#renew().catch((error: unknown) => this.#app.fail(error))
  }

  async #renew(): Promise<void> {
    const before = this.#loaded
    let loaded: Loaded<readonly ProjectFile[]>
    try {
      loaded = await this.#files.list(before?.value)
    } catch (error) {
      if (error instanceof Failure) return
      throw error
    }
    // Who looked meanwhile has seen it as it is now, or later.
    if (this.#isClosed || before !== this.#loaded || loaded.value === before?.value || loaded.offline) return
    this.#loaded = loaded
    await this.#readDrafts()
  }

  #changed(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#readDrafts().catch((error: unknown) => this.#app.fail(error)), settleMs)
  }

  async #readDrafts(): Promise<void> {
    const { slug, branch } = this.#files
    const unsaved = await this.#workspace.unsaved()
    const listed = this.#loaded?.value ?? []
    const paths = unsaved
      .filter((one) => one.slug === slug && one.branch === branch && one.message === undefined)
      .map(({ path }) => path)
    this.#drafts = new Set(paths)
    this.#tree.drafts = this.#drafts
    const added = paths.filter((path) => !listed.some((file) => file.path === path))
    if (listed !== this.#listed || added.join('\n') !== this.#added.join('\n')) {
      const own = added.map((path) => ({ path, status: 'added' as const, oid: '', size: 0 }))
      this.#tree.files = own.length === 0 ? listed : [...listed, ...own]
      this.#onChange()
    }
    this.#listed = listed
    this.#added = added
    this.#app.refresh()
  }
}
