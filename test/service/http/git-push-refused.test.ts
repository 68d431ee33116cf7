import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { inDepth } from '#test/support/depth.ts'
import { commitFiles, develop, expectSound, stored } from '#test/support/developer.ts'
import { author, git, gitSays } from '#test/support/git-service.ts'
import { line, options, packOf, zero } from '#test/support/pack.ts'
import { post } from '#test/support/raw-push.ts'

describe('git push is refused', () => {
  inDepth.each([
    ['HEAD:refs/heads/Bad', 'characters that are not allowed'],
    ['HEAD:refs/heads/heads/main', 'reserved by Git'],
    ['HEAD:refs/heads/main/x', 'names that start with main/'],
    ['HEAD:refs/heads/con', 'device name on Windows'],
    [`HEAD:refs/heads/${'a'.repeat(40)}`, 'looks like the id of a commit'],
    ['HEAD:refs/deploys/2', 'only refs/heads/… and refs/tags/… can be pushed'],
    ['HEAD:refs/internal/x', 'only refs/heads/… and refs/tags/… can be pushed'],
    ['HEAD:refs/notes/x', 'only refs/heads/… and refs/tags/… can be pushed'],
    ['HEAD:refs/tags/-x', 'is no name for a tag'],
    ['HEAD:refs/tags/größe', 'is no name for a tag'],
    ['HEAD:refs/tags/main', 'Git takes it for something else'],
    ['HEAD:refs/tags/heads/x', 'Git takes it for something else'],
    [`HEAD:refs/tags/${'A'.repeat(40)}`, 'looks like the id of a commit'],
    [`HEAD:refs/tags/${'a'.repeat(101)}`, 'longer than 100 characters'],
  ])('for the ref of %s', async (refspec, sentence) => {
    const service = await develop()
    await commitFiles(service.clone, { 'index.mdx': 'changed' })
    const before = await stored(service.repository)
    const { ok, text } = await gitSays(service.clone, 'push', 'origin', refspec)
    expect([ok, text]).toEqual([false, expect.stringContaining(sentence)])
    expect(text).toContain('[remote rejected]')
    expect(await stored(service.repository)).toEqual(before)
    expect(service.target.calls).toEqual([])
    await expectSound(service)
  })

  inDepth('for a branch whose name is a folder of others', async () => {
    const service = await develop()
    await git(service.clone, 'push', '--quiet', 'origin', 'HEAD:refs/heads/a')
    const { ok, text } = await gitSays(service.clone, 'push', 'origin', 'HEAD:refs/heads/a/b')
    expect([ok, text]).toEqual([false, expect.stringContaining('name of a folder of other branches')])
    await expectSound(service)
  })

  it('for what is no fast-forward, forced or not', async () => {
    const service = await develop()
    const { clone, repository, main } = service
    const tip = await commitFiles(clone, { 'a.mdx': 'a' })
    await git(clone, 'push', '--quiet', 'origin', 'HEAD:refs/heads/x', 'HEAD:main')
    await git(clone, 'reset', '--quiet', '--hard', main)
    await commitFiles(clone, { 'b.mdx': 'b' })
    expect((await gitSays(clone, 'push', 'origin', 'HEAD:x')).text).toContain('non-fast-forward')
    for (const ref of ['x', 'main']) {
      const forced = await gitSays(clone, 'push', '--force', 'origin', `HEAD:${ref}`)
      expect([forced.ok, forced.text]).toEqual([false, expect.stringContaining('force pushes are refused')])
      expect(await repository.resolveRef(`refs/heads/${ref}`)).toBe(tip)
    }
    await expectSound(service)
  })

  it('for the deletion of main, while another branch of the push goes on', async () => {
    const service = await develop()
    await git(service.clone, 'push', '--quiet', 'origin', 'HEAD:refs/heads/x')
    const { ok, text } = await gitSays(service.clone, 'push', 'origin', ':main', ':x')
    expect([ok, text]).toEqual([false, expect.stringContaining('main cannot be deleted')])
    expect(await service.repository.resolveRef('refs/heads/main')).toBe(service.main)
    expect(await service.repository.resolveRef('refs/heads/x')).toBeNull()
  })

  inDepth('for several refs for one reason, with one hint for all of them', async () => {
    const service = await develop()
    const refs = ['v1', 'v2', 'v3'].map((name) => `HEAD:refs/notes/${name}`)
    const { ok, text } = await gitSays(service.clone, 'push', 'origin', ...refs)
    expect([ok, text.match(/is neither a branch/g)?.length, text.match(/hint: Other refs/g)?.length]).toEqual([
      false,
      3,
      1,
    ])
  })

  inDepth(
    'for commits that no ref reaches and that did not come with it: whoever knows their id could read them again',
    async () => {
      const service = await develop()
      const { repository, main, may } = service
      const files = [{ path: 'secret.mdx', content: Buffer.from('# Secret') }]
      const secret = await repository.replaceTree({ files, parent: main, author, message: 'secret' })
      const person = 'Eve <eve@example.com> 1700000000 +0000'
      const child = Buffer.from(
        `tree ${secret.tree}\nparent ${secret.commit}\nauthor ${person}\ncommitter ${person}\n\nx\n`,
      )
      const id = createHash('sha1').update(`commit ${child.length}\0`).update(child).digest('hex')
      may.delete('read')
      for (const [oid, pack] of [
        [secret.commit, packOf([])],
        [id, packOf([{ type: 1, body: child }])],
      ] as const) {
        for (const ref of ['refs/heads/x', 'refs/tags/x']) {
          const command = `${line(`${zero} ${oid} ${ref}${options}`)}0000`
          const answer = await post(service, Buffer.concat([Buffer.from(command), pack]))
          expect(answer.payload).toContain('lacks objects of its history')
        }
      }
      await expectSound(service)
    },
  )

  inDepth('for a branch that somebody else moved meanwhile', async () => {
    const service = await develop()
    const { clone, repository, main, target } = service
    const tip = await commitFiles(clone, { 'a.mdx': 'a' })
    target.before = () => repository.updateRefs([{ ref: 'refs/heads/x', old: null, new: main }])
    const { ok, text } = await gitSays(clone, 'push', 'origin', 'HEAD:refs/heads/x', 'HEAD:refs/heads/y')
    expect([ok, text]).toEqual([false, expect.stringContaining('somebody else moved it')])
    expect(await repository.resolveRef('refs/heads/x')).toBe(main)
    expect(tip).not.toBe(main)
    await expectSound(service)
  })

  inDepth('for keys without the scope, with a sentence', async () => {
    const service = await develop()
    await commitFiles(service.clone, { 'a.mdx': 'a' })
    service.may.delete('deploy')
    const main = await gitSays(service.clone, 'push', 'origin', 'HEAD:main', 'HEAD:refs/heads/x')
    expect([main.ok, main.text]).toEqual([false, expect.stringContaining('the key lacks the scope deploy')])
    expect(await service.repository.resolveRef('refs/heads/x')).not.toBeNull()
    service.may.add('deploy')
    service.may.delete('write')
    const branch = await gitSays(service.clone, 'push', 'origin', 'HEAD:refs/heads/y')
    expect([branch.ok, branch.text]).toEqual([false, expect.stringContaining('the key lacks the scope write')])
    service.may.delete('deploy')
    const none = await gitSays(service.clone, 'push', 'origin', 'HEAD:refs/heads/y')
    expect([none.ok, none.text]).toEqual([false, expect.stringContaining('The key may not push')])
    const stranger = await gitSays(
      service.clone,
      'push',
      service.url.replace('quire_secret', 'wrong'),
      'HEAD:refs/heads/y',
    )
    expect([stranger.ok, stranger.text]).toEqual([false, expect.stringContaining('Authentication failed')])
  })

  inDepth('for two names that are one on some file systems', async () => {
    const service = await develop()
    await commitFiles(service.clone, { 'Guides/start.mdx': 'x' })
    const before = await stored(service.repository)
    const { ok, text } = await gitSays(service.clone, 'push', 'origin', 'HEAD:refs/heads/x')
    expect([ok, text]).toEqual([false, expect.stringMatching(/guides\/start\.mdx.*collides with/i)])
    expect(await stored(service.repository)).toEqual(before)
  })

  inDepth.each([
    ['nul.mdx', 'device name on Windows'],
    ['_quire/x.mdx', 'belong to the service'],
    ['cafe\u0301.mdx', 'composed form'],
    ['tab\there.mdx', 'control character'],
    ['back\\slash.mdx', 'backslash'],
  ])('for the path %j', async (path, rule) => {
    const service = await develop()
    await commitFiles(service.clone, { [path]: 'x' })
    const { ok, text } = await gitSays(
      service.clone,
      '-c',
      'core.precomposeunicode=false',
      'push',
      'origin',
      'HEAD:refs/heads/x',
    )
    expect([ok, text]).toEqual([false, expect.stringContaining(rule)])
    await expectSound(service)
  })

  inDepth('for a file over the limit, also when a later commit takes it away, and names it', async () => {
    const service = await develop()
    await commitFiles(service.clone, { 'assets/huge.bin': randomBytes(5 * 1024 * 1024 + 1) })
    await commitFiles(service.clone, { 'assets/huge.bin': null })
    const before = await stored(service.repository)
    const { ok, text } = await gitSays(service.clone, 'push', 'origin', 'HEAD:refs/heads/x')
    expect([ok, text]).toEqual([false, expect.stringContaining('"assets/huge.bin": larger than 5 MB')])
    expect(await stored(service.repository)).toEqual(before)
    await expectSound(service)
    await git(service.clone, 'reset', '--quiet', '--hard', service.main)
    await commitFiles(service.clone, { 'assets/large.bin': randomBytes(5 * 1024 * 1024) })
    expect((await gitSays(service.clone, 'push', 'origin', 'HEAD:refs/heads/x')).ok).toBe(true)
  })

  inDepth('for an object of hundreds of megabytes that arrives as a few kilobytes', async () => {
    const service = await develop()
    await commitFiles(service.clone, { 'bomb.txt': Buffer.alloc(300 * 1024 * 1024) })
    const { ok, text } = await gitSays(service.clone, 'push', 'origin', 'HEAD:refs/heads/x')
    expect([ok, text]).toEqual([false, expect.stringContaining('larger than 5 MB')])
    await expectSound(service)
  })

  inDepth('for a pack with too many bytes or objects', async () => {
    const service = await develop({ maxBytes: 1024 * 1024, maxObjects: 50 })
    await commitFiles(service.clone, { 'a.bin': randomBytes(3 * 1024 * 1024) })
    const before = await stored(service.repository)
    const bytes = await gitSays(service.clone, 'push', 'origin', 'HEAD:refs/heads/x')
    expect([bytes.ok, bytes.text]).toEqual([false, expect.stringContaining('The push is larger than 1 MB')])
    await git(service.clone, 'reset', '--quiet', '--hard', service.main)
    await commitFiles(service.clone, Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`p${i}.mdx`, `${i}`])))
    const objects = await gitSays(service.clone, 'push', 'origin', 'HEAD:refs/heads/x')
    expect([objects.ok, objects.text]).toEqual([false, expect.stringContaining('50 are the limit')])
    expect(await stored(service.repository)).toEqual(before)
    await expectSound(service)
  })
})
