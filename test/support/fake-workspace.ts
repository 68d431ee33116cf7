import type { BranchFiles } from '#cli/tui/data/branch-files.ts'
import type { UnsentMessage } from '#cli/tui/data/drafts/message.ts'
import type { Loaded, ProjectSpace, UnsavedFile, Workspace } from '#cli/tui/data/workspace.ts'
import type { Branch } from '#contract/branches.ts'
import type { Deploy } from '#contract/deploys.ts'
import type { Project } from '#contract/projects.ts'
import { FakeClient } from './fake-client.ts'

/** What a person can reach, as a test says it; lists are read anew each time. */
export class FakeWorkspace implements Workspace {
  readonly url = 'http://localhost:4000'
  readonly identity = {
    kind: 'session' as const,
    account: { id: 'a1', email: 'ada@example.com', createdAt: '2026-01-01T00:00:00.000Z' },
  }
  readOnly = false
  connection: 'online' | 'offline' = 'online'
  readonly service = new FakeClient()
  readonly client = this.service.client
  /** Answers of `projects()` and of `project().branches()`; an error is thrown. */
  all: readonly Project[] | Error = []
  branches: readonly Branch[] | Error = []
  /** Branches that are known before all are, which are when `others` resolves. */
  newest: readonly Branch[] | undefined
  others: Promise<void> = Promise.resolve()
  drafts: readonly UnsavedFile[] = []
  /** What is said of branches and not sent; absent: nothing is kept. */
  message: UnsentMessage | Promise<UnsentMessage> | undefined
  /** What can be done with the files of a branch. */
  branchFiles: Partial<BranchFiles> = {}
  readonly #listeners = new Set<() => void>()

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** How many views listen. */
  get listeners(): number {
    return this.#listeners.size
  }

  /** Something changed. */
  tell(): void {
    for (const listener of this.#listeners) listener()
  }

  async projects(): Promise<Loaded<readonly Project[]>> {
    return this.#loaded(this.all)
  }

  project(slug: string): ProjectSpace {
    const { message } = this
    return {
      slug,
      read: async () => this.#loaded(this.all).then(this.#one(slug)),
      branches: async (begin) => {
        if (this.newest !== undefined) begin?.(this.newest)
        await this.others
        return this.#loaded(this.branches)
      },
      files: (branch) => ({ ...fakeFiles(slug, branch), ...this.branchFiles }),
      ...(message === undefined ? {} : { message: async () => message }),
    }
  }

  async unsaved(): Promise<readonly UnsavedFile[]> {
    return this.drafts
  }

  readonly unkept: readonly string[] = []

  async keep(): Promise<void> {}

  async close(): Promise<void> {
    this.#listeners.clear()
  }

  async #loaded<T>(value: T | Error): Promise<Loaded<T>> {
    if (value instanceof Error) throw value
    return { value, asOf: new Date('2026-03-01T12:00:00.000Z'), offline: this.connection === 'offline' }
  }

  #one(slug: string): (loaded: Loaded<readonly Project[]>) => Loaded<Project> {
    return ({ value, ...rest }) => ({ ...rest, value: value.find((one) => one.slug === slug) ?? aProject({ slug }) })
  }
}

function fakeFiles(slug: string, branch: Branch | 'main'): BranchFiles {
  const none = async (): Promise<never> => {
    throw new Error('no test says what the files are')
  }
  return {
    slug,
    branch: branch === 'main' ? branch : branch.name,
    branchId: branch === 'main' ? undefined : branch.id,
    readOnly: branch === 'main',
    list: none,
    read: none,
    edit: none,
    create: none,
    remove: none,
    move: none,
    restore: none,
    upload: none,
  }
}

export function aProject(own: Partial<Project> = {}): Project {
  const slug = own.slug ?? 'acme-docs'
  return {
    slug,
    title: 'Acme',
    url: `http://${slug}.localhost:4000`,
    plan: 'pro',
    cloneUrl: `http://localhost:4000/git/${slug}.git`,
    createdAt: '2026-01-01T00:00:00.000Z',
    role: 'owner',
    ...own,
  }
}

export function aDeploy(own: Partial<Deploy> = {}): Deploy {
  return {
    id: 'd1',
    number: 1,
    project: 'acme-docs',
    status: 'live',
    kind: 'publish',
    url: 'http://acme-docs.localhost:4000',
    pages: { total: 3, built: 1, reused: 2 },
    errors: [],
    warnings: [],
    counts: { errors: 0, warnings: 0 },
    stages: {},
    createdAt: '2026-03-01T10:00:00.000Z',
    ...own,
  }
}

export function aBranch(own: Partial<Branch> = {}): Branch {
  const name = own.name ?? 'new-api'
  const { number: _number, ...preview } = aDeploy({ id: `p-${name}`, kind: 'preview', branch: name })
  return {
    id: `b-${name}`,
    name,
    previewUrl: `http://acme-docs--${name}.localhost:4000`,
    liveUrl: `http://acme-docs--${name}.localhost:4000/_quire/live`,
    head: 'a'.repeat(40),
    base: 'b'.repeat(40),
    upToDate: true,
    changes: { added: 1, modified: 2, deleted: 0 },
    preview,
    createdAt: '2026-02-01T00:00:00.000Z',
    updatedAt: '2026-03-01T11:00:00.000Z',
    ...own,
  }
}

export function aDraft(own: Partial<UnsavedFile> = {}): UnsavedFile {
  const branch = own.branch ?? 'new-api'
  return {
    slug: 'acme-docs',
    branch,
    branchId: `b-${branch}`,
    path: 'index.mdx',
    waiting: false,
    elsewhere: false,
    changedAt: new Date('2026-03-01T11:59:00.000Z'),
    ...own,
  }
}
