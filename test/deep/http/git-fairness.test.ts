import { randomBytes } from 'node:crypto'
import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Repository } from '#content/repository.ts'
import type { Pace } from '#lib/pace.ts'
import { author, basic, git, serveGit, type GitService } from '#test/support/git-service.ts'
import { line, options, packOf, zero } from '#test/support/pack.ts'
import { temporaryDirectory, writeFiles } from '#test/support/temporary.ts'

/** Nobody is ever too slow: what others get then, they get beside those who stall. */
const forEver: Pace = { graceMs: 3_600_000, bytesPerSecond: 1e9 }

/** Main with so much content that no buffer takes it all. */
async function fill(repository: Repository, megabytes: number): Promise<string> {
  const files = Array.from({ length: megabytes }, (_, i) => ({ path: `${i}.bin`, content: randomBytes(1024 * 1024) }))
  const { commit } = await repository.replaceTree({ files, parent: null, author, message: 'large' })
  await repository.updateRefs([{ ref: 'refs/heads/main', old: null, new: commit }])
  return commit
}

function post(url: string, service: 'upload' | 'receive'): ClientRequest {
  const { origin, pathname } = new URL(url)
  const headers = { authorization: basic, 'content-type': `application/x-git-${service}-pack-request` }
  const sent = request(`${origin}${pathname}/git-${service}-pack`, { method: 'POST', headers, agent: false })
  sent.on('error', () => undefined)
  onTestFinished(() => void sent.destroy())
  return sent
}

/** Begins a clone and never reads. */
async function stalledClone(url: string, commit: string): Promise<IncomingMessage> {
  const sent = post(url, 'upload')
  sent.end(`${line(`want ${commit}\n`)}0000${line('done\n')}`)
  return new Promise((resolve) => sent.once('response', resolve))
}

