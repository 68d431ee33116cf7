import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { Quarantine } from '#content/objects/quarantine.ts'
import { Failure } from '#contract/failure.ts'
import { inDepth } from '#test/support/depth.ts'
import { commitFiles, develop, expectSound, stored } from '#test/support/developer.ts'
import { git, gitSays, serveGit } from '#test/support/git-service.ts'
import { heldBuffers } from '#test/support/held-memory.ts'
import { temporaryDirectory, writeFiles } from '#test/support/temporary.ts'

describe('git push to a branch', () => {
  it('creates, moves and deletes it, and prints what the branch reports', async () => {
    const service = await develop()
    const { clone, repository } = service
    const first = await commitFiles(clone, { 'guides/start.mdx': '# Started\n' })
    const created = await gitSays(clone, 'push', 'origin', 'HEAD:refs/heads/feature/one')
    expect(created.ok).toBe(true)
    expect(created.text).toMatch(/^remote: https:\/\/docs--feature\/one\.example\.com/m)
    expect(created.text).toContain('[new branch]')
    expect(await repository.resolveRef('refs/heads/feature/one')).toBe(first)
    await expectSound(service)

    const second = await commitFiles(clone, { 'new.mdx': 'new', 'index.mdx': null })
    expect((await gitSays(clone, 'push', 'origin', 'HEAD:refs/heads/feature/one')).ok).toBe(true)
    expect(await repository.resolveRef('refs/heads/feature/one')).toBe(second)
    expect([...(await repository.readTree(second)).keys()].sort()).toEqual(['guides/start.mdx', 'new.mdx'])
    await expectSound(service)

    expect((await gitSays(clone, 'push', 'origin', ':feature/one')).ok).toBe(true)
    expect(await repository.resolveRef('refs/heads/feature/one')).toBeNull()
    expect(service.target.calls).toEqual(['feature/one', 'feature/one', 'feature/one'])
    await expectSound(service)
  })

  inDepth('moves several branches at once, one of which is at a commit that is there already', async () => {
    const service = await develop()
    const { clone, repository, main } = service
    const one = await commitFiles(clone, { 'one.mdx': '1' })
    await git(clone, 'branch', 'one')
    const two = await commitFiles(clone, { 'two.mdx': '2' })
    await git(clone, 'branch', 'two')
    const pushed = await gitSays(clone, 'push', 'origin', 'one', 'two', 'origin/main:refs/heads/three')
    expect(pushed.ok).toBe(true)
    const branches = await repository.listRefs('refs/heads/')
    expect(Object.fromEntries(branches)).toEqual({
      'refs/heads/main': main,
      'refs/heads/one': one,
      'refs/heads/two': two,
      'refs/heads/three': main,
    })
    expect((await gitSays(clone, 'push', 'origin', ':one', 'two:four')).ok).toBe(true)
    expect(await repository.resolveRef('refs/heads/one')).toBeNull()
    expect(await repository.resolveRef('refs/heads/four')).toBe(two)
    await expectSound(service)
  })

  inDepth('takes thin packs, quiet pushes and pushes with any protocol', async () => {
    const service = await develop()
    for (const version of [0, 1, 2]) {
      const tip = await commitFiles(service.clone, {
        'guides/start.mdx': `# Start ${version}\n${'A long line of text.\n'.repeat(200)}`,
      })
      const args = ['-c', `protocol.version=${version}`, 'push', '--thin', '--quiet', 'origin', 'HEAD:refs/heads/thin']
      const { ok, text } = await gitSays(service.clone, ...args)
      expect([ok, text]).toEqual([true, expect.not.stringContaining('Checking')])
      expect(await service.repository.resolveRef('refs/heads/thin')).toBe(tip)
    }
    await expectSound(service)
  })

  inDepth('takes a push from a shallow clone', async () => {
    const service = await develop()
    await commitFiles(service.clone, { 'a.mdx': 'a' })
    await commitFiles(service.clone, { 'b.mdx': 'b' })
    await git(service.clone, 'push', '--quiet', 'origin', 'HEAD:refs/heads/base')
    const home = await temporaryDirectory()
    await git(home, 'clone', '--quiet', '--depth=1', '--branch=base', service.url, 'shallow')
    const shallow = join(home, 'shallow')
    const tip = await commitFiles(shallow, { 'c.mdx': 'c' })
    expect((await gitSays(shallow, 'push', 'origin', 'HEAD:base', 'HEAD:refs/heads/other')).ok).toBe(true)
    expect(await service.repository.resolveRef('refs/heads/base')).toBe(tip)
    await expectSound(service)
  })

  inDepth('refuses a history that is not whole', async () => {
    const service = await develop()
    const home = await temporaryDirectory()
    await git(home, 'init', '--quiet', 'elsewhere')
    for (const content of ['one', 'two', 'three']) await commitFiles(join(home, 'elsewhere'), { 'x.mdx': content })
    await git(home, 'clone', '--quiet', '--depth=1', `file://${home}/elsewhere`, 'shallow')
    const before = await stored(service.repository)
    const { ok, text } = await gitSays(join(home, 'shallow'), 'push', service.url, 'HEAD:refs/heads/x')
    expect(ok).toBe(false)
    expect(text).toMatch(/lacks objects of its history/)
    expect(await stored(service.repository)).toEqual(before)
    await expectSound(service)
  })

  it('keeps dotfiles and executable files in git', async () => {
    const service = await develop()
    await writeFiles(service.clone, { 'run.sh': 'true\n' })
    await git(service.clone, 'add', 'run.sh')
    await git(service.clone, 'update-index', '--chmod=+x', 'run.sh')
    const tip = await commitFiles(service.clone, {
      '.github/workflows/ci.yml': 'on: push',
      '.gitignore': 'x',
      '.mintignore': 'y',
    })
    expect((await gitSays(service.clone, 'push', 'origin', 'HEAD:refs/heads/dots')).ok).toBe(true)
    const tree = await git(service.repository.directory, 'ls-tree', '-r', '--name-only', tip)
    expect(tree.split('\n')).toContain('.github/workflows/ci.yml')
    await expectSound(service)
  })
})

