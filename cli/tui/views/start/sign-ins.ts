import { contract } from '#contract/index.ts'
import type { DecisionPlace } from '../../data/drafts/decision.ts'
import type { Workspace } from '../../data/workspace.ts'
import { PendingMerges, type TellPerson } from '../merge/pending-merges.ts'
import { isGone } from '../shared/gone.ts'

/** What somebody who is in works with. */
export interface SignIn {
  readonly workspace: Workspace
  readonly pendingMerges: PendingMerges
}

interface SignInsOptions {
  /** Tells the person what cannot be kept. */
  readonly tell: TellPerson
}

/** Who is in; and who was in before, until all of theirs is durable. */
export class SignIns {
  readonly #options: SignInsOptions
  /** The oldest first. */
  readonly #open = new Set<SignIn>()
  #current: SignIn | undefined

  constructor(options: SignInsOptions) {
    this.#options = options
  }

  get current(): SignIn | undefined {
    return this.#current
  }

  /** Somebody is in, in the place of whoever was. @returns `left` rejects where something of theirs cannot be kept */
  enter(workspace: Workspace): { readonly current: SignIn; readonly left: Promise<void> } {
    const left = [...this.#open]
    const { tell } = this.#options
    const current = { workspace, pendingMerges: new PendingMerges(workspace.decisions, tell) }
    this.#current = current
    this.#open.add(current)
    void current.pendingMerges.giveUpGone((place) => isBranchGone(workspace, place))
    return { current, left: this.#close(left) }
  }

  /** What was typed and is not on the disk yet, in words. */
  get unkept(): readonly string[] {
    return [...this.#open].flatMap(({ workspace, pendingMerges }) => [...workspace.unkept, ...pendingMerges.unkept])
  }

  /**
   * All that was typed is durable when it resolves, and nobody goes on.
   * @param signal fired: whoever is in stays, and nothing is closed
   * @throws what cannot be kept: whoever is in goes on, and it is tried again the next time
   */
  settle(signal?: AbortSignal): Promise<void> {
    return this.#close([...this.#open], signal)
  }

  /** Nobody is in any more. @throws like `settle`, and then they still are */
  async leave(): Promise<void> {
    await this.settle()
    this.#current = undefined
  }

  async #close(signIns: readonly SignIn[], signal?: AbortSignal): Promise<void> {
    await eachOf(signIns, async ({ pendingMerges, workspace }) =>
      eachOf([() => pendingMerges.flush(), () => workspace.keep()], (keep) => keep()),
    )
    // The newest last, and only after the others: whoever stays because of one goes on with a workspace that is open.
    const last = signIns.at(-1)
    signal?.throwIfAborted()
    await eachOf(signIns.slice(0, -1), (signIn) => this.#closeOne(signIn))
    if (last !== undefined) await this.#closeOne(last, signal)
  }

  async #closeOne(signIn: SignIn, signal?: AbortSignal): Promise<void> {
    await signIn.workspace.close(signal)
    this.#open.delete(signIn)
  }
}

/** Does the work for all of them, whatever fails. @throws what failed first */
async function eachOf<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const ends = await Promise.allSettled(items.map(work))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

/** Where nobody can be asked it is not. */
async function isBranchGone({ client }: Workspace, { slug, branchId }: DecisionPlace): Promise<boolean> {
  // Entries of a changelog are in the list of what is not saved.
  if (branchId.includes(':')) return false
  return client.call(contract.branches.read, { params: { slug, id: branchId } }).then(() => false, isGone)
}