/** Bytes of packs that arrive. */
async function spooled({ repository }: GitService): Promise<number> {
  const objects = join(repository.directory, 'objects')
  const names = await readdir(objects, { recursive: true })
  const incoming = names.filter((name) => name.endsWith('tmp_incoming'))
  const sizes = await Promise.all(incoming.map(async (name) => (await stat(join(objects, name))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}

async function pushAndClone({ url }: { readonly url: string }): Promise<string> {
  const home = await temporaryDirectory()
  await git(home, 'init', '--quiet', '-b', 'main')
  await writeFiles(home, { 'index.mdx': '# Hello' })
  await git(home, 'add', '.')
  await git(home, 'commit', '--quiet', '-m', 'one')
  await git(home, 'push', '--quiet', url, 'HEAD:refs/heads/main')
  await git(home, 'clone', '--quiet', url, 'clone')
  return (await git(join(home, 'clone'), 'log', '--format=%s')).trim()
}

/** Pushes that stop in the middle of their commands, and of their pack. */
function stalledPushes({ url }: GitService, each: number): void {
  for (let i = 0; i < each; i++) {
    post(url, 'receive').write('00')
    const command = line(`${zero} ${'a'.repeat(40)} refs/heads/x${options}`)
    post(url, 'receive').write(`${command}0000PACK\0\0\0\u0002\0\0\0\u0001x`)
  }
}

describe('clients that stall', () => {
  it('keep nobody else from pushing: until a push is whole it has no place', async () => {
    const service = await serveGit({ pace: forEver })
    stalledPushes(service, 4)
    expect(await pushAndClone(service)).toBe('one')
    expect(await pushAndClone(service.neighbour)).toBe('one')
  })

  it('keep no other account from cloning', async () => {
    const service = await serveGit({ pace: forEver })
    const commit = await fill(service.repository, 24)
    const first = await stalledClone(service.url, commit)
    for (let i = 0; i < 4; i++) void stalledClone(service.url, commit)
    expect(await pushAndClone(service.neighbour)).toBe('one')
    expect(first.destroyed).toBe(false)
  })

  it('and do not read are cut off, so that others of their account go on', async () => {
    const service = await serveGit({ pace: { graceMs: 500, bytesPerSecond: 1024 * 1024 * 1024 } })
    const commit = await fill(service.repository, 24)
    const stalled = await stalledClone(service.url, commit)
    const home = await temporaryDirectory()
    await git(home, 'clone', '--quiet', service.url, 'clone')
    expect((await git(join(home, 'clone'), 'log', '--format=%s')).trim()).toBe('large')
    stalled.resume()
    stalled.on('error', () => undefined)
    await new Promise((resolve) => stalled.once('close', resolve))
    expect(stalled.complete).toBe(false)
    expect(service.errors).toEqual([])
  })

  it('and ask for a clone byte by byte are told that they are too slow', async () => {
    const service = await serveGit({ pace: { graceMs: 300, bytesPerSecond: 1e9 } })
    const sent = post(service.url, 'upload')
    sent.write('00')
    const response = await new Promise<IncomingMessage>((resolve) => sent.once('response', resolve))
    expect(response.statusCode).toBe(503)
    expect(String(await response.setEncoding('utf8').toArray())).toContain('The fetch came too slowly')
  })

  it('have so many bytes of packs on disk for each account', async () => {
    const service = await serveGit({ pace: forEver, maxBytes: 10_000 })
    for (let i = 0; i < 2; i++) {
      const command = line(`${zero} ${'a'.repeat(40)} refs/heads/x${options}`)
      const object = packOf([{ type: 3, body: randomBytes(20_000) }]).subarray(0, 9_500)
      post(service.url, 'receive').write(Buffer.concat([Buffer.from(`${command}0000`), object]))
    }
    await expect.poll(() => spooled(service)).toBe(2 * 9_500)
    const home = await temporaryDirectory()
    await git(home, 'init', '--quiet', '-b', 'main')
    await writeFiles(home, { 'a.bin': randomBytes(5_000) })
    await git(home, 'add', '.')
    await git(home, 'commit', '--quiet', '-m', 'one')
    const push = git(home, 'push', '--quiet', service.url, 'HEAD:refs/heads/main')
    await expect(push).rejects.toThrow('Too many pushes of this account are under way')
    await git(home, 'push', '--quiet', service.neighbour.url, 'HEAD:refs/heads/main')
  })

  it('have so many bytes of fetches in memory for each account', async () => {
    const service = await serveGit({ pace: forEver })
    const some = Buffer.from(line('have '.padEnd(65_000, 'a')).repeat(120))
    const sent = Array.from({ length: 5 }, () => post(service.url, 'upload'))
    const answers = sent.map((asked) => new Promise<IncomingMessage>((resolve) => asked.once('response', resolve)))
    for (const asked of sent) asked.write(some)
    const answer = await Promise.race(answers)
    expect(answer.statusCode).toBe(503)
    expect(String(await answer.setEncoding('utf8').toArray())).toContain('Too many clones and fetches of this account')
    expect(await pushAndClone(service.neighbour)).toBe('one')
  })

  it('and go away while they ask are no mistake of the service', async () => {
    const service = await serveGit()
    const connections = () =>
      new Promise<number>((done) => service.app.server.getConnections((_, count) => done(count)))
    const sent = post(service.url, 'upload')
    sent.write('00')
    await expect.poll(connections).toBe(1)
    await git(await temporaryDirectory(), 'ls-remote', service.url)
    sent.destroy()
    await expect.poll(connections).toBe(0)
    await pushAndClone(service.neighbour)
    expect(service.errors).toEqual([])
  })

  it('and read slowly make room when another account waits in vain', async () => {
    const service = await serveGit({
      pace: forEver,
      crowdedPace: { graceMs: 300, bytesPerSecond: 1e9 },
      concurrency: 1,
      firsts: 0,
    })
    const commit = await fill(service.repository, 24)
    const stalled = await stalledClone(service.url, commit)
    const ended = new Promise((resolve) => stalled.once('close', resolve))
    expect(await pushAndClone(service.neighbour)).toBe('one')
    stalled.resume()
    stalled.on('error', () => undefined)
    await ended
    expect(stalled.complete).toBe(false)
  })

  it('are bounded in number for each account', async () => {
    const service = await serveGit({ pace: forEver, open: 4 })
    stalledPushes(service, 2)
    await expect
      .poll(async () => {
        const asked = post(service.url, 'receive')
        asked.end('0000')
        return (await new Promise<IncomingMessage>((resolve) => asked.once('response', resolve))).statusCode
      })
      .toBe(503)
    expect(await pushAndClone(service.neighbour)).toBe('one')
  })
})