describe('git push to main', () => {
  it('deploys, with the lines of the build in the terminal', async () => {
    const service = await develop()
    const tip = await commitFiles(service.clone, { 'index.mdx': '# Two\n' })
    service.target.before = async (_name, report) => report('Built 2 pages\nin 12 ms')
    const { ok, text } = await gitSays(service.clone, 'push', 'origin', 'HEAD:main')
    expect([ok, text]).toEqual([true, expect.stringMatching(/remote: Built 2 pages\s+remote: in 12 ms/)])
    expect(await service.repository.resolveRef('refs/heads/main')).toBe(tip)
    await expectSound(service)
  })

  inDepth('makes the first commit of an empty project', async () => {
    const service = await serveGit()
    const home = await temporaryDirectory()
    await git(home, 'init', '--quiet', '--initial-branch=main', 'work')
    const tip = await commitFiles(join(home, 'work'), { 'index.mdx': '# One\n' })
    expect((await gitSays(join(home, 'work'), 'push', service.url, 'main')).ok).toBe(true)
    expect(await service.repository.resolveRef('refs/heads/main')).toBe(tip)
    await expectSound(service)
  })

  it('is refused with file, line and column when the site does not build', async () => {
    const service = await develop()
    await commitFiles(service.clone, { 'index.mdx': '<Card' })
    service.target.before = async (name) => {
      if (name !== 'main') return
      throw new Failure('build_failed', 'The site does not build.', {
        errors: [
          { path: 'index.mdx', line: 1, column: 6, message: 'Unexpected end of \u001b[31mfile', frame: '> 1 | <Card' },
          { path: 'docs.json', pointer: '/name', message: 'is missing' },
        ],
      })
    }
    const { ok, text } = await gitSays(service.clone, 'push', 'origin', 'HEAD:main', 'HEAD:refs/heads/x')
    expect(ok).toBe(false)
    expect(text).toMatch(/^remote: error: index\.mdx:1:6: Unexpected end of \\u\{1b\}\[31mfile/m)
    expect(text).toMatch(/^remote: > 1 \| <Card/m)
    expect(text).toMatch(/^remote: error: docs\.json:\/name: is missing/m)
    expect(text).toMatch(/! \[remote rejected\] HEAD -> main \(build failed: index\.mdx:1:6: .*, and 1 more\)/)
    expect(await service.repository.resolveRef('refs/heads/main')).toBe(service.main)
    expect(await service.repository.resolveRef('refs/heads/x')).not.toBeNull()
    await expectSound(service)
  })

  inDepth('hides what is the service’s own mistake, and logs it', async () => {
    const service = await develop()
    await commitFiles(service.clone, { 'a.mdx': 'a' })
    service.target.before = async () => Promise.reject(new Error('a secret of the inside'))
    const { ok, text } = await gitSays(service.clone, 'push', 'origin', 'HEAD:main')
    expect([ok, text]).toEqual([false, expect.stringContaining('The service made a mistake')])
    expect(text).not.toContain('secret of the inside')
    expect(JSON.stringify(service.errors)).toContain('secret of the inside')
  })

  inDepth('is told that it is done when what is left of it cannot be cleared away', async () => {
    const service = await develop()
    const next = await commitFiles(service.clone, { 'a.mdx': 'a' })
    vi.spyOn(Quarantine.prototype, 'remove').mockRejectedValueOnce(new Error('the disk fails'))
    expect((await gitSays(service.clone, 'push', 'origin', 'HEAD:refs/heads/x')).ok).toBe(true)
    expect(await service.repository.resolveRef('refs/heads/x')).toBe(next)
    expect(JSON.stringify(service.errors)).toContain('the disk fails')
  })

  inDepth('calls no ref moved when a mistake kept the pack from being taken', async () => {
    const service = await develop()
    await commitFiles(service.clone, { 'a.mdx': 'a' })
    vi.spyOn(service.repository, 'withoutMaintenance').mockRejectedValueOnce(new Error('the disk is full'))
    const { ok, text } = await gitSays(service.clone, 'push', 'origin', 'HEAD:refs/heads/x')
    expect([ok, text]).toEqual([false, expect.stringContaining('! [remote rejected] HEAD -> x (unpacker error)')])
    expect(await git(service.clone, 'for-each-ref', 'refs/remotes/origin/x')).toBe('')
  })
})

inDepth('a large push passes through without staying in memory', async () => {
  const service = await serveGit()
  const home = await temporaryDirectory()
  await git(home, 'init', '--quiet')
  for (let i = 0; i < 120; i++) await writeFiles(home, { [`assets/${i}.bin`]: randomBytes(512 * 1024) })
  await git(home, 'add', '.')
  await git(home, 'commit', '--quiet', '-m', 'large')
  const before = heldBuffers()
  let peak = 0
  const over = new AbortController()
  const watch = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const started = performance.now()
      peak = Math.max(peak, heldBuffers() - before)
      // Each look collects garbage: more of them would be most of what the machine does.
      await sleep(Math.max(100, 4 * (performance.now() - started)))
    }
  }
  const watching = watch()
  const { ok } = await gitSays(home, 'push', service.url, 'HEAD:refs/heads/x')
  over.abort()
  await watching
  expect(ok).toBe(true)
  // Of 60 MB.
  expect(peak).toBeLessThan(30 * 1024 * 1024)
  expect(await service.repository.fsck()).toEqual([])
})
