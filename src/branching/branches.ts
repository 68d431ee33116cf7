import { pageOf } from '../lib/pages.ts'
import { nextTurn, isTurnOver } from '../lib/slices.ts'
import { branchRef, mainRef, normaliseBranchName } from '../content/refs/ref-names.ts'
import type { Author, Oid } from '../content/repository.ts'
import type {
  Branch,
  BranchChange,
  BranchRender,
  CommitComparison,
  HistoryCommit,
  HistoryQuery,
} from '../contract/branches.ts'
import type { Check } from '../contract/checks.ts'
import type { List, ListQuery } from '../contract/common.ts'
import { Failure } from '../contract/failure.ts'
import type { DeployTrigger } from '../deploying/content-source.ts'
import type { AcceptedDeploy } from '../deploying/ports.ts'
import { contentAt, type BranchContent } from './branch-content.ts'
import { BranchRefs } from './branch-refs.ts'
import { checkBranch, type UnsavedChanges } from './check.ts'
import { Contents } from './contents.ts'
import { commitsOf, comparisonOf, rangeOf } from './history.ts'
import { decisionsOf, mergedTree, type MergeRequest } from './merge.ts'
import type { BranchingPorts } from './ports.ts'
import { Comparisons, Presenter } from './present.ts'
import { Previews, type PreviewListener } from './previews.ts'
import { BranchPublish, MainPublish } from './publish.ts'
import { Pushes } from './push.ts'
import { previewLabel, Registry, type BranchRecord } from './registry.ts'
import { renderUnsaved } from './render.ts'
import { decodeChanges, Saves } from './saves.ts'
import { SentBranches, type SentFolder } from './sent-branches.ts'

/** A page whose text is not saved, and other files that are not. */
interface SentPage {
  readonly path: string
  readonly content: Buffer
  readonly changes?: readonly BranchChange[]
}

/** Everything about branches: their refs and records, saves, merges, previews. */
export class Branches {
  readonly #ports: BranchingPorts
  readonly #registry: Registry
  readonly #refs: BranchRefs
  readonly #previews: Previews
  readonly #comparisons = new Comparisons()
  readonly #presenter: Presenter
  readonly #sent: SentBranches
  #recovering: Promise<void> = Promise.resolve()
  #closed = false
  readonly contents: Contents
  readonly saves: Saves
  /** Where pushes arrive. */
  readonly pushes: Pushes

