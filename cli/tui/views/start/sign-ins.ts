import { contract } from '../../../../src/contract/index.ts'
import type { DecisionPlace } from '../../data/drafts/decision.ts'
import type { Workspace } from '../../data/workspace.ts'
import { Settlements, type TellPerson } from '../merge/settlements.ts'
import { isGone } from '../shared/gone.ts'

/** What somebody who is in works with. */
export interface SignIn {
  readonly workspace: Workspace
  readonly settlements: Settlements
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
    const current = { workspace, settlements: new Settlements(workspace.decisions, tell) }
    this.#current = current
    this.#open.add(current)
    void current.settlements.giveUpGone((place) => isBranchGone(workspace, place))
    return { current, left: this.#close(left) }
  }

  /** All that was typed is durable when it resolves. @throws what cannot be kept; it is tried again the next time */
  settle(): Promise<void> {
    return this.#close([...this.#open])
  }

  /** Nobody is in any more. @throws like `settle`, and then they still are */
  async leave(): Promise<void> {
    await this.settle()
    this.#current = undefined
  }

  async #close(signIns: readonly SignIn[]): Promise<void> {
    const ends = await Promise.allSettled(signIns.map((signIn) => this.#closeOne(signIn)))
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  }

  async #closeOne(signIn: SignIn): Promise<void> {
    const { workspace, settlements } = signIn
    // First: who stays because of it goes on with a workspace that is open.
    await settlements.flush()
    await workspace.close()
    this.#open.delete(signIn)
  }
}

/** Where nobody can be asked it is not. */
async function isBranchGone({ client }: Workspace, { slug, branchId }: DecisionPlace): Promise<boolean> {
  // Entries of a changelog are in the list of what is not saved.
  if (branchId.includes(':')) return false
  return client.call(contract.branches.read, { params: { slug, id: branchId } }).then(() => false, isGone)
}
