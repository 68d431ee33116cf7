import { execFileSync } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { git, gitSays, serveGit } from '../support/git-service.ts'
import { expectUntouched } from '../support/raw-push.ts'
import { hostile as hostileInput } from '../support/shared.ts'
import { temporaryDirectory, writeFiles } from '../support/temporary.ts'

const script = join(hostileInput, 'git/make-git-fixtures.sh')

describe('a push of the hostile repositories', () => {
  it('is refused with path and rule, and stores nothing', async () => {
    const workshop = await temporaryDirectory()
    copyFileSync(script, join(workshop, 'make.sh'))
    execFileSync('sh', ['make.sh'], { cwd: workshop, stdio: 'ignore' })
    const hostile = join(workshop, 'fixtures.git')
    const service = await serveGit()
    const expected: Readonly<Record<string, string>> = {
      'symlink-abs': '"page.mdx": symbolic link',
      'symlink-dir': '"docs": symbolic link',
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
    expect(refs.sort()).toEqual([...Object.keys(expected), 'exec'].sort())
    for (const [ref, sentence] of Object.entries(expected)) {
      const { ok, text } = await gitSays(hostile, 'push', service.url, `refs/heads/${ref}:refs/heads/x`)
      expect([ref, ok, text]).toEqual([ref, false, expect.stringContaining(sentence)])
      await expectUntouched(service)
    }
    expect((await gitSays(hostile, 'push', service.url, 'refs/heads/exec:refs/heads/x')).ok).toBe(true)
    expect(await service.repository.fsck()).toEqual([])
  })

  it('is refused too when a later commit takes the link away', async () => {
    const service = await serveGit()
    const home = await temporaryDirectory()
    await git(home, 'init', '--quiet')
    await mkdir(join(home, 'docs'))
    execFileSync('ln', ['-s', '/etc/passwd', 'docs/link'], { cwd: home })
    await git(home, 'add', '.')
    await git(home, 'commit', '--quiet', '-m', 'one')
    await git(home, 'rm', '--quiet', '-r', 'docs')
    await writeFiles(home, { 'index.mdx': '# ok' })
    await git(home, 'add', '.')
    await git(home, 'commit', '--quiet', '-m', 'two')
    const { ok, text } = await gitSays(home, 'push', service.url, 'HEAD:refs/heads/x')
    expect([ok, text]).toEqual([false, expect.stringContaining('"docs/link": symbolic link')])
    await expectUntouched(service)
  })
})
