import { mainRef, checkBranchName, normaliseBranchName } from '../content/refs/ref-names.ts'
import type { Author, Oid, Tree } from '../content/repository.ts'
import type { DeployFile } from '../contract/deploys.ts'
import { Failure } from '../contract/failure.ts'
import { receiveFiles, requireContent, sameFiles, withCheckedPaths, type ReceivedFiles } from '../deploying/uploads.ts'
import type { BranchRefs, ResolvedBranch } from './branch-refs.ts'
import type { BranchingPorts } from './ports.ts'
import type { Comparisons } from './present.ts'
import type { BranchRecord, Registry } from './registry.ts'

/** Files that others changed on a branch, as far as they are listed. */
const listedFiles = 20

interface SentBranchesParts {
  readonly repositories: BranchingPorts['repositories']
  readonly refs: BranchRefs
  readonly registry: Pick<Registry, 'saveSent'>
  readonly comparisons: Comparisons
}

export interface SentFolder {
  /** Of the branch. */
  readonly name: string
  readonly files: readonly DeployFile[]
  readonly author: Author
  readonly message?: string | undefined
  /** The commit that is replaced, whoever made it. */
  readonly expectedHead?: Oid | undefined
}

/**
 * Branches that are made of whole folders: each sending replaces what the last one left. Who sends is a machine that has
 * seen nothing of the branch, so what people save there is told from what was sent by its commit, which is on record.
 */
export class SentBranches {
  readonly #parts: SentBranchesParts

  constructor(parts: SentBranchesParts) {
    this.#parts = parts
  }

  /**
   * Makes files all that a branch holds. Failures: `branch_edited`, those of `receiveFiles` and `BranchRefs.copy`,
   * `invalid_path`, `missing_objects`, `stale_ref`.
   */
  async send(
    projectId: string,
    sent: SentFolder,
  ): Promise<{ readonly branch: ResolvedBranch; readonly isNew: boolean }> {
    const { refs } = this.#parts
    const name = checkBranchName(normaliseBranchName(sent.name))
    const received = await receiveFiles(sent.files)
    await this.#requireSendable(projectId, received)
    const { id, isNew } = await this.#branchOf(projectId, name, sent.author)
    // Nobody had saved on a branch that was not there: a refusal would leave it behind.
    const { expectedHead, ...anyHead } = sent
    const wanted = isNew ? anyHead : { ...anyHead, expectedHead }
    const branch = await refs.advance(projectId, id, (at) => this.#replace(at, received, wanted))
    return { branch, isNew }
  }

  /** Deletes a branch that holds what was sent. Failures: `branch_edited`, `not_found`, `stale_ref`. */
  async close(projectId: string, sent: Pick<SentFolder, 'name' | 'expectedHead'>): Promise<void> {
    const { refs } = this.#parts
    const name = checkBranchName(normaliseBranchName(sent.name))
    const record = await refs.follow(projectId, name)
    if (record === null) throw new Failure('not_found', `The project has no branch ${name}.`)
    const branch = await refs.find(projectId, record.id)
    if (!(await this.#mayGo(branch, sent.expectedHead))) throw await edited(branch, 'deleted')
    await refs.removeAt(projectId, name, branch.head)
  }

  /** Before a branch is made, and paid for. */
  async #requireSendable(projectId: string, received: ReceivedFiles): Promise<void> {
    const repository = await this.#parts.repositories.open(projectId)
    const main = await repository.resolveRef(mainRef)
    const tree = main === null ? null : await repository.readTree(main)
    await requireContent(repository, tree, await withCheckedPaths(received, tree))
  }

  async #branchOf(
    projectId: string,
    name: string,
    author: Author,
  ): Promise<{ readonly id: string; readonly isNew: boolean }> {
    const { refs } = this.#parts
    const there = await refs.follow(projectId, name)
    if (there !== null) return { id: there.id, isNew: false }
    try {
      return { id: (await refs.copy(projectId, { name, author })).id, isNew: true }
    } catch (error) {
      // Somebody else was faster.
      const made =
        error instanceof Failure && error.code === 'branch_exists' ? await refs.follow(projectId, name) : null
      if (made === null) throw error
      return { id: made.id, isNew: false }
    }
  }

  async #replace(branch: ResolvedBranch, received: ReceivedFiles, sent: SentFolder): Promise<Oid> {
    const { repository, head, record } = branch
    const tree: Tree = await repository.readTree(head)
    const { files, oids } = await withCheckedPaths(received, tree)
    if (sameFiles(tree, oids)) {
      // Also of what others saved: the folder has it now.
      await this.#note(record, { commit: head })
      return head
    }
    if (!(await this.#mayGo(branch, sent.expectedHead))) throw await edited(branch, 'replaced')
    const message = sent.message?.trim() || 'Send files'
    const { commit } = await repository.replaceTree({ files, parent: head, author: sent.author, message })
    // Before the ref moves: a crash in between must not make it somebody else’s.
    await this.#note(record, { commit, before: head })
    return commit
  }

  async #note(record: BranchRecord, sent: NonNullable<BranchRecord['sent']>): Promise<void> {
    if (record.sent?.commit === sent.commit) return
    await this.#parts.registry.saveSent(record, sent)
  }

  /** Whether nothing is lost with the head of a branch that was not sent, or that is main’s, or named. */
  async #mayGo({ repository, head, record }: ResolvedBranch, expectedHead: Oid | undefined): Promise<boolean> {
    if (expectedHead !== undefined) return head === expectedHead
    if (head === record.sent?.commit || head === record.sent?.before) return true
    const main = await repository.resolveRef(mainRef)
    // Made a moment ago, as a copy of nothing.
    if (main === null) return (await repository.readTree(head)).size === 0
    return (await this.#parts.comparisons.base(repository, main, head)) === head
  }
}

/** The refusal: who changed the branch, and what of it. */
async function edited({ repository, head, record }: ResolvedBranch, fate: 'replaced' | 'deleted'): Promise<Failure> {
  const { author, message, committedAt } = await repository.readCommit(head)
  const changes = record.sent === undefined ? [] : await repository.diffTrees(record.sent.commit, head)
  const [subject = ''] = message.split('\n')
  const since = record.sent === undefined ? 'was not made of files that were sent' : 'has changed since files were sent'
  return new Failure(
    'branch_edited',
    `The branch ${record.name} ${since}: ${author.name} saved “${subject.slice(0, 100)}” on ${committedAt.slice(0, 16).replace('T', ' ')} UTC. Nothing was ${fate}.`,
    {
      hint: 'Take it over into your files, or send `expectedHead` to give it up.',
      errors: changes.slice(0, listedFiles).map(({ path, after }) => ({
        path,
        message: after === null ? 'was deleted on the branch' : 'was changed on the branch',
      })),
      extra: { head },
    },
  )
}
