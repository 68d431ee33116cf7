import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { Repository } from '#content/repository.ts'
import { isDeep, inDepth } from '#test/support/depth.ts'
import { author, basic, git, key, serveGit as serve } from '#test/support/git-service.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

/** Two deploys with 60 pages, of which the second changes one. */
async function deployTwice(repository: Repository): Promise<string[]> {
  const commits: string[] = []
  for (const text of ['first', 'second']) {
    const pages = Array.from({ length: 60 }, (_, i) => ({
      path: `d${i % 4}/p${i}.mdx`,
      content: Buffer.from(`page ${i}`),
    }))
    const files = [...pages, { path: 'index.mdx', content: Buffer.from(`# ${text}\n`) }]
    const parent = commits.at(-1) ?? null
    const { commit } = await repository.replaceTree({ files, parent, author, message: text })
    commits.push(commit)
    await repository.updateRefs([
      { ref: 'refs/heads/main', old: parent, new: commit },
      { ref: `refs/deploys/${commits.length}`, old: null, new: commit },
    ])
  }
  await repository.updateRefs([{ ref: 'refs/internal/hidden', old: null, new: commits[0] ?? '' }])
  return commits
}

describe('git transport', () => {
  it.each(isDeep ? [0, 1, 2] : [2])('serves clone, and a diff of two live states, in protocol %i', async (version) => {
    const { url, repository } = await serve()
    const commits = await deployTwice(repository)
    const home = await temporaryDirectory()
    await git(home, '-c', `protocol.version=${version}`, 'clone', '--quiet', url, 'clone')
    const clone = join(home, 'clone')
    expect((await git(clone, 'rev-parse', 'main')).trim()).toBe(commits[1])
    await git(clone, '-c', `protocol.version=${version}`, 'fetch', '--quiet', 'origin', 'refs/deploys/*:refs/deploys/*')
    const diff = await git(clone, 'diff', 'refs/deploys/1', 'refs/deploys/2')
    expect(diff).toContain('-# first\n+# second')
    expect(await git(clone, 'ls-remote', 'origin')).not.toContain('refs/internal')
    await git(clone, 'fsck', '--strict')
  })

  inDepth('serves shallow and partial clones, and an empty repository', async () => {
    const { url, repository } = await serve()
    const home = await temporaryDirectory()
    await git(home, 'clone', '--quiet', url, 'empty')
    await deployTwice(repository)
    await git(home, 'clone', '--quiet', '--depth=1', url, 'shallow')
    expect((await git(join(home, 'shallow'), 'log', '--format=%s')).trim()).toBe('second')
    await git(home, 'clone', '--quiet', '--filter=blob:none', url, 'partial')
    expect(await git(join(home, 'partial'), 'show', 'HEAD~1:index.mdx')).toBe('# first\n')
  })

  inDepth('fetches what is new, with a request that git compresses', async () => {
    const { url, repository } = await serve()
    await deployTwice(repository)
    const home = await temporaryDirectory()
    await git(home, '-c', 'protocol.version=0', 'clone', '--quiet', url, 'clone')
    const main = await repository.resolveRef('refs/heads/main')
    const files = [{ path: 'index.mdx', content: Buffer.from('third') }]
    const { commit } = await repository.replaceTree({ files, parent: main, author, message: 'third' })
    await repository.updateRefs([{ ref: 'refs/heads/main', old: main, new: commit }])
    const clone = join(home, 'clone')
    await git(clone, 'pull', '--quiet')
    expect((await git(clone, 'rev-parse', 'HEAD')).trim()).toBe(commit)
  })

  it('takes a gzipped request body and refuses a bomb and another encoding', async () => {
    const { app, repository } = await serve()
    const [, main] = await deployTwice(repository)
    const want = `0032want ${main}\n00000009done\n`
    const post = (payload: Buffer, encoding: string) =>
      app.inject({
        method: 'POST',
        url: '/git/docs.git/git-upload-pack',
        headers: {
          authorization: basic,
          'content-type': 'application/x-git-upload-pack-request',
          'content-encoding': encoding,
        },
        payload,
      })
    const answer = await post(gzipSync(want), 'gzip')
    expect(answer.statusCode).toBe(200)
    expect(answer.rawPayload.includes('PACK')).toBe(true)
    const bomb = await post(gzipSync(Buffer.alloc(40 * 1024 * 1024, '0032want')), 'gzip')
    expect(bomb.rawPayload.includes('PACK')).toBe(false)
    expect((await post(Buffer.from(want), 'br')).statusCode).toBe(415)
  })

  it('serves only what shown refs reach', async () => {
    const { url, repository } = await serve()
    const [first, second = ''] = await deployTwice(repository)
    const files = [{ path: 'secret.mdx', content: Buffer.from('# Secret\n') }]
    const { commit, tree } = await repository.replaceTree({ files, parent: second, author, message: 'secret' })
    const blob = (await repository.readTree(commit)).get('secret.mdx')?.oid ?? ''
    await repository.updateRefs([{ ref: 'refs/heads/x', old: null, new: commit }])
    await repository.updateRefs([{ ref: 'refs/heads/x', old: commit, new: null }])
    await repository.updateRefs([{ ref: 'refs/internal/kept', old: null, new: commit }])
    const home = await temporaryDirectory()
    await git(home, 'init', '--quiet')
    const fetch = (oid: string) => git(home, 'fetch', '--quiet', url, oid)
    for (const oid of [commit, tree, blob, 'a'.repeat(40)]) await expect(fetch(oid)).rejects.toThrow('not our ref')
    await fetch(first ?? '')
    // Also one file of an older commit, as a partial clone asks for it.
    const old = (await repository.readTree(first ?? '')).get('index.mdx')?.oid ?? ''
    await fetch(old)
    expect(await git(home, 'cat-file', 'blob', old)).toBe('# first\n')
  })

  inDepth('reads the wants of a fetch as git does', async () => {
    const { app, repository } = await serve()
    const [, second = ''] = await deployTwice(repository)
    const files = [{ path: 'secret.mdx', content: Buffer.from('# Secret\n') }]
    const { commit } = await repository.replaceTree({ files, parent: second, author, message: 'secret' })
    const line = (text: string) => (text.length + 4).toString(16).padStart(4, '0') + text
    const headers = { authorization: basic, 'content-type': 'application/x-git-upload-pack-request' }
    const ask = (payload: string, protocol: string) =>
      app.inject({
        method: 'POST',
        url: '/git/docs.git/git-upload-pack',
        headers: { ...headers, 'git-protocol': protocol },
        payload,
      })
    const tree = (await repository.readCommit(commit)).tree
    for (const [protocol, before] of [
      ['version=0', ''],
      ['version=2', `${line('command=fetch')}0001`],
    ] as const) {
      const after = protocol === 'version=0' ? `0000${line('done\n')}` : `${line('done\n')}0000`
      const fetch = (oid: string) => ask(`${before}${line(`want ${oid}\n`)}${after}`, protocol)
      expect((await fetch(second.toUpperCase())).rawPayload.includes('PACK')).toBe(true)
      for (const oid of [commit, tree])
        expect((await fetch(oid.toUpperCase())).payload).toBe(line(`ERR upload-pack: not our ref ${oid}`))
    }
    const broken = await ask(`${line('command=fetch')}00zz`, 'version=2')
    expect([broken.statusCode, broken.payload]).toEqual([400, expect.stringContaining('not a fetch in Git’s protocol')])
  })

  it('asks for a key, and does not tell which projects there are', async () => {
    const { app, repository, url } = await serve()
    await deployTwice(repository)
    const get = (slug: string, headers: Record<string, string>) =>
      app.inject({ url: `/git/${slug}.git/info/refs?service=git-upload-pack`, headers })
    for (const headers of [
      {},
      { authorization: 'Basic ' + Buffer.from('me:wrong').toString('base64') },
      { authorization: `Bearer ${key}` },
    ]) {
      const answer = await get('docs', headers)
      expect(answer.statusCode).toBe(401)
      expect(answer.headers['www-authenticate']).toContain('Basic')
    }
    expect((await get('other', { authorization: basic })).statusCode).toBe(404)
    expect((await get('..%2fdocs', { authorization: basic })).statusCode).toBe(404)
    const home = await temporaryDirectory()
    await expect(git(home, 'clone', url.replace(key, 'wrong'), 'clone')).rejects.toThrow('Authentication failed')
  })

  it('lets a key without the scope read neither clone nor fetch', async () => {
    const { url, repository, may } = await serve()
    await deployTwice(repository)
    may.delete('read')
    const home = await temporaryDirectory()
    await expect(git(home, 'clone', url, 'clone')).rejects.toThrow('lacks the scope read')
  })

  it('refuses what is no smart client', async () => {
    const { app } = await serve()
    const headers = { authorization: basic }
    expect((await app.inject({ url: '/git/docs.git/info/refs', headers })).statusCode).toBe(403)
    expect((await app.inject({ url: '/git/docs.git/HEAD', headers })).statusCode).toBe(404)
    const wrongType = { ...headers, 'content-type': 'text/plain' }
    const post = await app.inject({
      method: 'POST',
      url: '/git/docs.git/git-upload-pack',
      headers: wrongType,
      payload: 'x',
    })
    expect(post.statusCode).toBe(415)
    const oddProtocol = { ...headers, 'git-protocol': 'version=2:evil; rm' }
    expect(
      (await app.inject({ url: '/git/docs.git/info/refs?service=git-upload-pack', headers: oddProtocol })).statusCode,
    ).toBe(200)
  })

  inDepth('frees its place when clients go away or send nothing', async () => {
    const { url, repository } = await serve()
    await deployTwice(repository)
    const { origin } = new URL(url)
    const headers = {
      authorization: basic,
      'content-type': 'application/x-git-upload-pack-request',
      'git-protocol': 'version=2',
    }
    for (let i = 0; i < 3; i++) {
      const half = request(`${origin}/git/docs.git/git-upload-pack`, { method: 'POST', headers })
      const broken = new Promise((resolve) => half.once('error', resolve))
      half.write('0014command=ls-refs\n')
      const answered = new Promise((resolve) => half.once('response', resolve))
      await Promise.race([answered, delay(100)])
      half.destroy(new Error('the client goes away'))
      await broken
    }
    const home = await temporaryDirectory()
    await git(home, 'clone', '--quiet', url, 'clone')
    expect((await git(join(home, 'clone'), 'log', '-1', '--format=%s')).trim()).toBe('second')
  })
})
