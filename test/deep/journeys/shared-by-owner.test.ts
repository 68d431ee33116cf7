import { inDepth } from '#test/support/depth.ts'
import { request, type IncomingMessage } from 'node:http'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createClient, type Client } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import type { Overrides } from '#wire.ts'
import { HeldBuilder } from '#test/support/held-builder.ts'
import { heldGit } from '#test/support/held-git.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

/** Somebody with some projects. */
interface Person {
  readonly client: Client
  /** API keys with the default scopes, by project. */
  readonly keys: ReadonlyMap<string, string>
  deploy(slug: string, content?: string): Promise<{ readonly status: string }>
}

async function person(url: string, name: string, slugs: readonly string[]): Promise<Person> {
  const body = { email: `${name}@example.com`, password: 'correct horse battery' }
  const { token } = await createClient({ baseUrl: url }).call(contract.accounts.signup, { body })
  const client = createClient({ baseUrl: url, token })
  const keys = new Map<string, string>()
  for (const slug of slugs) {
    await client.call(contract.projects.create, { body: { slug } })
    keys.set(slug, (await client.call(contract.keys.create, { params: { slug }, body: { name: 'test' } })).key)
  }
  const deploy = (slug: string, content = slug) =>
    createClient({ baseUrl: url, token: keys.get(slug) ?? '' }).call(contract.deploys.create, {
      body: { files: [{ path: 'index.md', content }] },
    })
  return { client, keys, deploy }
}

async function start(environment: Record<string, string>, overrides?: Overrides): Promise<TestService> {
  const service = await startTestService(environment, overrides)
  onTestFinished(() => service.close())
  return service
}

/** Whether something has come to its end by now. */
function followed(work: Promise<unknown>): { ended: boolean } {
  const state = { ended: false }
  const end = (): void => void (state.ended = true)
  work.then(end, end)
  return state
}

it('builds of one account wait for one another and for nobody else’s, and it owns so many projects and no more', async () => {
  const builder = new HeldBuilder()
  const service = await start({ MAX_PROJECTS: '5' }, { builder })
  onTestFinished(() => builder.release())
  const many = await person(service.url, 'many', ['a1', 'a2', 'a3', 'a4', 'a5'])
  const one = await person(service.url, 'one', ['b1'])
  await expect(many.client.call(contract.projects.create, { body: { slug: 'a6' } })).rejects.toMatchObject({
    code: 'too_many_projects',
  })
  await Promise.all([many.deploy('a1'), many.deploy('a2'), one.deploy('b1')])

  builder.holding = true
  const texts = () => builder.held.map(({ text }) => text)
  const deploys = ['a1', 'a2', 'a3', 'a4'].map((slug) => many.deploy(slug, `deploy of ${slug}`))
  await expect.poll(() => builder.held.length).toBe(4)
  deploys.push(many.deploy('a5', 'deploy of a5'))
  const neighbours = one.deploy('b1', 'deploy of b1')
  await expect.poll(texts).toContain('deploy of b1')
  builder.held.find(({ text }) => text === 'deploy of b1')?.open()
  await neighbours
  expect(texts()).not.toContain('deploy of a5')
  builder.release()
  expect((await Promise.all(deploys)).map(({ status }) => status)).toEqual(deploys.map(() => 'live'))

  builder.holding = true
  /** A branch that differs from main has a preview of its own. */
  const branch = async ({ client }: Person, slug: string, name: string) => {
    const { id } = await client.call(contract.branches.create, { params: { slug }, body: { name } })
    const params = { slug, id, path: `${name}.md` }
    await client.call(contract.branches.saveFile, { params, body: { content: name } })
  }
  await Promise.all([branch(many, 'a1', 'first'), branch(many, 'a1', 'second')])
  await expect.poll(() => builder.held.length).toBe(2)
  await branch(many, 'a2', 'third')
  await branch(one, 'b1', 'neighbour')
  await expect.poll(() => builder.held.length).toBe(3)
  expect(texts().at(-1)).toBe('deploy of b1')
})

