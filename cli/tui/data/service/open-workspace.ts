import type { Client } from '#client/client.ts'
import { Failure } from '#contract/failure.ts'
import { contract } from '#contract/index.ts'
import type { Environment } from '#cli/environment.ts'
import { firstItems, listProjects } from '#cli/service/project.ts'
import type { Credential } from '#cli/service/service.ts'
import type { BranchFiles } from '../branch-files.ts'
import { Connection } from './connection.ts'
import type { Disk } from '../disk/disk.ts'
import type { DecisionStore } from '../drafts/decisions.ts'
import type { FoundDraft } from '../drafts/draft-files.ts'
import { Drafts, type DraftTarget } from './drafts.ts'
import type { MessageKind, UnsentMessage } from '../drafts/message.ts'
import { forgetInstance } from '../disk/instance.ts'
import { entriesPlace, isEntry, OpenEntries, unsavedEntry } from './open-entries.ts'
import { Messages } from './messages.ts'
import { OpenFiles } from './open-files.ts'
import { RemoteBranch } from './remote-branch.ts'
import { loadedList, type ServiceAccess } from './service-access.ts'
import { openStore, type Store } from './store.ts'
import type {
  Branch,
  ConnectionState,
  Identity,
  Loaded,
  Project,
  ProjectSpace,
  UnsavedFile,
  Workspace,
} from '../workspace.ts'

/** After saves that wait were refused by a service that can be reached. */
const sendAgainMs = 60_000

export interface WorkspaceOptions {
  readonly environment: Pick<Environment, 'stateDirectory'>
  readonly url: string
  readonly credential: Credential
  /** A line of the log file. */
  readonly log?: (message: string) => void
  /** For tests. */
  readonly fetch?: typeof globalThis.fetch
  readonly disk?: Disk
}

/** Opens what one person can reach of a service. Asks nobody: it begins without a network, too. */
export async function openWorkspace(options: WorkspaceOptions): Promise<Workspace> {
  const { url, credential, environment, log = () => undefined } = options
  const store = await openStore({
    stateDirectory: environment.stateDirectory,
    url,
    credential,
    log,
    ...(options.disk === undefined ? {} : { disk: options.disk }),
  })
  return new OpenWorkspace(options, store)
}

class OpenWorkspace implements Workspace {
  readonly url: string
  readonly readOnly = false
  readonly client: Client
  readonly #store: Store
  readonly #connection: Connection
  readonly #access: ServiceAccess
  readonly #drafts: Drafts
  readonly #messages: Messages
  readonly #listeners = new Set<() => void>()
  readonly #log: (message: string) => void
  readonly #credential: Credential
  #identity: Identity
  #was: ConnectionState = 'online'
  #sending: Promise<void> = Promise.resolve()
  #sendAgain: NodeJS.Timeout | undefined
  #telling = false
  #closed = false

