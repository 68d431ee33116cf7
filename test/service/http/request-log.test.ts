import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contract } from '#contract/index.ts'
import { createClient } from '#client/client.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { ask, logged, startLogged, type LoggedService } from '#test/support/log.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { createProject, type ProjectAccess } from '#test/support/service-process.ts'
import { git, gitSays } from '#test/support/git-service.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

const files = [{ path: 'index.md', content: '# Hello' }]

const idIn = (answer: string): string => /^x-request-id: (.*)\r$/im.exec(answer)?.[1] ?? ''

const ofRequest = (of: LoggedService, id: unknown) => of.lines().filter(({ requestId }) => requestId === id)

/** Of the tests that look for lines of their own project. */
let service: LoggedService
beforeAll(async () => {
  service = await startLogged()
})
afterAll(() => service.close())
const newProject = (): Promise<ProjectAccess> => createProject(service.url, `p${randomUUID().slice(0, 8)}`)
const ofProject = (message: string, slug: string) => service.lines(message).filter((line) => line['slug'] === slug)

describe('the log', () => {
  it('has a line for each request of a known caller, and one for what it led to under the same id', async () => {
    const { client, slug } = await newProject()
    await client.call(contract.deploys.create, { body: { files } })
    const [deploy] = ofProject('deploy', slug)
    expect(deploy).toMatchObject({ slug, kind: 'deploy', status: 'live', pages: { total: 1, built: 1, reused: 0 } })
    expect(Object.keys(deploy?.['stages'] as object).sort()).toEqual(['build', 'commit', 'point', 'receive', 'release'])
    await expect.poll(() => ofRequest(service, deploy?.['requestId'])).toHaveLength(2)
    expect(ofRequest(service, deploy?.['requestId'])[1]).toMatchObject({
      msg: 'request',
      who: expect.stringMatching(/^key_/),
      projectId: deploy?.['projectId'],
      slug,
      method: 'POST',
      route: '/api/deploy',
      status: 201,
      ms: expect.any(Number),
      bytes: expect.any(Number),
    })
  })

  it('tells of saves, previews, publishes and rollbacks', async () => {
    const { client, slug } = await newProject()
    const first = await client.call(contract.deploys.create, { body: { files } })
    const { id } = await client.call(contract.branches.create, { params: { slug }, body: { name: 'words' } })
    await client.call(contract.branches.commit, {
      params: { slug, id },
      body: { changes: [{ path: 'two.md', content: '# Two' }], message: 'Two' },
    })
    await expect
      .poll(() => ofProject('preview', slug))
      .toContainEqual(
        expect.objectContaining({ slug, branch: 'words', status: 'live', pages: { total: 2, built: 2, reused: 0 } }),
      )
    expect(ofProject('save', slug)).toEqual([expect.objectContaining({ slug, branchId: id, files: 1 })])
    await client.call(contract.branches.publish, { params: { slug }, body: { branchId: id } })
    await client.call(contract.deploys.rollback, { params: { slug }, body: { deployId: first.id } })
    expect(ofProject('deploy', slug).map(({ kind, status }) => [kind, status])).toEqual([
      ['deploy', 'live'],
      ['publish', 'live'],
      ['rollback', 'live'],
    ])
  })

  it('tells of clones and pushes over Git', async () => {
    const { client, key, slug } = await newProject()
    await client.call(contract.deploys.create, { body: { files } })
    const directory = await temporaryDirectory()
    const url = `${service.url.replace('://', `://anna:${key}@`)}/git/${slug}.git`
    expect((await gitSays(directory, 'clone', url, 'clone')).ok).toBe(true)
    await git(`${directory}/clone`, 'push', 'origin', 'HEAD:refs/heads/draft')
    expect(ofProject('push', slug)).toEqual([expect.objectContaining({ slug, ref: 'refs/heads/draft' })])
    await expect
      .poll(() => service.lines('request'))
      .toContainEqual(
        expect.objectContaining({
          slug,
          route: '/git/:repository/git-receive-pack',
          who: expect.stringMatching(/^key_/),
        }),
      )
    expect(service.text()).not.toContain(key)
  })

  it('says how the service starts and ends', async () => {
    const own = await startLogged()
    await own.close()
    expect(own.lines('started')).toEqual([
      expect.objectContaining({
        node: process.version,
        version: expect.any(String),
        dataDirectory: own.directory,
        address: `http://127.0.0.1:${own.port}`,
        projects: 0,
        parts: expect.objectContaining({ storage: expect.any(Number), deploys: expect.any(Number) }),
      }),
    ])
    expect(own.lines().at(-1)).toMatchObject({ msg: 'stopped', cutOffDeploys: 0 })
    expect(own.lines('draining')).toHaveLength(1)
  })

  it('has reads of pages only in the share that is asked for, and what goes wrong always', async () => {
    const [none, all] = [await logged({ LOG_PAGE_VIEWS: 'off' }), await logged({ LOG_PAGE_VIEWS: 'on' })]
    for (const own of [none, all]) {
      const { client } = await createProject(own.url, 'docs')
      await client.call(contract.deploys.create, { body: { files } })
      for (const host of ['docs.localhost', 'nobody.localhost']) await ask(own, '/index.md?of=secret', {}, host)
    }
    const views = (own: LoggedService) =>
      own.lines('request').flatMap(({ site, path, status }) => (site === undefined ? [] : [[site, path, status]]))
    await expect
      .poll(() => views(all))
      .toEqual([
        ['docs', '/index.md', 200],
        ['nobody', '/index.md', 404],
      ])
    await expect.poll(() => views(none)).toEqual([['nobody', '/index.md', 404]])
  })

  it('says of a stranger who is refused where from, and nothing of whom they wanted to be', async () => {
    const { slug } = await newProject()
    const email = `${slug}@example.com`
    const body = { email, password: 'a wrong password' }
    await refusalOf(createClient({ baseUrl: service.url }).call(contract.accounts.login, { body }))
    await expect
      .poll(() => service.lines('request'))
      .toContainEqual(expect.objectContaining({ route: '/api/auth/login', status: 401, address: '127.0.0.1' }))
    expect(service.text()).not.toContain(email)
  })

  it('keeps short and plain what a client chose', async () => {
    const own = await logged()
    const { client } = await createProject(own.url, 'docs')
    await client.call(contract.deploys.create, { body: { files } })
    await ask(own, '/', { 'user-agent': `evil \u009b2J ${'y'.repeat(3000)}` }, 'nobody.localhost')
    await ask(own, `/${'x'.repeat(5000)}`, {}, 'docs.localhost')
    const strangers = () => own.lines('request').filter(({ path }) => path !== undefined)
    await expect.poll(strangers).toHaveLength(2)
    const [first, second] = strangers()
    expect(first).toMatchObject({ agent: expect.stringMatching(/^evil \?+2J y+…$/) })
    expect(second).toMatchObject({ path: `/${'x'.repeat(199)}…` })
    expect(own.text()).toMatch(/^[\x20-\x7e…\n]*$/)
  })

  it('is not filled by strangers: what is left out is counted', async () => {
    const own = await logged()
    const asked = 200
    for (let at = 0; at < asked; at++) await fetch(`${own.url}/nothing-${at}`)
    await own.service.close()
    const lines = own.lines('request').length
    expect(lines).toBeGreaterThanOrEqual(60)
    expect(lines).toBeLessThan(100)
    const told = own.lines('requests have no line: too many came')
    expect(told.map(({ leftOut }) => (leftOut as Record<string, number>)['404'])).toEqual([asked - lines])
  })
})