it('processes of Git, and checks, of one account wait for one another and for nobody else’s', async () => {
  const git = await heldGit()
  const service = await start({ PATH: git.searchPath }, { builder: new HeldBuilder() })
  const many = await person(service.url, 'many', ['a1', 'a2'])
  const one = await person(service.url, 'one', ['b1'])
  await Promise.all([many.deploy('a1'), many.deploy('a2'), one.deploy('b1')])
  const repository = join(service.directory, 'a1.git')

  /** What a push asks first: git lists the refs. */
  const ask = async ({ keys }: Person, slug: string): Promise<number> => {
    const authorization = `Basic ${Buffer.from(`x:${keys.get(slug)}`).toString('base64')}`
    const url = `${service.url}/git/${slug}.git/info/refs?service=git-receive-pack`
    return (await fetch(url, { headers: { authorization } })).status
  }
  const command = 'for-each-ref'
  const slots = 2 * availableParallelism()
  await git.hold(repository, command)
  const asked = Array.from({ length: slots }, () => ask(many, 'a1'))
  await expect.poll(() => git.waiting(repository, command)).toBe(slots - 1)
  const other = ask(many, 'a2')
  const state = followed(other)
  for (let round = 0; round < 3; round++) expect(await ask(one, 'b1')).toBe(200)
  expect(state.ended).toBe(false)
  await git.letGo(repository, command)
  expect(await Promise.all([...asked, other])).toEqual([...asked, other].map(() => 200))

  await git.hold(repository, 'fsck')
  const check = ({ client }: Person, slug: string, signal?: AbortSignal) =>
    client.call(contract.projects.fsck, { params: { slug }, ...(signal === undefined ? {} : { signal }) })
  const leaving = new AbortController()
  const left = check(many, 'a1', leaving.signal).catch((error: unknown) => error)
  await expect.poll(() => git.waiting(repository, 'fsck')).toBe(1)
  const next = check(many, 'a2')
  const waiting = followed(next)
  for (let round = 0; round < 3; round++) expect(await check(one, 'b1')).toEqual({ problems: [] })
  expect(waiting.ended).toBe(false)
  // Nobody waits for the first one any more: its git still hangs, and is ended.
  leaving.abort()
  await left
  expect(await next).toEqual({ problems: [] })
})

inDepth('render children of one account are shared by its projects, and a build has only so many seconds', async () => {
  const service = await start({ BUILD_SECONDS: '4', RENDER_CHILDREN: '1' })
  const many = await person(service.url, 'many', ['a1', 'a2'])
  const one = await person(service.url, 'one', ['b1'])
  const files = Array.from({ length: 40 }, (_, page) => ({
    path: `p${page}.mdx`,
    content: `# ${page}\n\n${'- a\n'.repeat(22_000)}`,
  }))
  const client = createClient({ baseUrl: service.url, token: many.keys.get('a1') ?? '' })
  /** Whether the neighbour's build passes the second one of who builds much already. */
  const passes = async (round: number): Promise<boolean> => {
    const before = await deploysOf(many, 'a1')
    const long = client.call(contract.deploys.create, { body: { files } }).catch((error: unknown) => error)
    await expect.poll(async () => (await deploysOf(many, 'a1')).length).toBe(before.length + 1)
    const second = many.deploy('a2', `${round}`).catch((error: unknown) => error)
    const waiting = followed(second)
    await expect.poll(async () => (await deploysOf(many, 'a2')).length, { interval: 10 }).toBe(before.length + 1)
    const built = await one.deploy('b1', `${round}`).then(
      () => !waiting.ended,
      () => false,
    )
    await Promise.all([second, long])
    const [failed] = await deploysOf(many, 'a1')
    expect(failed?.errors.map(({ message }) => message).join()).toContain('it took longer than 4 s')
    return built
  }
  // The second one has its turn after a second, too: on a busy machine the neighbour may not be through by then.
  let passed = await passes(1)
  for (let round = 2; !passed && round <= 4; round++) passed = await passes(round)
  expect(passed).toBe(true)
})

async function deploysOf({ client }: Person, slug: string) {
  return (await client.call(contract.deploys.list, { params: { slug } })).items
}

it('whoever may reach the operator’s socket is none without its key', async () => {
  const service = await start({}, { builder: new HeldBuilder() })
  const socketPath = join(service.directory, '.admin.sock')
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ socketPath, path: '/operator/accounts' }, resolve).on('error', reject).end()
  })
  answer.resume()
  expect(answer.statusCode).toBe(401)
})
