import { createHash } from 'node:crypto'
import type { Client } from '#client/client.ts'
import type { Branch, HistoryCommit } from '#contract/branches.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { Failure } from '#contract/failure.ts'
import type { FileStatus } from '#contract/files.ts'
import { contract } from '#contract/index.ts'
import type { BranchFiles } from '../branch-files.ts'
import { sampleDiff } from './sample-diff.ts'
import { readSample, type SampleFile, type SampleTree } from './sample-files.ts'
import type { Loaded, Project, ProjectFile, ProjectSpace, Workspace } from '../workspace.ts'

const slug = 'sample'
const url = 'https://sample.example'
const createdAt = '2027-01-15T09:00:00.000Z'
const changedAt = '2027-01-18T15:30:00.000Z'

const project: Project = {
  slug,
  title: 'Sample project',
  url,
  plan: 'free',
  cloneUrl: `${url}/git/${slug}.git`,
  createdAt,
}

/**
 * A project to look around in before anybody signs in: without a network, and read-only.
 * @throws Failure unavailable where it is not beside the program
 */
export async function openSample(): Promise<Workspace> {
  const trees = await readSample()
  const branch = branchOf(trees)
  const client = sampleClient(trees, branch)
  const load = async <T>(value: T): Promise<Loaded<T>> => ({ value, asOf: new Date(), offline: false })
  const space: ProjectSpace = {
    slug,
    read: () => load(project),
    branches: () => load([branch]),
    files: (of) => sampleFiles(trees, of === 'main' ? undefined : branch, load),
  }
  return {
    url,
    identity: { kind: 'sample' },
    readOnly: true,
    client,
    connection: 'online',
    onChange: () => () => undefined,
    projects: () => load([project]),
    project: (name) => {
      if (name === slug) return space
      throw notFound(`There is no project ${name} here.`)
    },
    unsaved: async () => [],
    unkept: [],
    keep: async () => undefined,
    close: async () => undefined,
  }
}

interface Trees {
  readonly main: SampleTree
  readonly branch: SampleTree
}

/** The ids of commits that never were. */
function commitId(name: string): string {
  return createHash('sha1').update(`sample ${name}`).digest('hex')
}

const commits = { main: commitId('main'), first: commitId('first'), second: commitId('second') }

function branchOf(trees: Trees): Branch {
  const changes = { added: 0, modified: 0, deleted: 0 }
  for (const { status } of listOf(trees)) if (status !== 'unchanged') changes[status] += 1
  return {
    id: 'sample-branch',
    name: 'plain-words',
    previewUrl: 'https://sample--plain-words.example',
    liveUrl: 'https://sample--plain-words.example/_quire/live',
    head: commits.second,
    base: commits.main,
    upToDate: true,
    changes,
    preview: {
      id: 'sample-preview',
      project: slug,
      status: 'live',
      kind: 'preview',
      branch: 'plain-words',
      url: 'https://sample--plain-words.example',
      commit: commits.second,
      served: commits.second,
      pages: { total: trees.branch.size, built: 3, reused: trees.branch.size - 3 },
      errors: [],
      warnings: [],
      counts: { errors: 0, warnings: 0 },
      stages: {},
      createdAt: changedAt,
      finishedAt: changedAt,
    },
    createdAt,
    updatedAt: changedAt,
  }
}

function listOf({ main, branch }: Trees): ProjectFile[] {
  const status = ({ path, oid }: SampleFile): FileStatus => {
    const before = main.get(path)
    if (before === undefined) return 'added'
    return before.oid === oid ? 'unchanged' : 'modified'
  }
  return [...branch.values()].map((file) => listed(file, status(file)))
}

function listed({ path, oid, bytes }: SampleFile, status: FileStatus): ProjectFile {
  return { path, oid, size: bytes.length, status }
}

function sampleFiles(trees: Trees, branch: Branch | undefined, load: <T>(value: T) => Promise<Loaded<T>>): BranchFiles {
  const refuse = async (): Promise<never> => {
    throw readOnly()
  }
  const items = branch === undefined ? [...trees.main.values()].map((file) => listed(file, 'unchanged')) : listOf(trees)
  return {
    slug,
    branch: branch?.name ?? 'main',
    branchId: branch?.id,
    readOnly: true,
    list: () => load(items),
    read: async (path) => {
      const { oid, text, bytes } = fileAt(trees, branch !== undefined, path)
      return load({ path, oid, text, size: bytes.length })
    },
    edit: refuse,
    create: refuse,
    remove: refuse,
    move: refuse,
    restore: refuse,
    upload: refuse,
  }
}