describe('the id of a request', () => {
  it('is in the answer of the API, of sites and of hosts that are nobody’s', async () => {
    const { client, slug } = await newProject()
    await client.call(contract.deploys.create, { body: { files } })
    const answers = [
      await ask(service, '/api/service'),
      await ask(service, '/api/nothing'),
      await ask(service, `/git/${slug}.git/info/refs?service=git-upload-pack`),
      await ask(service, '/dashboard'),
      await ask(service, '/index.md', {}, `${slug}.localhost`),
      await ask(service, '/index.md', {}, 'nobody.localhost'),
      await ask(service, '/', {}, 'elsewhere.example'),
    ]
    const ids = answers.map(idIn)
    for (const id of ids) expect(id).toMatch(/^[\da-f-]{36}$/)
    expect(new Set(ids).size).toBe(answers.length)
  })

  it('is a trusted proxy’s where that is well-formed, and nobody else’s', async () => {
    const trusting = await logged({ TRUST_PROXY: 'loopback' })
    const sent = randomUUID()
    const idFor = async (of: LoggedService, id: string) => idIn(await ask(of, '/api/service', { 'x-request-id': id }))
    expect(await idFor(trusting, sent)).toBe(sent)
    expect(await idFor(service, sent)).not.toBe(sent)
    for (const odd of ['', 'a b', 'x'.repeat(129), '"><script>', 'ü']) expect(await idFor(trusting, odd)).not.toBe(odd)
  })

  it('leads from a mistake of the service to all that the log has of it, and people are told so', async () => {
    class Mistaken extends FakeBuilder {
      override build(): Promise<never> {
        return Promise.reject(new Error('the builder is mistaken'))
      }
    }
    const own = await logged({}, { builder: new Mistaken() })
    const { client } = await createProject(own.url, 'docs')
    const failure = await refusalOf(client.call(contract.deploys.create, { body: { files } }))
    expect(failure).toMatchObject({ code: 'internal', message: 'The service made a mistake.' })
    const id = String(failure.extra['requestId'])
    expect(failure.hint).toBe(`Tell the operator of the service the request id ${id}: the log has it.`)
    const errors = ofRequest(own, id).filter(({ level }) => level === 50)
    expect(errors.map(({ msg }) => msg)).toContain('a request failed')
    expect(JSON.stringify(errors)).toContain('the builder is mistaken')
    expect(JSON.stringify(errors)).toMatch(/request-log\.test\.ts:\d+/)
  })
})
