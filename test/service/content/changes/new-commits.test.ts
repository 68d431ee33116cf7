import { describe, expect, it } from 'vitest'
import { blobOid } from '#contract/blob-oid.ts'
import type { FileChange, BareRepository } from '#content/repository.ts'
import { Workshop } from '#test/support/content/workshop.ts'
import { author, filesOf, git, newRepository } from '#test/support/content/support.ts'

const site = { 'docs.json': '{}', 'index.mdx': '# Home\n', 'guide/a.mdx': '# A\n', 'guide/deep/b.mdx': '# B\n' }

async function started(): Promise<{ repository: BareRepository; parent: string }> {
  const repository = await newRepository()
  const { commit } = await repository.replaceTree({ files: filesOf(site), parent: null, author, message: 'Deploy' })
  await repository.updateRefs([{ ref: 'refs/heads/main', old: null, new: commit }])
  return { repository, parent: commit }
}

const put = (path: string, content: string): FileChange => ({ path, content: Buffer.from(content) })
const save = (repository: BareRepository, parent: string, changes: readonly FileChange[]) =>
  repository.commitChanges({ parent, changes, author, message: 'Save' })

describe('commitChanges', () => {
  it('makes one commit of several changes and leaves the rest as it is', async () => {
    const { repository, parent } = await started()
    const { commit, tree, oids } = await save(repository, parent, [
      put('index.mdx', '# New home\n'),
      put('new/c.mdx', '# C\n'),
      { path: 'guide/deep/b.mdx', content: null },
    ])
    expect(await git(repository.directory, 'ls-tree', '-r', '--name-only', commit)).toBe(
      'docs.json\nguide/a.mdx\nindex.mdx\nnew/c.mdx',
    )
    expect(await repository.readCommit(commit)).toMatchObject({ parents: [parent], tree, author, message: 'Save\n' })
    expect([...oids]).toEqual([
      ['index.mdx', blobOid(Buffer.from('# New home\n'))],
      ['new/c.mdx', blobOid(Buffer.from('# C\n'))],
      ['guide/deep/b.mdx', null],
    ])
    expect(await repository.resolveRef('refs/heads/main')).toBe(parent)
    await repository.updateRefs([{ ref: 'refs/heads/main', old: parent, new: commit }])
    expect(await repository.fsck()).toEqual([])
  })

  it('keeps modes, links and dotfiles that came by push', async () => {
    const workshop = await Workshop.open()
    await workshop.git('config', 'core.symlinks', 'false')
    await workshop.commit({ '.github/ci.yml': 'on: push\n', run: { executable: 'echo\n' }, target: 'run' })
    const link = await workshop.git('rev-parse', 'HEAD:target')
    await workshop.git('update-index', '--add', '--cacheinfo', `120000,${link},link`)
    await workshop.git('commit', '-q', '-m', 'Link')
    await workshop.send('main')
    const { repository } = workshop
    const { commit } = await save(repository, await workshop.head(), [put('run', 'echo again\n'), put('new', 'n\n')])
    const lines = await git(repository.directory, 'ls-tree', '-r', '--format=%(objectmode) %(path)', commit)
    expect(lines.split('\n')).toEqual([
      '100644 .github/ci.yml',
      '120000 link',
      '100644 new',
      '100755 run',
      '100644 target',
    ])
  })
})

describe('a save is refused', () => {
  it('never for what a push left before it', async () => {
    const workshop = await Workshop.open()
    const parent = await workshop.commit({ 'A.mdx': '1\n', 'a.mdx': '2\n', 'con.mdx': '3\n' })
    await workshop.send('main')
    const { commit } = await save(workshop.repository, parent, [
      put('b.mdx', 'b'),
      put('a.mdx', 'a'),
      { path: 'con.mdx', content: null },
    ])
    expect([...(await workshop.repository.readTree(commit)).keys()]).toEqual(['A.mdx', 'a.mdx', 'b.mdx'])
  })
})