  constructor({ url, credential, fetch, log = () => undefined }: WorkspaceOptions, store: Store) {
    this.url = url
    this.#log = log
    this.#credential = credential
    this.#store = store
    this.#identity = { kind: credential.kind }
    this.#connection = new Connection({
      url,
      token: credential.token,
      onChange: () => this.#connectionChanged(),
      ...(fetch === undefined ? {} : { fetch }),
    })
    this.client = explaining(this.#connection.client, credential)
    this.#access = {
      url,
      connection: this.#connection,
      client: this.client,
      store,
      log,
      tell: () => this.#tell(),
    }
    this.#drafts = new Drafts(this.#access)
    this.#messages = new Messages(this.#access)
    if (credential.kind === 'session') void this.#learnAccount()
    this.#send()
  }

  get identity(): Identity {
    return this.#identity
  }

  get connection(): ConnectionState {
    return this.#connection.state
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  get decisions(): DecisionStore {
    return this.#store.decisions
  }

  projects(): Promise<Loaded<readonly Project[]>> {
    return loadedList(this.#access, { name: 'The list of projects', key: 'projects' }, () => listProjects(this.client))
  }

  project(slug: string): ProjectSpace {
    return new OpenProject(this.#access, this.#drafts, this.#messages, slug)
  }

  async unsaved(): Promise<readonly UnsavedFile[]> {
    const all = await this.#drafts.unsaved()
    return Promise.all(
      all.map(async (file) => (isEntry(file) ? unsavedEntry(this.#access, file) : this.#messages.unsaved(file))),
    )
  }

  renew(credential: Credential): boolean {
    const before = this.#credential
    if (credential.kind !== 'session' || before.kind !== 'session' || credential.email !== before.email) return false
    this.#connection.renew(credential.token)
    if (this.#identity.account === undefined) void this.#learnAccount()
    this.#send()
    return true
  }

  get unkept(): readonly string[] {
    return [...this.#drafts.unkept, ...this.#messages.unkept]
  }

  async keep(): Promise<void> {
    const kept = await Promise.allSettled([this.#messages.keep(), this.#drafts.keep()])
    for (const one of kept) if (one.status === 'rejected') throw one.reason
  }

  async close(signal?: AbortSignal): Promise<void> {
    if (this.#closed) return
    await this.keep()
    await this.#store.cache.settled()
    signal?.throwIfAborted()
    this.#closed = true
    clearTimeout(this.#sendAgain)
    this.#connection.close()
    forgetInstance(this.#store.instance)
  }

  #connectionChanged(): void {
    const isBack = this.#was === 'offline' && this.#connection.state === 'online'
    this.#was = this.#connection.state
    if (isBack) this.#send()
    this.#tell()
  }

  /** Saves that wait go to their branches. */
  #send(): void {
    this.#sending = this.#sending
      .then(() => this.#sendNow())
      .catch((error: unknown) => this.#log(`Saves that wait: ${String(error)}`))
  }

  async #sendNow(): Promise<void> {
    if (this.#closed) return
    clearTimeout(this.#sendAgain)
    const isWaiting = await this.#drafts.sendWaiting((found) => this.#placeOf(found))
    this.#tell()
    // The service was busy, say.
    if (isWaiting && !this.#closed) this.#sendAgain = setTimeout(() => this.#send(), sendAgainMs).unref()
  }

  #placeOf({ header }: FoundDraft): DraftTarget {
    const { slug, branch, branchId } = header
    if (isEntry(header)) return entriesPlace(this.#access, this.#drafts, slug)
    return { slug, branch, branchId, remote: new RemoteBranch(this.#access, { slug, branch, branchId }) }
  }

  async #learnAccount(): Promise<void> {
    try {
      const { value } = await loadedList(this.#access, { name: 'Your account', key: 'account' }, async () => {
        const { account } = await this.client.call(contract.accounts.me)
        return [account]
      })
      const [account] = value
      if (account !== undefined) this.#identity = { kind: 'session', account }
      this.#tell()
    } catch (error) {
      // Whatever is asked for next tells it, too.
      this.#log(`The account: ${String(error)}`)
    }
  }

  /** Once for all that happens in a turn. */
  #tell(): void {
    if (this.#telling) return
    this.#telling = true
    setImmediate(() => {
      this.#telling = false
      for (const listener of this.#listeners) listener()
    })
  }
}

class OpenProject implements ProjectSpace {
  readonly slug: string
  readonly entries: OpenEntries
  readonly #access: ServiceAccess
  readonly #drafts: Drafts
  readonly #messages: Messages

  constructor(access: ServiceAccess, drafts: Drafts, messages: Messages, slug: string) {
    this.slug = slug
    this.#messages = messages
    this.entries = new OpenEntries(access, drafts, slug)
    this.#access = access
    this.#drafts = drafts
  }

  async read(): Promise<Loaded<Project>> {
    const { slug } = this
    const { value, ...rest } = await loadedList(this.#access, { name: slug, key: `project\n${slug}` }, async () => [
      await this.#access.client.call(contract.projects.read, { params: { slug } }),
    ])
    const [project] = value
    if (project === undefined) throw new Error(`nothing is kept of ${slug}`)
    return { ...rest, value: project }
  }

  branches(begin?: (newest: readonly Branch[]) => void): Promise<Loaded<readonly Branch[]>> {
    const { slug } = this
    const about = { name: `The list of branches of ${slug}`, key: `branches\n${slug}` }
    return loadedList(this.#access, about, () =>
      firstItems(async (query) => {
        const page = await this.#access.client.call(contract.branches.list, { params: { slug }, query })
        if (query.cursor === undefined && page.nextCursor !== undefined) begin?.(page.items)
        return page
      }),
    )
  }

  message(kind: MessageKind, { id, name }: Pick<Branch, 'id' | 'name'>): Promise<UnsentMessage> {
    return this.#messages.open(kind, { slug: this.slug, branch: name, branchId: id })
  }

  files(branch: Branch | 'main'): BranchFiles {
    return new OpenFiles(this.#access, this.#drafts, { slug: this.slug, branch })
  }
}

type LooseCall = (endpoint: unknown, options?: unknown) => Promise<unknown>

/** Says of a credential that is refused what to do in the UI. */
function explaining(client: Client, { kind }: Credential): Client {
  const explain = (error: unknown): unknown => {
    if (!(error instanceof Failure) || error.code !== 'unauthenticated') return error
    return kind === 'session'
      ? new Failure('unauthenticated', 'Your session has ended.', {
          hint: 'Sign in again. What you typed is kept on this machine.',
          cause: error,
        })
      : new Failure('unauthenticated', 'The API key in SERVICE_API_KEY is unknown, revoked or expired.', {
          hint: 'Start again with another key, or without it to sign in. What you typed is kept on this machine.',
          cause: error,
        })
  }
  const call: LooseCall = async (endpoint, options) => {
    try {
      return await (client.call as LooseCall)(endpoint, options)
    } catch (error) {
      throw explain(error)
    }
  }
  return {
    call: call as Client['call'],
    async *events(endpoint, options) {
      try {
        yield* client.events(endpoint, options)
      } catch (error) {
        throw explain(error)
      }
    },
  }
}
