import { describeInDepth } from '#test/support/depth.ts'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import Parser from 'rss-parser'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient, type Client } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { lifecycleSteps } from '#projects/lifecycle.ts'
import { startReceiver } from '#test/support/receiver.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { createProject, startService, unlimited, type ProjectAccess } from '#test/support/service-process.ts'
import { startTestService, type TestService } from '#test/support/service.ts'
import { getSite } from '#test/support/site.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

const run = promisify(execFile)

describe('a renamed project', () => {
  let service: TestService
  let project: ProjectAccess
  let owner: Client
  const params = { slug: 'new-name' }
  const old = { slug: 'old-name' }
  const site = (label: string, path = '/') => getSite(service.port, `${label}.localhost`, path)
  const deploy = (text: string) =>
    project.client.call(contract.deploys.create, {
      body: { files: [{ path: 'index.mdx', content: `# ${text}` }] },
    })
  const git = async (cwd: string, ...args: string[]): Promise<string> => {
    const env = { ...process.env, GIT_TERMINAL_PROMPT: '0', HOME: cwd }
    const { stdout } = await run('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
      cwd,
      env,
    })
    return stdout
  }
  const remote = (slug: string): string => `http://key:${project.key}@127.0.0.1:${service.port}/git/${slug}.git`
  const raw = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(service.url + path, { redirect: 'manual', headers: { authorization: `Bearer ${project.session}` }, ...init })

  beforeAll(async () => {
    service = await startTestService({ WEBHOOK_ALLOW_HOSTS: '127.0.0.1', ...unlimited })
    project = await createProject(service.url, old.slug)
    owner = createClient({ baseUrl: service.url, token: project.session })
    await deploy('One')
    await owner.call(contract.branches.create, { params: old, body: { name: 'draft' } })
    await owner.call(contract.branches.create, { params: old, body: { name: `long/${'x'.repeat(70)}` } })
    const entry = { title: 'News', content: 'Is here.', is_draft: false }
    await owner.call(contract.changelog.create, { params: old, body: entry })
    // The feed under the old slug is in memory now.
    await raw('/api/projects/old-name/changelog/rss')
  })
  afterAll(() => service.close())

  it('cannot have a slug that is somebody else’s, and only its owner renames it', async () => {
    const other = await createProject(service.url, 'taken')
    const wanted = { params: old, body: { slug: 'taken' } }
    expect(await refusalOf(owner.call(contract.projects.update, wanted))).toMatchObject({ code: 'project_exists' })
    const stranger = createClient({ baseUrl: service.url, token: other.session })
    expect(await refusalOf(stranger.call(contract.projects.update, { params: old, body: params }))).toMatchObject({
      code: 'not_found',
    })
    expect(await refusalOf(project.client.call(contract.projects.update, { params: old, body: params }))).toMatchObject(
      {
        code: 'forbidden',
      },
    )
    expect(await refusalOf(owner.call(contract.projects.update, { params: old, body: {} }))).toMatchObject({
      code: 'invalid_request',
    })
  })

  it('has its addresses under the new slug', async () => {
    const renamed = await owner.call(contract.projects.update, { params: old, body: { ...params, title: 'New' } })
    expect(renamed).toMatchObject({
      slug: 'new-name',
      title: 'New',
      url: expect.stringContaining('//new-name.localhost'),
      cloneUrl: expect.stringContaining('/git/new-name.git'),
      live: { project: 'new-name' },
    })
    const { items } = await owner.call(contract.audit.list, { params, query: { action: 'projects.update' } })
    expect(items).toMatchObject([{ detail: 'old-name is new-name now; New' }])
  })

  it.each(['at once', 'after a restart'])('shows site, previews, feed and page there %s', async (when) => {
    if (when === 'after a restart') await service.restart()
    expect((await site('new-name')).text).toContain('One')
    const { items } = await owner.call(contract.branches.list, { params, query: {} })
    for (const { previewUrl } of items) {
      const label = new URL(previewUrl).hostname.split('.')[0] ?? ''
      expect(label).toMatch(/^new-name--/)
      await expect.poll(async () => (await site(label)).text, { timeout: 5_000 }).toContain('One')
    }
    const feed = await new Parser().parseString(await (await raw('/api/projects/new-name/changelog/rss')).text())
    expect(feed.items.map(({ link }) => link)).toEqual([
      expect.stringContaining(`//new-name.localhost:${service.port}/changelog/`),
    ])
    expect(await (await raw('/dashboard/new-name/changelog')).text()).toContain('News')
  })

  it('is found under its old slug by those who read', async () => {
    const home = await site('old-name', '/guide?q=1')
    expect([home.status, home.headers['location']]).toEqual([
      308,
      `http://new-name.localhost:${service.port}/guide?q=1`,
    ])
    const { items } = await owner.call(contract.branches.list, { params, query: {} })
    const plain = await site('old-name--draft', '/x')
    expect([plain.status, plain.headers['location']]).toEqual([
      308,
      `http://new-name--draft.localhost:${service.port}/x`,
    ])
    expect(items).toHaveLength(2)
    expect((await site('old-name--nothing')).status).toBe(404)
    for (const [path, to] of [
      ['/api/projects/old-name/changelog/rss?x=1', '/api/projects/new-name/changelog/rss?x=1'],
      ['/api/projects/old-name/deploys?limit=1', '/api/projects/new-name/deploys?limit=1'],
      ['/dashboard/old-name/changelog?page=1', '/dashboard/new-name/changelog?page=1'],
    ] as const) {
      const response = await raw(path)
      expect([response.status, response.headers.get('location')], path).toEqual([301, to])
    }
    // Who may not read the project does not learn its new slug.
    expect((await raw('/api/projects/old-name/deploys', { headers: {} })).status).toBe(401)
    expect(await owner.call(contract.projects.read, { params: old })).toMatchObject(params)
    const refused = await refusalOf(owner.call(contract.projects.update, { params: old, body: { title: 'x' } }))
    expect(refused).toMatchObject({ code: 'not_found', hint: expect.stringContaining('new-name') })
  })

  it('finds previews under labels that end in a hash', async () => {
    const { items } = await owner.call(contract.branches.list, { params, query: {} })
    const now = items.map(({ previewUrl }) => new URL(previewUrl).hostname.split('.')[0] ?? '')
    const hashed = now.find((label) => label !== 'new-name--draft') ?? ''
    await owner.call(contract.projects.update, { params, body: { slug: 'other-name' } })
    const moved = await site(hashed)
    expect(moved.status).toBe(308)
    const there = new URL(String(moved.headers['location'])).hostname.split('.')[0] ?? ''
    expect(there).toMatch(/^other-name--/)
    expect((await site(there)).text).toContain('One')
    await owner.call(contract.projects.update, { params: { slug: 'other-name' }, body: params })
  })

  it.each(['old-name', 'new-name'])('is cloned and pushed to under %s with the same key', async (slug) => {
    const home = await temporaryDirectory()
    await git(home, 'clone', '--quiet', remote(slug), 'clone')
    const clone = join(home, 'clone')
    await writeFile(join(clone, 'index.mdx'), `# Pushed to ${slug}\n`)
    await git(clone, 'commit', '--quiet', '-am', 'Push')
    await git(clone, 'push', '--quiet', 'origin', 'HEAD:main')
    expect((await site('new-name')).text).toContain(`Pushed to ${slug}`)
    await git(clone, 'fetch', '--quiet')
  })

  it('is deployed by the same key, and counted and told under its new slug', async () => {
    const before = await owner.call(contract.usage.read, { params })
    const receiver = await startReceiver()
    await owner.call(contract.webhooks.create, { params, body: { url: receiver.url } })
    expect(await deploy('Two')).toMatchObject({ project: 'new-name', url: expect.stringContaining('//new-name.') })
    expect((await owner.call(contract.usage.read, { params })).deploys.used).toBe(before.deploys.used + 1)
    await expect.poll(() => receiver.arrived).toHaveLength(1)
    expect(JSON.parse(String(receiver.arrived[0]?.body))).toMatchObject({
      event: 'deploy.success',
      project: params,
      url: expect.stringContaining('//new-name.'),
    })
  })

  it('lets its owner have the old slug for something else, which ends the redirects', async () => {
    await owner.call(contract.projects.create, { body: old })
    expect(await owner.call(contract.projects.read, { params: old })).toMatchObject(old)
    expect((await site('old-name')).status).toBe(404)
    expect((await site('old-name--draft')).status).toBe(404)
    expect((await site('new-name')).text).toContain('Two')
    const keys = { params: old, body: { name: 'second' } }
    const { key } = await owner.call(contract.keys.create, keys)
    const body = { files: [{ path: 'index.mdx', content: '# Second' }] }
    await createClient({ baseUrl: service.url, token: key }).call(contract.deploys.create, { body })
    expect((await site('old-name')).text).toContain('Second')
    await owner.call(contract.projects.remove, { params: old })
    expect((await site('new-name')).text).toContain('Two')
    expect((await site('old-name')).status).toBe(404)
  })
})

