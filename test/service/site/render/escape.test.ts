import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, lchownSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { root } from '#lib/paths.ts'
import { contract } from '#contract/index.ts'
import { createClient } from '#client/client.ts'
import { Forker, type Child, type Exit } from '#site/render/forker.ts'
import { isolationOf } from '#site/render/isolation.ts'
import { candidates, protectionsOf, startForkServer, type Surroundings } from '#site/render/process.ts'
import { encodeFrame } from '#site/render/protocol.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { startTestService, type TestService } from '#test/support/service.ts'
import { createProject } from '#test/support/service-process.ts'
import { removeDirectory } from '#test/support/temporary.ts'

/** Tries to escape, in the place of what renders: see there. */
const escaping = join(root, 'test/support/site/render/escaping.cjs')
const isRoot = process.getuid?.() === 0
const ordinaryUser = isRoot ? 1000 : undefined
const password = 'correct horse battery'

/** What came of each attempt, by what it was. */
type Outcomes = Readonly<Record<string, string>>
const succeeded = (outcomes: Outcomes): string[] =>
  Object.keys(outcomes).filter((attempt) => outcomes[attempt] === 'done')

/** A service with two accounts; its files, and whatever else can be hurt, are those of one user. */
class Victims {
  readonly service: TestService
  readonly slug: string
  readonly user: number | undefined
  readonly #folder: string
  readonly #process: ChildProcess
  readonly #port: Server
  readonly #abstract: Server