  constructor(ports: BranchingPorts) {
    const registry = new Registry(ports)
    const previews = new Previews(ports, registry)
    const refs = new BranchRefs({ ports, registry, previews })
    this.#ports = ports
    this.#registry = registry
    this.#previews = previews
    this.#refs = refs
    this.#presenter = new Presenter({
      slugOf: ports.slugOf,
      urlOf: ports.urlOf,
      previews,
      comparisons: this.#comparisons,
    })
    const { repositories } = ports
    this.#sent = new SentBranches({ repositories, refs, registry, comparisons: this.#comparisons })
    this.contents = new Contents({ ports, refs, comparisons: this.#comparisons })
    this.saves = new Saves(refs, ports)
    this.pushes = new Pushes({ ports, refs, previews })
  }

  /** See `BranchRefs.copy`. */
  async create(
    projectId: string,
    request: { readonly name: string; readonly from?: string; readonly author: Author },
  ): Promise<Branch> {
    const { id } = await this.#refs.copy(projectId, request)
    return this.read(projectId, id)
  }

  /** Whether there is a branch of that name. Throws `not_found` for the project. */
  async exists(projectId: string, name: string): Promise<boolean> {
    const repository = await this.#ports.repositories.open(projectId)
    return (await repository.resolveRef(branchRef(name))) !== null
  }

  /** Newest first. */
  async list(projectId: string, query: ListQuery & { readonly name?: string }): Promise<List<Branch>> {
    const wanted = query.name === undefined ? undefined : normaliseBranchName(query.name)
    const found = (await this.#refs.all(projectId)).filter(
      ({ record }) => wanted === undefined || record.name === wanted,
    )
    const page = pageOf(found, query, ({ record }) => `${record.createdAt} ${record.id}`)
    const items: Branch[] = []
    for (const branch of page.items) {
      if (isTurnOver()) await nextTurn()
      items.push(await this.#presenter.branch(branch))
    }
    return { ...page, items }
  }

  /** Throws `not_found`, as all that take an id. */
  async read(projectId: string, id: string): Promise<Branch> {
    return this.#presenter.branch(await this.#refs.find(projectId, id))
  }

  /** Makes a folder all that a branch holds, and the branch where there is none: see `SentBranches.send`. */
  async send(projectId: string, folder: SentFolder): Promise<{ readonly branch: Branch; readonly isNew: boolean }> {
    const { branch, isNew } = await this.#sent.send(projectId, folder)
    return { branch: await this.#presenter.branch(branch), isNew }
  }

  /** See `SentBranches.close`. */
  closeSent(projectId: string, sent: Pick<SentFolder, 'name' | 'expectedHead'>): Promise<void> {
    return this.#sent.close(projectId, sent)
  }

  /** Deletes a branch with its record and preview. */
  remove(projectId: string, id: string): Promise<void> {
    return this.#refs.remove(projectId, id)
  }

  /** Throws `not_found` where there is no such branch. */
  async require(projectId: string, id: string): Promise<void> {
    await this.#refs.find(projectId, id)
  }

  /** Whether a branch is on record. Only memory is looked at. */
  isKnown(projectId: string, id: string): boolean {
    return this.#registry.byId(projectId, id) !== undefined
  }

  /** Undefined where none is on record. Only memory is looked at. */
  nameOf(projectId: string, id: string): string | undefined {
    return this.#registry.byId(projectId, id)?.name
  }

  /** What a branch holds now, and nothing else of its repository. */
  async content(projectId: string, id: string): Promise<BranchContent> {
    const { repository, head, record } = await this.#refs.find(projectId, id)
    return contentAt(repository, head, record.name)
  }

  /** Changes since the branch left main, or of one of its commits, as lines and words. */
  async diff(
    projectId: string,
    id: string,
    { path, commit }: { readonly path?: string; readonly commit?: Oid } = {},
  ): Promise<CommitComparison> {
    const { repository, head, record } = await this.#refs.find(projectId, id)
    const range =
      commit === undefined
        ? { head, base: await this.#comparisons.base(repository, await repository.resolveRef(mainRef), head) }
        : await rangeOf(repository, commit, { head, where: `The branch ${record.name}` })
    return comparisonOf(repository, range, path)
  }

  /**
   * What the preview of a branch would say when changes were saved. Keeps nothing. Failures: `not_found`, `stale_file`,
   * `invalid_path`, `rate_limited`.
   */
  async check(projectId: string, id: string, unsaved: UnsavedChanges, signal: AbortSignal): Promise<Check> {
    return checkBranch(this.#ports, await this.#refs.find(projectId, id), unsaved, signal)
  }

  /** As `check`, of changes on the branch’s head as they were sent; also `invalid_request`, `file_too_large`. */
  async checkSent(projectId: string, id: string, sent: readonly BranchChange[], signal: AbortSignal): Promise<Check> {
    const changes = await decodeChanges(sent)
    const branch = await this.#refs.find(projectId, id)
    return checkBranch(this.#ports, branch, { commit: branch.head, changes }, signal)
  }

  /** A page with what is not saved of it, as it was sent. See `renderUnsaved`; also `not_found`, and as `checkSent`. */
  async render(
    projectId: string,
    id: string,
    { path, content, changes = [] }: SentPage,
    signal: AbortSignal,
  ): Promise<BranchRender> {
    const unsaved = { path, content, changes: await decodeChanges(changes) }
    return renderUnsaved(this.#ports, await this.#refs.find(projectId, id), unsaved, signal)
  }

  /** Commits of a branch, newest first; with a path only those that touched the file. */
  async history(projectId: string, id: string, query: HistoryQuery): Promise<List<HistoryCommit>> {
    const { repository, head } = await this.#refs.find(projectId, id)
    return commitsOf(repository, head, query)
  }

  /** Merges main into a branch. Failures: `merge_conflict`, `not_found`. */
  async update({ projectId, id, author, message, resolutions }: MergeRequest): Promise<Branch> {
    const decisions = await decisionsOf(resolutions)
    const updated = await this.#refs.advance(projectId, id, async ({ repository, head, record: { name } }) => {
      const main = await repository.resolveRef(mainRef)
      if (main === null) return head
      const base = await this.#comparisons.base(repository, main, head)
      if (base === main) return head
      if (base === head) return main
      const tree = await mergedTree(repository, { main, head, name, decisions })
      const text = message?.trim() || `Merge main into ${name}`
      return repository.commitTree({ tree, parents: [head, main], author, message: text })
    })
    return this.#presenter.branch(updated)
  }

  /** Publishes a branch, or without an id main again. Failures: `merge_conflict` and those of the pipeline. */
  async publish(
    trigger: DeployTrigger,
    { id, resolutions }: Pick<MergeRequest, 'resolutions'> & { readonly id?: string },
  ): Promise<AcceptedDeploy> {
    const { projectId, author, message } = trigger
    const { deploys } = this.#ports
    if (id !== undefined) {
      const source = new BranchPublish(this.#refs, { projectId, id, author, message, resolutions })
      return deploys.run(trigger, source)
    }
    if (resolutions !== undefined && resolutions.length > 0) {
      throw new Failure('invalid_request', 'Main alone has no conflicts that `resolutions` could settle.', {
        hint: 'Send `branchId`, too, to publish a branch.',
      })
    }
    return deploys.run(trigger, new MainPublish())
  }

  /** The branch whose preview has this label. Only memory is looked at. */
  atLabel(label: string): BranchRecord | undefined {
    return this.#registry.byLabel(label)
  }

  /** The label of the preview that had another one while its project had the slug `former`; undefined for none. */
  labelSince(projectId: string, former: string, label: string): string | undefined {
    return this.#registry.records(projectId).find(({ name }) => previewLabel(former, name) === label)?.label
  }

  /** The project has another slug, and its previews other hosts. */
  renamed(projectId: string): void {
    this.#registry.renamed(projectId)
  }

  /** Tells what happens to a preview. Returns how to stop. */
  watch(record: BranchRecord, listener: PreviewListener): () => void {
    return this.#previews.watch(record, listener)
  }

  /** Releases that previews of a project show. */
  releases(projectId: string): readonly string[] {
    return this.#registry.records(projectId).flatMap(({ served }) => (served === undefined ? [] : [served.release]))
  }

  /** The project is being removed: ends what is built of it. */
  async removed(projectId: string): Promise<void> {
    const records = this.#registry.forgetProject(projectId)
    for (const record of records) this.#previews.drop(record)
    await this.#previews.idle(records)
  }

  /** At start, after the deploys’ recovery: learns what is on record. */
  load(): Promise<void> {
    return this.#registry.load()
  }

  /**
   * After the start: records follow the refs again, and previews that a crash kept from being built or that hosting does
   * not have are built.
   */
  recoverInBackground(): void {
    this.#recovering = this.#recoverAll()
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([this.#recovering, this.#previews.close()])
  }

  async #recoverAll(): Promise<void> {
    for (const projectId of this.#registry.projectIds()) {
      if (this.#closed) return
      try {
        await this.#recover(projectId)
      } catch (error) {
        // One damaged project must not keep the others from their previews.
        this.#ports.log.error({ err: error, projectId }, 'the branches of a project could not be recovered')
      }
    }
  }

  /** Has previews built again whose releases are not there any more. */
  async recoverPreviews(projectId: string): Promise<void> {
    await this.#recover(projectId)
  }

  async #recover(projectId: string): Promise<void> {
    const releases = await this.#ports.hosting.open(projectId)
    for (const { record, head } of await this.#refs.all(projectId)) {
      const kept = record.served !== undefined && releases.keeps(record.served.release)
      if (record.build?.commit !== head || (record.build.status === 'live' && !kept)) this.#previews.request(record)
    }
  }
}
