import type { CollectedProject } from '../contract/operator.ts'
import type { AccountsPort, Hold, Operator } from './operator.ts'
import { readSnapshot, type DataDirectory } from './snapshot.ts'

/**
 * The operator's work on a data directory that no service uses, and that this process has locked. Nothing is opened, and
 * so nothing in the directory changes, before something is to be changed.
 */
export class OfflineOperator implements Operator {
  readonly shared = false
  readonly #at: DataDirectory
  readonly #open: () => Promise<Operator>
  readonly #release: () => Promise<void>
  #opened: Promise<Operator> | null = null
  readonly accounts: AccountsPort = {
    list: async () => (await this.#rooms()).accounts.list(),
    createByOperator: async (email, password) => (await this.#rooms()).accounts.createByOperator(email, password),
    resetPassword: async (email, password) => (await this.#rooms()).accounts.resetPassword(email, password),
    setPlan: async (email, plan) => (await this.#rooms()).accounts.setPlan(email, plan),
    remove: async (email) => (await this.#rooms()).accounts.remove(email),
    transferProject: async (slug, email) => (await this.#rooms()).accounts.transferProject(slug, email),
  }

  /**
   * @param open opens the rooms of the directory.
   * @param release unlocks it.
   */
  constructor(at: DataDirectory, open: () => Promise<Operator>, release: () => Promise<void>) {
    this.#at = at
    this.#open = open
    this.#release = release
  }

  async hold(slug: string): Promise<Hold> {
    const snapshot = await readSnapshot(this.#at, slug)
    return { snapshot, lost: new AbortController().signal, release: () => Promise.resolve() }
  }

  async collect(slug: string): Promise<CollectedProject> {
    return (await this.#rooms()).collect(slug)
  }

  async close(): Promise<void> {
    try {
      await (await this.#opened)?.close()
    } finally {
      await this.#release()
    }
  }

  #rooms(): Promise<Operator> {
    this.#opened ??= this.#open()
    return this.#opened
  }
}
