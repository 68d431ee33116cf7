import { describe, expect, it } from 'vitest'
import { blobOid } from '../../src/contract/blob-oid.ts'
import type { FileChange, BareRepository } from '../../src/content/repository.ts'
import { Workshop } from './branch-support.ts'
import { author, filesOf, git, newRepository } from './support.ts'

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

  it('is the parent itself when nothing differs', async () => {
    const { repository, parent } = await started()
    const { commit, oids } = await save(repository, parent, [put('index.mdx', site['index.mdx'])])
    expect(commit).toBe(parent)
    expect(oids.get('index.mdx')).toBe(blobOid(Buffer.from(site['index.mdx'])))
  })

  it('may delete the last file', async () => {
    const { repository, parent } = await started()
    const changes = Object.keys(site).map((path) => ({ path, content: null }))
    const { commit } = await save(repository, parent, changes)
    expect((await repository.readTree(commit)).size).toBe(0)
  })

  it('takes a file back by the id of its blob', async () => {
    const { repository, parent } = await started()
    const first = await save(repository, parent, [put('index.mdx', 'changed\n')])
    const oid = blobOid(Buffer.from(site['index.mdx']))
    const second = await save(repository, first.commit, [{ path: 'index.mdx', oid }])
    expect(second.tree).toBe((await repository.readCommit(parent)).tree)
    await expect(save(repository, parent, [{ path: 'x.mdx', oid: '1'.repeat(40) }])).rejects.toMatchObject({
      code: 'missing_objects',
      extra: { oids: ['1'.repeat(40)] },
    })
  })

  it('renames a file to another case of its name', async () => {
    const { repository, parent } = await started()
    const { commit } = await save(repository, parent, [
      { path: 'index.mdx', content: null },
      put('Index.mdx', '# Home\n'),
    ])
    expect([...(await repository.readTree(commit)).keys()]).toContain('Index.mdx')
  })

  it('puts a file in the place of a directory that it empties', async () => {
    const { repository, parent } = await started()
    const { commit } = await save(repository, parent, [
      { path: 'guide/a.mdx', content: null },
      { path: 'guide/deep/b.mdx', content: null },
      put('guide', 'a file\n'),
    ])
    expect([...(await repository.readTree(commit)).keys()]).toEqual(['docs.json', 'guide', 'index.mdx'])
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

describe('a stale save', () => {
  const oid = (content: string) => blobOid(Buffer.from(content))
  it.each<[string, FileChange, string | null]>([
    ['of a file that has changed', { ...put('index.mdx', 'mine'), expected: oid('older') }, oid(site['index.mdx'])],
    ['of a file that is gone', { ...put('gone.mdx', 'mine'), expected: oid('older') }, null],
    ['of a new file that somebody else made', { ...put('index.mdx', 'mine'), expected: null }, oid(site['index.mdx'])],
    [
      'that deletes what has changed',
      { path: 'index.mdx', content: null, expected: oid('older') },
      oid(site['index.mdx']),
    ],
  ])('%s is refused with what is there', async (_, change, current) => {
    const { repository, parent } = await started()
    await expect(save(repository, parent, [put('docs.json', '{"a":1}'), change])).rejects.toMatchObject({
      code: 'stale_file',
      status: 412,
      extra: { path: change.path, oid: current },
    })
  })

  it('is none when the file is the expected one', async () => {
    const { repository, parent } = await started()
    const { commit } = await save(repository, parent, [
      { ...put('index.mdx', 'mine'), expected: oid(site['index.mdx']) },
      { ...put('new.mdx', 'new'), expected: null },
      { path: 'guide/a.mdx', content: null, expected: oid(site['guide/a.mdx']) },
    ])
    expect(commit).not.toBe(parent)
  })

  it('is also the deletion of a file that is not there', async () => {
    const { repository, parent } = await started()
    await expect(save(repository, parent, [{ path: 'no.mdx', content: null }])).rejects.toMatchObject({
      code: 'not_found',
    })
  })
})

describe('a save is refused', () => {
  it.each<[string, readonly FileChange[], RegExp]>([
    ['that leaves the project', [put('../x', '')], /\.\./],
    ['under .git', [put('a/.GIT/config', '')], /Git/],
    ['that collides with another by letter case', [put('INDEX.mdx', '')], /index\.mdx/],
    ['that collides with another by Unicode form', [put('caf\u00e9.md', ''), put('CAFE\u0301.md', '')], /collides/],
    ['that needs a file to be a directory', [put('index.mdx/x.mdx', '')], /directory/],
    ['in the place of a directory', [put('guide', '')], /directory/],
    ['that names a file twice', [put('x', '1'), put('x', '2')], /twice/],
  ])('%s', async (_, changes, message) => {
    const { repository, parent } = await started()
    await expect(save(repository, parent, changes)).rejects.toMatchObject({
      code: 'invalid_path',
      message: expect.stringMatching(message) as string,
    })
  })

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

  it('for an author who would forge a header', async () => {
    const { repository, parent } = await started()
    const forged = { name: 'A\nparent 1', email: 'a@example.com' }
    await expect(
      repository.commitChanges({ parent, changes: [put('a', 'a')], author: forged, message: 'x' }),
    ).rejects.toMatchObject({ code: 'invalid_author' })
  })
})
