import type { ProjectFile } from '../../../../src/contract/files.ts'
import type { App } from '../../app/app.ts'
import type { BranchFiles } from '../../data/branch-files.ts'
import type { Loaded, Workspace } from '../../data/workspace.ts'
import type { TreePane } from '../../panes/tree.ts'

interface ListingOptions {
  readonly app: App
  readonly workspace: Workspace
  readonly files: BranchFiles
  readonly tree: TreePane
}

/** Milliseconds after which drafts are looked at again, when something was told of them. */
const settleMs = 300

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

  constructor({ app, workspace, files, tree }: ListingOptions) {
    this.#app = app
    this.#workspace = workspace
    this.#files = files
    this.#tree = tree
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
    this.#stop?.()
    this.#stop = undefined
    clearTimeout(this.#timer)
  }

  /** What cannot be read is told; what was there stays. */
  async load(): Promise<void> {
    const loaded = await this.#app.task(`Reading the files of ${this.#files.branch}`, () => this.#files.list())
    this.#loaded = loaded ?? this.#loaded
    this.#tree.empty =
      loaded === undefined ? 'The files could not be read. r tries again.' : 'There are no files yet. n makes a page.'
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
    const paths = unsaved.filter((one) => one.slug === slug && one.branch === branch).map(({ path }) => path)
    this.#drafts = new Set(paths)
    this.#tree.drafts = this.#drafts
    const added = paths.filter((path) => !listed.some((file) => file.path === path))
    if (listed !== this.#listed || added.join('\n') !== this.#added.join('\n')) {
      const own = added.map((path) => ({ path, status: 'added' as const, oid: '', size: 0 }))
      this.#tree.files = own.length === 0 ? listed : [...listed, ...own]
    }
    this.#listed = listed
    this.#added = added
    this.#app.refresh()
  }
}
