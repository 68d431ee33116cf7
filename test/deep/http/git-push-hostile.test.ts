import { execFileSync } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { git, gitSays, serveGit } from '#test/support/git-service.ts'
import { expectUntouched } from '#test/support/raw-push.ts'
import { hostile as hostileInput } from '#test/support/shared.ts'
import { temporaryDirectory, writeFiles } from '#test/support/temporary.ts'

const script = join(hostileInput, 'git/make-git-fixtures.sh')

describe('a push of the hostile repositories', () => {
  it('is refused with path and rule, and stores nothing', async () => {
    const workshop = await temporaryDirectory()
    copyFileSync(script, join(workshop, 'make.sh'))
    execFileSync('sh', ['make.sh'], { cwd: workshop, stdio: 'ignore' })
    const hostile = join(workshop, 'fixtures.git')
    const service = await serveGit()
    const expected: Readonly<Record<string, string>> = {
      submodule: '"sub": submodule',
      'gitmodules-inject': '".gitmodules": reserved by Git',
      dotgit: '".git": reserved by Git',
      dotGIT: '".GIT": reserved by Git',
      'git-tilde': '"git~1": reserved by Git',
      dotdot: '"..": . and .. are not allowed',
      slash: '"a/b": a slash inside a name',
      dup: '"a": is there twice',
      case: '"readme.mdx": collides with \\"README.mdx\\"'.replaceAll('\\', ''),
    }
    const refs = (await git(hostile, 'for-each-ref', '--format=%(refname:short)', 'refs/heads')).trim().split('\n')
    const allowed = ['exec', 'symlink-abs', 'symlink-dir']
    expect(refs.sort()).toEqual([...Object.keys(expected), ...allowed].sort())
    for (const [ref, sentence] of Object.entries(expected)) {
      const { ok, text } = await gitSays(hostile, 'push', service.url, `refs/heads/${ref}:refs/heads/x`)
      expect([ref, ok, text]).toEqual([ref, false, expect.stringContaining(sentence)])
      await expectUntouched(service)
    }
    for (const ref of allowed)
      expect((await gitSays(hostile, 'push', service.url, `refs/heads/${ref}:refs/heads/${ref}`)).ok).toBe(true)
    // Links that lead out are kept as they are, and followed by nobody.
    for (const [ref, paths] of Object.entries({ 'symlink-abs': ['index.mdx'], 'symlink-dir': [] })) {
      const head = await service.repository.resolveRef(`refs/heads/${ref}`)
      expect([...(await service.repository.readTree(head ?? '')).keys()]).toEqual(paths)
    }
    expect(await service.repository.fsck()).toEqual([])
  })

  it('is refused too when a later commit takes a submodule away', async () => {
    const service = await serveGit()
    const home = await temporaryDirectory()
    await git(home, 'init', '--quiet')
    await git(home, 'update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},docs/module`)
    await git(home, 'commit', '--quiet', '-m', 'one')
    await git(home, 'rm', '--quiet', '--cached', 'docs/module')
    await writeFiles(home, { 'index.mdx': '# ok' })
    await git(home, 'add', '.')
    await git(home, 'commit', '--quiet', '-m', 'two')
    const { ok, text } = await gitSays(home, 'push', service.url, 'HEAD:refs/heads/x')
    expect([ok, text]).toEqual([false, expect.stringContaining('"docs/module": submodule')])
    await expectUntouched(service)
  })
})