describeInDepth('a project whose service is killed', () => {
  const slug = 'docs'
  const password = 'correct horse battery'

  it.each(lifecycleSteps)('at %s is there or gone, never half', async (step) => {
    const directory = await temporaryDirectory()
    let service = await startService(directory, { ...unlimited, QUIRE_FAILPOINT: step })
    const signUp = async (email: string): Promise<string> =>
      (await createClient({ baseUrl: service.url }).call(contract.accounts.signup, { body: { email, password } })).token
    const token = await signUp('ada@example.com')
    const owner = (): Client => createClient({ baseUrl: service.url, token })
    const create = () => owner().call(contract.projects.create, { body: { slug } })
    const comes = step.startsWith('project-')
    if (!comes) await create()
    const doing = comes ? create() : owner().call(contract.projects.remove, { params: { slug } })
    await expect(doing).rejects.toBeInstanceOf(Error)
    await expect.poll(() => service.child.signalCode, { timeout: 5_000 }).toBe('SIGKILL')
    service = await startService(directory, unlimited, service.port)
    try {
      expect((await owner().call(contract.projects.list, { query: {} })).items).toEqual([])
      const other = createClient({ baseUrl: service.url, token: await signUp('bob@example.com') })
      // What was removed is kept for its owner.
      if (!comes)
        expect(await refusalOf(other.call(contract.projects.create, { body: { slug } }))).toMatchObject({
          code: 'project_exists',
        })
      expect(await create()).toMatchObject({ slug })
      expect((await owner().call(contract.deploys.list, { params: { slug }, query: {} })).items).toEqual([])
    } finally {
      await service.stop()
    }
  })
})
