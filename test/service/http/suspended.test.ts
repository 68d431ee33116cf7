import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient, type Client } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { operator } from '#contract/operator.ts'
import { connectToOperator } from '#http/operator/socket.ts'
import type { SendRequest } from '#webhooks/send.ts'
import { FakeTexts } from '#test/support/changelog/support.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { createProject, type ProjectAccess } from '#test/support/service-process.ts'
import { startTestService, type TestService } from '#test/support/service.ts'
import { getSite, type SiteReply } from '#test/support/site.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

const run = promisify(execFile)
const slug = 'docs'
const params = { slug }
const contact = 'mailto:ops@example.com'

let service: TestService
let project: ProjectAccess
let owner: Client
let branch: { readonly id: string; readonly previewUrl: string }
const sent: SendRequest[] = []

/** Does something as the operator of the service, through its socket. */
async function operate<T>(work: (client: Client) => Promise<T>): Promise<T> {
  const connection = await connectToOperator(service.directory)
  try {
    return await work(createClient({ baseUrl: 'http://operator', fetch: connection.fetch }))
  } finally {
    await connection.close()
  }
}

const suspend = () => operate((client) => client.call(operator.projects.suspend, { params, body: { reason: 'Spam.' } }))
const resume = () => operate((client) => client.call(operator.projects.resume, { params }))
const ask = (path: string, host = slug): Promise<SiteReply> => getSite(service.port, `${host}.localhost`, path)

async function git(...args: string[]): Promise<{ code: number; text: string }> {
  try {
    const { stdout, stderr } = await run('git', args, { env: { ...process.env, GIT_TERMINAL_PROMPT: '0' } })
    return { code: 0, text: stdout + stderr }
  } catch (error) {
    const { code, stderr } = error as { code: number; stderr: string }
    return { code, text: stderr }
  }
}

beforeAll(async () => {
  service = await startTestService(
    { OPERATOR_CONTACT: contact, WEBHOOK_ALLOW_HOSTS: 'hooks.example' },
    {
      builder: new FakeBuilder(),
      texts: new FakeTexts(),
      send: async (request) => {
        sent.push(request)
        return { status: 200, headers: {}, body: '', truncated: false }
      },
    },
  )
  project = await createProject(service.url, slug)
  owner = createClient({ baseUrl: service.url, token: project.session })
  await owner.call(contract.deploys.create, {
    query: { project: slug },
    body: { files: [{ path: 'index.md', content: '# Hello' }] },
  })
  branch = await owner.call(contract.branches.create, { params, body: { name: 'next' } })
  await owner.call(contract.changelog.create, { params, body: { title: 'Out', content: 'It is.', is_draft: false } })
})
afterAll(() => service.close())