function fileAt({ main, branch }: Trees, isBranch: boolean, path: string): SampleFile {
  const file = (isBranch ? branch : main).get(path)
  if (file === undefined) throw notFound(`There is no file ${path}.`)
  return file
}

interface CallOptions {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | undefined>>
}

/** Answers what is read of the sample project. */
function sampleClient(trees: Trees, branch: Branch): Client {
  const content = (isBranch: boolean, { params = {} }: CallOptions) => {
    const file = fileAt(trees, isBranch, params['path'] ?? '')
    const { path, oid, bytes, text } = file
    const shown =
      text === undefined
        ? { content: bytes.toString('base64'), encoding: 'base64' }
        : { content: text, encoding: 'utf-8' }
    const status = listOf(trees).find((item) => item.path === path)?.status
    return { path, oid, size: bytes.length, ...shown, ...(isBranch ? { status, commit: branch.head } : {}) }
  }
  const { projects, branches, files } = contract
  const answers = new Map<Endpoint, (options: CallOptions) => unknown>([
    [projects.list, () => ({ items: [project] })],
    [projects.read, () => project],
    [branches.list, ({ query }) => ({ items: [branch].filter(({ name }) => (query?.['name'] ?? name) === name) })],
    [branches.read, () => branch],
    [
      files.list,
      () => ({ head: commits.main, items: [...trees.main.values()].map((file) => listed(file, 'unchanged')) }),
    ],
    [files.read, (options) => content(false, options)],
    [branches.files, () => ({ head: branch.head, items: listOf(trees) })],
    [branches.readFile, (options) => content(true, options)],
    [
      branches.diff,
      ({ query }) => ({
        base: branch.base,
        head: branch.head,
        files: sampleDiff(trees.main, trees.branch, query?.['path']),
      }),
    ],
    [branches.history, ({ query }) => ({ items: historyOf(trees, query?.['path']) })],
    [
      files.history,
      ({ query }) => ({ items: historyOf(trees, query?.['path']).filter(({ oid }) => oid === commits.main) }),
    ],
    [files.diff, ({ query }) => ({ head: commits.main, files: sampleDiff(new Map(), trees.main, query?.['path']) })],
    [contract.deploys.list, () => ({ items: [] })],
    [contract.changelog.list, () => ({ items: [] })],
  ])
  return {
    call: (async (endpoint: Endpoint, options: CallOptions = {}) => {
      const answer = answers.get(endpoint)
      if (answer === undefined) throw readOnly()
      return answer(options)
    }) as Client['call'],
    // eslint-disable-next-line require-yield
    async *events() {
      throw readOnly()
    },
  }
}

function historyOf({ main }: Trees, path: string | undefined): HistoryCommit[] {
  const author = { name: 'Ada', email: 'ada@example.com' }
  const all = [
    {
      oid: commits.second,
      parents: [commits.first],
      message: 'Add a first page',
      committedAt: changedAt,
      paths: ['writing/first-page.mdx'],
    },
    {
      oid: commits.first,
      parents: [commits.main],
      message: 'Say it in plainer words',
      committedAt: '2027-01-18T14:00:00.000Z',
      paths: ['quickstart.mdx', 'writing/math.mdx'],
    },
    { oid: commits.main, parents: [], message: 'Begin the documentation', committedAt: createdAt, paths: undefined },
  ]
  return all
    .filter(({ paths }) => path === undefined || (paths?.includes(path) ?? main.has(path)))
    .map(({ paths: _paths, ...commit }) => ({ ...commit, author, ...(path === undefined ? {} : { path }) }))
}

function readOnly(): Failure {
  return new Failure('forbidden', 'This is the sample project: it can be looked at, not changed.', {
    hint: 'Sign in to work on a project of your own.',
  })
}

function notFound(message: string): Failure {
  return new Failure('not_found', message)
}
