import { afterAll, beforeAll, beforeEach, onTestFinished } from 'vitest'
import { createClient } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import type { Disk } from '#cli/tui/data/disk/disk.ts'
import type { Draft } from '#cli/tui/data/drafts/draft.ts'
import { openWorkspace } from '#cli/tui/data/service/open-workspace.ts'
import type { Branch, Workspace } from '#cli/tui/data/workspace.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { createProject, type ProjectAccess } from '#test/support/service-process.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

/** A project with a page and a branch, on a service of its own. */
export interface Docs {
  readonly service: TestService
  readonly project: ProjectAccess
  readonly branch: Branch
}

export interface StartedDocs extends Docs {
  close(): Promise<void>
}

export const page = 'guides/start.mdx'
export const pageText = '# Start\n\nOne line.\n'

export async function startDocs(): Promise<StartedDocs> {
  const service = await startTestService({}, { builder: new FakeBuilder() })
  const project = await createProject(service.url, 'docs')
  const files = [
    { path: 'docs.json', content: '{"name":"Docs"}' },
    { path: page, content: pageText },
    {
      path: 'images/dot.png',
      content: Buffer.from([0x89, 0x50, 0, 1]).toString('base64'),
      encoding: 'base64' as const,
    },
  ]
  await project.client.call(contract.deploys.create, { body: { files } })
  const branch = await createBranch(service.url, project, 'edits')
  return { service, project, branch, close: () => service.close() }
}

/** For a file of tests: one service, and for each test a branch of its own, named by the prefix. */
export function docsForEachTest(prefix: string): Docs {
  let docs: StartedDocs | undefined
  let branch: Branch | undefined
  let number = 0
  beforeAll(async () => {
    docs = await startDocs()
  })
  afterAll(() => docs?.close())
  beforeEach(async () => {
    if (docs !== undefined) branch = await createBranch(docs.service.url, docs.project, `${prefix}-${++number}`)
  })
  const begun = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('only within a test')
    return value
  }
  return {
    get service() {
      return begun(docs).service
    },
    get project() {
      return begun(docs).project
    },
    get branch() {
      return begun(branch)
    },
  }
}

export function createBranch(url: string, { session, slug }: ProjectAccess, name: string): Promise<Branch> {
  const owner = createClient({ baseUrl: url, token: session })
  return owner.call(contract.branches.create, { params: { slug }, body: { name } })
}

/** A network that can be cut, slowed, or lose answers. */
export class Network {
  /** Nothing gets through. */
  cut = false
  /** The service does what it is asked, and the answer is lost: so many times, for requests of this method. */
  lost: { method: string; times: number } = { method: 'PUT', times: 0 }
  /** Somebody else does something before the first request of this method arrives. */
  before: { readonly method: string; readonly work: () => Promise<void> } | undefined
  readonly answers: { readonly method: string; readonly path: string; readonly status: number }[] = []

  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    const method = init?.method ?? 'GET'
    if (this.cut) throw new TypeError('fetch failed', { cause: new Error('the cable is out') })
    const { before } = this
    if (before?.method === method) {
      this.before = undefined
      await before.work()
    }
    const answer = await fetch(input, init)
    const { pathname: path } = new URL(answer.url)
    this.answers.push({ method, path, status: answer.status })
    if (this.lost.times > 0 && this.lost.method === method) {
      this.lost.times -= 1
      throw new TypeError('fetch failed', { cause: new Error('the connection was reset') })
    }
    return answer
  }
}

/** A UI of the project’s owner. It is gone with the test, as after a crash, unless that closes it. */
export async function openUi(
  docs: Docs,
  stateDirectory: string,
  options: { readonly network?: Network; readonly disk?: Disk; readonly log?: (message: string) => void } = {},
): Promise<Workspace> {
  const { network = new Network(), ...rest } = options
  const workspace = await openWorkspace({
    environment: { stateDirectory },
    url: docs.service.url,
    credential: {
      kind: 'session',
      token: docs.project.session,
      email: 'docs@example.com',
      location: { kind: 'file', path: '' },
    },
    fetch: network.fetch,
    ...rest,
  })
  onTestFinished(async () => workspace.close().catch(() => undefined))
  return workspace
}

/** Types over the whole text. */
export function type(draft: Draft, text: string): void {
  draft.changed(
    () => text,
    () => text.length,
  )
}

/** What the branch has. */
export async function textOf({ project, branch }: Docs, path = page): Promise<string> {
  const params = { slug: project.slug, id: branch.id, path }
  return (await project.client.call(contract.branches.readFile, { params })).content
}

/** Somebody else saves. */
export async function saveAsOther({ project, branch }: Docs, content: string, path = page): Promise<void> {
  const params = { slug: project.slug, id: branch.id, path }
  await project.client.call(contract.branches.saveFile, { params, body: { content }, headers: { 'if-match': '*' } })
}