  private constructor(parts: {
    readonly service: TestService
    readonly slug: string
    readonly user: number | undefined
    readonly folder: string
    readonly servers: readonly [Server, Server]
  }) {
    this.service = parts.service
    this.slug = parts.slug
    this.user = parts.user
    this.#folder = parts.folder
    this.#process = spawn('sleep', ['600'], {
      stdio: 'ignore',
      ...(parts.user === undefined ? {} : { uid: parts.user, gid: parts.user }),
    })
    ;[this.#port, this.#abstract] = parts.servers
  }

  /** @param user Whom the files belong to; undefined: the user of this process. */
  static async make(user: number | undefined): Promise<Victims> {
    const service = await startTestService({}, { builder: new FakeBuilder() })
    const slug = 'attacked'
    await createProject(service.url, slug)
    writeFileSync(join(service.directory, 'victim'), 'as it was')
    const folder = await mkdtemp(join(tmpdir(), 'quire-escape-'))
    chmodSync(folder, 0o777)
    const servers = [createServer().listen(0, '127.0.0.1'), createServer().listen(abstractName())] as const
    for (const server of servers) server.on('connection', (socket) => socket.destroy())
    await Promise.all(servers.map((server) => once(server, 'listening')))
    if (user !== undefined) giveTo(user, service.directory)
    return new Victims({ service, slug, user, folder, servers })
  }

  get targets(): string {
    const data = this.service.directory
    const repository = readdirSync(data).find((name) => name.endsWith('.git'))
    const { port } = this.#port.address() as { readonly port: number }
    const abstract = this.#abstract.address()
    const email = `${this.slug}@example.com`
    return JSON.stringify({ data, repository, port, abstract, email, victim: this.#process.pid, folder: this.#folder })
  }

  /** What is not as it was. */
  async harm(): Promise<readonly string[]> {
    const { directory, url } = this.service
    const body = { email: `${this.slug}@example.com`, password }
    const signIn = createClient({ baseUrl: url }).call(contract.accounts.login, { body })
    const isPassword = await signIn.then(
      () => true,
      () => false,
    )
    return [
      ...(existsSync(join(directory, 'victim')) ? [] : ['a file is gone']),
      ...(existsSync(join(directory, 'made')) ? ['a file is new'] : []),
      ...readdirSync(this.#folder).map((name) => `/tmp has ${name}`),
      ...(isPassword ? [] : ['the password is another']),
    ]
  }

  async close(): Promise<void> {
    this.#process.kill('SIGKILL')
    for (const server of [this.#port, this.#abstract]) server.close()
    await this.service.close()
    await removeDirectory(this.#folder)
  }
}

/** Abstract: a name without a file. */
function abstractName(): string {
  return `\0quire-escape-${process.pid}-${Math.random()}`
}

function giveTo(user: number, directory: string): void {
  const below = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  for (const path of ['', ...below]) lchownSync(join(directory, path), user, user)
}

/** A child on the way that the service takes, and what came of its attempts. */
async function escape(surroundings: Surroundings, targets: string) {
  const forker = new Forker((canFork) => startForkServer(surroundings, canFork, escaping))
  try {
    expect(await forker.start()).toBeUndefined()
    const { child, end, said } = await fork(forker)
    // It has the second filter when it has given up all else, before it reads anything.
    const status = await vi.waitUntil(() => {
      const text = readFileSync(`/proc/${child.pid}/status`, 'utf8')
      return /^Seccomp_filters:\t2$/m.test(text) && text
    }, 5000)
    child.write(encodeFrame({ type: 'render', id: 1, build: 1, path: 'a.mdx', oid: 'a', source: targets }))
    await end
    const isolation = isolationOf(new Set([...protectionsOf(surroundings), ...forker.holds]))
    return { outcomes: JSON.parse(Buffer.concat(said).toString()) as Outcomes, status, isolation }
  } finally {
    forker.close()
  }
}

async function fork(forker: Forker) {
  const said: Buffer[] = []
  let ended: (exit: Exit) => void = () => undefined
  const end = new Promise<Exit>((resolve) => (ended = resolve))
  let child: Child | undefined
  await new Promise<void>((started) => {
    child = forker.fork({ started, read: (chunk) => said.push(chunk), ended })
  })
  if (child === undefined) throw new Error('there is no child')
  return { child, end, said }
}

const [strongest] = candidates()

describe
  .skipIf(process.platform !== 'linux')
  .each([
    ...(isRoot ? [['root', strongest?.user, undefined] as const] : []),
    ['an ordinary user', ordinaryUser, ordinaryUser] as const,
  ])('a page that has taken over its child, where the service runs as %s', (_, user, owner) => {
  let victims: Victims
  beforeAll(async () => {
    victims = await Victims.make(owner)
  })
  afterAll(() => victims.close())

  it.each([
    ['with namespaces', true],
    ['where there are no namespaces', false],
  ])('gets nowhere, %s', async (_case, namespaces) => {
    if (strongest === undefined) throw new Error('there is no way to start it')
    const { outcomes, status, isolation } = await escape({ ...strongest, user, namespaces }, victims.targets)
    expect(isolation.level).toBe('strong')
    expect(Object.keys(outcomes).length).toBeGreaterThan(30)
    expect(succeeded(outcomes)).toEqual([])
    for (const set of ['Inh', 'Prm', 'Eff', 'Amb'])
      expect(status).toMatch(new RegExp(String.raw`^Cap${set}:\t0+$`, 'm'))
    expect(status).toMatch(/^NoNewPrivs:\t1$/m)
    expect(status).toMatch(/^Seccomp:\t2$/m)
    expect(await victims.harm()).toEqual([])
  })
})

describe.skipIf(process.platform !== 'linux')('the same attempts, where nothing protects', () => {
  /** What a machine may forbid even to whom nothing else does. */
  const mayFail = new Set([
    'change the program',
    'trace another process',
    'read the memory of its parent',
    'make namespaces by a program',
    'make a user namespace',
    'mount',
  ])

  it('do harm, so that each of them is a true one', async () => {
    const victims = await Victims.make(ordinaryUser)
    try {
      const process = spawn(globalThis.process.execPath, [escaping, '--unprotected'], {
        stdio: ['pipe', 'pipe', 'inherit'],
        ...(ordinaryUser === undefined ? {} : { uid: ordinaryUser, gid: ordinaryUser }),
      })
      let told = ''
      process.stdout.on('data', (chunk: Buffer) => (told += chunk.toString()))
      process.stdin.write(
        encodeFrame({ type: 'render', id: 1, build: 1, path: 'a.mdx', oid: 'a', source: victims.targets }),
      )
      process.stdin.end()
      await once(process, 'close')
      const outcomes = JSON.parse(told) as Outcomes
      const failed = Object.entries(outcomes).filter(([attempt, came]) => came !== 'done' && !mayFail.has(attempt))
      expect(failed).toEqual([])
      const harm = ['a file is gone', 'a file is new', '/tmp has made', 'the password is another']
      expect(await victims.harm()).toEqual(harm)
    } finally {
      await victims.close()
    }
  })
})