describe('a project that the operator has suspended', () => {
  beforeAll(() => suspend())
  afterAll(() => resume())

  it('shows one calm page at every address of its site and previews, which no cache keeps and no crawler lists', async () => {
    const label = new URL(branch.previewUrl).hostname.split('.')[0] ?? ''
    for (const [path, host] of [
      ['/', slug],
      ['/robots.txt', slug],
      ['/_quire/ask', slug],
      ['/_quire/views', slug],
      ['/_quire/feedback', slug],
      ['/', label],
      ['/_quire/preview-events', label],
    ] as const) {
      const { status, headers, text } = await ask(path, host)
      expect(status, `${host}${path}`).toBe(403)
      expect(text).toContain('This site is suspended')
      expect(text).not.toMatch(/Spam|Hello/)
      expect(headers['cache-control']).toContain('no-store')
      expect(headers['x-robots-tag']).toContain('noindex')
    }
  })

  it('shows neither changelog nor feeds to anybody', async () => {
    const page = await fetch(`${service.url}/dashboard/${slug}/changelog`)
    expect([page.status, await page.text()]).toEqual([403, expect.stringContaining('This changelog is suspended')])
    for (const path of ['/rss', '/atom', '/feed.json', '']) {
      const response = await fetch(`${service.url}/api/projects/${slug}/changelog${path}`)
      expect([path, response.status]).toEqual([path, 403])
      expect(await response.json()).toMatchObject({ code: 'project_suspended' })
    }
  })

  it('is read by its members, who see since when and why', async () => {
    for (const client of [owner, project.client]) {
      const read = await client.call(contract.projects.read, { params })
      expect(read.suspended).toEqual({ since: expect.any(String) as string, reason: 'Spam.' })
      expect((await client.call(contract.changelog.list, { params })).items).toHaveLength(1)
      expect((await client.call(contract.branches.list, { params })).items).toHaveLength(1)
    }
    const { items } = await owner.call(contract.audit.list, { params })
    expect(items[0]).toMatchObject({ action: 'admin.suspend', actor: { kind: 'operator' }, detail: 'Spam.' })
  })

  it('refuses what changes it, and says what to do', async () => {
    const changes = [
      () =>
        owner.call(contract.deploys.create, {
          query: { project: slug },
          body: { files: [{ path: 'index.md', content: 'x' }] },
        }),
      () => project.client.call(contract.branches.create, { params, body: { name: 'more' } }),
      () => owner.call(contract.changelog.create, { params, body: { title: 'x', content: 'y' } }),
      () => owner.call(contract.keys.create, { params, body: { name: 'more' } }),
      () => owner.call(contract.projects.update, { params, body: { title: 'Else' } }),
      () => owner.call(contract.projects.remove, { params }),
      () => owner.call(contract.accounts.remove, { body: { password: 'correct horse battery', projects: 'delete' } }),
    ]
    for (const change of changes)
      expect(await refusalOf(change())).toMatchObject({
        code: 'project_suspended',
        status: 403,
        hint: expect.stringContaining('ops@example.com') as string,
      })
  })

  it('is cloned with a key of its own, and takes no push', async () => {
    const directory = join(await temporaryDirectory(), 'clone')
    const url = `http://x:${project.key}@127.0.0.1:${service.port}/git/${slug}.git`
    expect(await git('clone', '-q', url, directory)).toMatchObject({ code: 0 })
    const pushed = await git('-C', directory, 'push', 'origin', 'HEAD:refs/heads/pushed')
    expect(pushed.code).not.toBe(0)
    expect(pushed.text).toContain('suspended by the operator')
    expect(pushed.text).toContain('ops@example.com')
  })

  it('lets its owner take access away', async () => {
    const { items } = await owner.call(contract.keys.list, { params })
    expect(items).not.toHaveLength(0)
    await owner.call(contract.keys.revoke, { params, query: { id: items[0]?.id ?? '' } })
    expect((await owner.call(contract.keys.list, { params })).items).toHaveLength(items.length - 1)
  })

  it('lets nobody in by an invitation of before', async () => {
    await resume()
    const { id } = await owner.call(contract.invitations.create, { params, body: { email: 'other@example.com' } })
    await suspend()
    const other = await createProject(service.url, 'other')
    const invited = createClient({ baseUrl: service.url, token: other.session })
    const received = await invited.call(contract.invitations.received)
    expect(received.items.map((each) => each.id)).toEqual([id])
    const accepting = invited.call(contract.invitations.accept, { params: { id }, body: { code: 'x'.repeat(32) } })
    expect(await refusalOf(accepting)).toMatchObject({ status: 403 })
  })

  it('stays suspended over a restart', async () => {
    await service.restart()
    expect((await ask('/')).status).toBe(403)
  })
})

describe('a project that is resumed', () => {
  it('is there as before, and its webhooks get what waited', async () => {
    await owner.call(contract.webhooks.create, {
      params,
      body: { url: 'https://hooks.example/hook', events: ['changelog.published'] },
    })
    const { id } = await owner.call(contract.changelog.create, {
      params,
      body: {
        title: 'Later',
        content: 'x',
        is_draft: false,
        published_at: new Date(Date.now() + 1000).toISOString(),
      },
    })
    await suspend()
    const status = async (): Promise<string> =>
      (await owner.call(contract.changelog.read, { params: { slug, id } })).status
    await expect.poll(status, { timeout: 10_000 }).toBe('published')
    // Time enough for an event to be sent, if it were.
    await sleep(500)
    expect(sent).toEqual([])
    await resume()
    await expect.poll(() => sent.length, { timeout: 10_000 }).toBe(1)
    expect((await ask('/')).text).not.toContain('suspended')
    expect((await fetch(`${service.url}/api/projects/${slug}/changelog/rss`)).status).toBe(200)
  })
})
