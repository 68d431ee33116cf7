import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { inDepth } from '#test/support/depth.ts'
import { createClient, type Client } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { FakeTexts } from '#test/support/changelog/support.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { createProject, type ProjectAccess } from '#test/support/service-process.ts'
import { startTestService, type TestService } from '#test/support/service.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

const slug = 'docs'
const params = { slug }

let service: TestService
let project: ProjectAccess
let owner: Client
let branch: string

/** What no compression makes smaller. */
const noise = (megabytes: number): string => randomBytes(Math.ceil(megabytes * 2 ** 20 * 0.75)).toString('base64')
const deploy = (content: string) =>
  project.client.call(contract.deploys.create, { body: { files: [{ path: 'big.txt', content }] } })
const usage = () => owner.call(contract.usage.read, { params })

beforeAll(async () => {
  const settings = { STORAGE_PRO_MB: '6', OPERATOR_CONTACT: 'mailto:ops@example.com' }
  service = await startTestService(settings, { builder: new FakeBuilder(), texts: new FakeTexts() })
  project = await createProject(service.url, slug)
  owner = createClient({ baseUrl: service.url, token: project.session })
  branch = (await owner.call(contract.branches.create, { params, body: { name: 'next' } })).id
})
afterAll(() => service.close())

describe('the storage of a plan', () => {
  inDepth('is shown with what is left of it', async () => {
    const { storage } = await usage()
    expect(storage).toMatchObject({ limit: 6 * 2 ** 20 })
    expect(storage?.used).toBeGreaterThan(0)
    expect(storage?.remaining).toBe((storage?.limit ?? 0) - (storage?.used ?? 0))
  })

  it('refuses what does not fit before anything of it is kept', async () => {
    const refused = await refusalOf(deploy(noise(7)))
    expect(refused).toMatchObject({ code: 'quota_exceeded', status: 429, extra: { of: 'storage', plan: 'Pro' } })
    expect(refused.message).toMatch(
      /^The Pro plan allows 6 MB .* They take [\d.]+ MB, and [\d.]+ MB more do not fit\.$/,
    )
    expect(refused.hint).toContain('ops@example.com')
    expect((await owner.call(contract.deploys.list, { params })).items).toEqual([])
  })

  inDepth('counts a body that does not say how long it is as it comes', async () => {
    const body = gzipSync(JSON.stringify({ files: [{ path: 'big.txt', content: 'a'.repeat(7 * 2 ** 20) }] }))
    expect(body.length).toBeLessThan(100_000)
    const answer = await fetch(`${service.url}/api/deploy`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${project.key}`,
        'content-type': 'application/json',
        'content-encoding': 'gzip',
      },
      body,
    })
    expect([answer.status, await answer.json()]).toMatchObject([429, { code: 'quota_exceeded' }])
  })

  inDepth(
    'refuses all that grows once it is used up, also after a restart, and lets go on what makes room',
    async () => {
      const { id } = await owner.call(contract.changelog.create, { params, body: { title: 'Out', content: 'It is.' } })
      // It fits as it comes, and not with what is built of it.
      const live = await deploy(noise(4))
      await expect.poll(async () => (await usage()).storage?.remaining, { timeout: 60_000, interval: 1000 }).toBe(0)
      await service.restart()

      const send = (method: string, path: string, body: unknown, more: Record<string, string> = {}) =>
        fetch(`${service.url}${path}`, {
          method,
          headers: { authorization: `Bearer ${project.key}`, 'content-type': 'application/json', ...more },
          body: JSON.stringify(body),
        })
      const base = `/api/projects/${slug}`
      const files = `${base}/branches/${branch}`
      const growing = [
        send('POST', '/api/deploy', { files: [{ path: 'index.md', content: 'x' }] }),
        send('POST', '/api/deploy/objects', { objects: [] }),
        send('PUT', `${files}/files/new.md`, { content: 'x' }, { 'if-none-match': '*' }),
        send('POST', `${files}/commits`, { message: 'x', changes: [] }),
        send('POST', `${files}/comments`, { text: 'x' }),
        send('POST', `${files}/assistant`, { message: 'x' }),
        send('POST', `${base}/branches`, { name: 'more' }),
        send('POST', `${base}/publish`, { branch: 'next' }),
        send('POST', `${base}/changelog`, { title: 'x', content: 'y' }),
      ]
      const answers = await Promise.all(growing.map(async (grow) => (await grow).json() as Promise<{ code: string }>))
      expect(answers.map(({ code }) => code)).toEqual(answers.map(() => 'quota_exceeded'))

      // A push that brings something, and one that only takes away.
      const clone = join(await temporaryDirectory(), 'clone')
      const url = `http://x:${project.key}@127.0.0.1:${service.port}/git/${slug}.git`
      const git = (...args: string[]) => promisify(execFile)('git', ['-C', clone, ...args])
      await promisify(execFile)('git', ['clone', '-q', url, clone])
      const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
      await git(...author, 'commit', '-q', '--allow-empty', '-m', 'more')
      await expect(git('push', 'origin', 'HEAD:refs/heads/pushed')).rejects.toThrow('The Pro plan allows 6 MB')
      await git('push', 'origin', '--delete', 'next')

      await owner.call(contract.changelog.remove, { params, query: { id } })
      await owner.call(contract.deploys.rollback, { params, body: { deployId: live.id } })
      await owner.call(contract.projects.remove, { params })
      await owner.call(contract.projects.create, { body: { slug: 'anew' } })
      expect((await owner.call(contract.usage.read, { params: { slug: 'anew' } })).storage?.used).toBeLessThan(2 ** 20)
    },
  )
})

inDepth(
  'a project is not taken over by an account whose storage it does not fit into, until there is room',
  async () => {
    const taken = await startTestService(
      { STORAGE_PRO_MB: '6' },
      { builder: new FakeBuilder(), texts: new FakeTexts() },
    )
    onTestFinished(() => taken.close())
    const [given, own] = [await createProject(taken.url, 'given'), await createProject(taken.url, 'own')]
    const [giver, taker] = [given, own].map(({ session }) => createClient({ baseUrl: taken.url, token: session }))
    if (giver === undefined || taker === undefined) throw new Error('nobody is there')
    for (const { client } of [given, own])
      await client.call(contract.deploys.create, { body: { files: [{ path: 'big.txt', content: noise(3) }] } })
    const { id, code } = await giver.call(contract.invitations.create, {
      params: { slug: 'given' },
      body: { email: 'own@example.com', role: 'owner' },
    })
    const accept = () => taker.call(contract.invitations.accept, { params: { id }, body: { code } })
    const refused = await refusalOf(accept())
    expect(refused).toMatchObject({ code: 'quota_exceeded', extra: { of: 'storage', plan: 'Pro' } })
    expect(refused.message).toMatch(
      /^The Pro plan allows 6 MB .* Yours take [\d.]+ MB, and given takes [\d.]+ MB more\.$/,
    )
    // Nothing has changed: whose it is, and the invitation.
    const roles = async (client: Client) =>
      (await client.call(contract.projects.read, { params: { slug: 'given' } })).role
    expect(await roles(giver)).toBe('owner')
    expect((await refusalOf(roles(taker))).code).toBe('not_found')
    expect((await taker.call(contract.invitations.received)).items).toMatchObject([{ id, role: 'owner' }])

    await taker.call(contract.projects.remove, { params: { slug: 'own' } })
    // What it took counts until the disk is asked again.
    const again = (): Promise<string> =>
      accept().then(
        ({ member: { role } }) => role,
        (error: unknown) => String(error),
      )
    await expect.poll(again, { timeout: 60_000, interval: 2000 }).toBe('owner')
    const { storage } = await taker.call(contract.usage.read, { params: { slug: 'given' } })
    expect(storage?.used).toBeGreaterThan(3 * 2 ** 20)
  },
)
