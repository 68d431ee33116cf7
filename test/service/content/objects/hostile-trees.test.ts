import { execFileSync } from 'node:child_process'
import { copyFileSync, cpSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { BareRepository } from '#content/repository.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'
import { hostile } from '#test/support/shared.ts'
import { author, filesOf, git, newRepositories, newRepository } from '#test/support/content/support.ts'

/** A tree of raw entries, as no client of ours would write it. */
async function rawTree(
  repository: BareRepository,
  entries: readonly (readonly [mode: string, name: string, oid: string])[],
): Promise<string> {
  const body = Buffer.concat(
    entries.flatMap(([mode, name, oid]) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, 'hex')]),
  )
  return execFileSync('git', ['hash-object', '-w', '-t', 'tree', '--literally', '--stdin'], {
    cwd: repository.directory,
    input: body,
  })
    .toString()
    .trim()
}

describe('trees that others made', () => {
  it('show no links, submodules or names that lead astray, and an edit drops them', async () => {
    const repository = await newRepository()
    const [page = '', link = ''] = await repository.writeBlobs([Buffer.from('# ok'), Buffer.from('/etc/passwd')])
    const inner = await rawTree(repository, [
      ['100644', 'in.mdx', page],
      ['120000', 'out', link],
    ])
    const tree = await rawTree(repository, [
      ['100644', '..', page],
      ['100644', '.git', page],
      ['40000', '.GIT', inner],
      ['100644', 'a/b', page],
      ['40000', 'dir', inner],
      ['100755', 'hook.sh', page],
      ['100644', 'index.mdx', page],
      ['120000', 'page.mdx', link],
      ['160000', 'sub', '0123456789012345678901234567890123456789'],
    ])
    expect([...(await repository.readTree(tree)).keys()].sort()).toEqual(['dir/in.mdx', 'hook.sh', 'index.mdx'])
    expect((await repository.readTree(tree)).get('hook.sh')?.mode).toBe('100755')
    expect((await repository.diffTrees(null, tree)).map(({ path }) => path)).toEqual([
      'dir/in.mdx',
      'hook.sh',
      'index.mdx',
    ])

    const commit = await git(
      repository.directory,
      '-c',
      'user.name=x',
      '-c',
      'user.email=x@x',
      'commit-tree',
      '-m',
      'x',
      tree,
    )
    const next = await repository.replaceTree({
      files: filesOf({ 'index.mdx': '# ok', 'dir/in.mdx': '# ok', 'hook.sh': '# ok' }),
      parent: commit,
      author,
      message: 'x',
    })
    const clean = await repository.replaceTree({
      files: filesOf({ 'index.mdx': '# ok', 'dir/in.mdx': '# ok', 'hook.sh': '# ok' }),
      parent: null,
      author,
      message: 'x',
    })
    expect(next.tree).toBe(clean.tree)
  })

  it('that repeat themselves without end are given up on', async () => {
    const repository = await newRepository()
    const [page = ''] = await repository.writeBlobs([Buffer.from('x')])
    let tree = await rawTree(repository, [['100644', 'x', page]])
    for (let level = 0; level < 12; level++) {
      const below = tree
      tree = await rawTree(
        repository,
        Array.from({ length: 10 }, (_, i) => ['40000', `d${i}`, below] as const),
      )
    }
    await expect(repository.readTree(tree)).rejects.toThrow('too many')
  })
})

const script = join(hostile, 'git/make-git-fixtures.sh')

describe('the hostile repositories', () => {
  it('never show what is no plain file of the tree', async () => {
    const workshop = await temporaryDirectory()
    copyFileSync(script, join(workshop, 'make.sh'))
    execFileSync('sh', ['make.sh'], { cwd: workshop, stdio: 'ignore' })
    const { repositories, directory } = await newRepositories()
    cpSync(join(workshop, 'fixtures.git'), join(directory, 'hostile.git'), { recursive: true })
    const repository = await repositories.open('hostile')
    const seen: Record<string, string[]> = {}
    for (const [ref, oid] of await repository.listRefs('refs/heads/'))
      seen[ref.slice('refs/heads/'.length)] = [...(await repository.readTree(oid)).keys()]
    expect(seen).toEqual({
      'symlink-abs': ['index.mdx'],
      'symlink-dir': [],
      submodule: [],
      'gitmodules-inject': ['.gitmodules'],
      dotgit: [],
      dotGIT: [],
      'git-tilde': [],
      dotdot: [],
      slash: [],
      dup: ['a'],
      case: ['README.mdx', 'readme.mdx'],
      exec: ['hook.sh'],
    })
  })
})
