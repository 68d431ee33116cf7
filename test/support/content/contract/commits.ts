import { describe, expect, it } from 'vitest'
import type { FileChange, Repository } from '#content/repository.ts'
import { blobOid } from '#contract/blob-oid.ts'
import { isDeep } from '#test/support/depth.ts'
import { author, filesOf } from '#test/support/content/support.ts'
import { commit, contentsOf, type Open } from './support.ts'

const site = { 'docs.json': '{}', 'index.mdx': '# Home\n', 'guide/a.mdx': '# A\n', 'guide/deep/b.mdx': '# B\n' }

const oidOf = (content: string) => blobOid(Buffer.from(content))
const put = (path: string, content: string): FileChange => ({ path, content: Buffer.from(content) })
const save = (repository: Repository, parent: string, changes: readonly FileChange[]) =>
  repository.commitChanges({ parent, changes, author, message: 'Save' })

export function commitsContract(open: Open): void {
  const started = async () => {
    const repository = await open()
    const parent = await commit(repository, site)
    await repository.updateRefs([{ ref: 'refs/heads/main', new: parent }])
    return { repository, parent }
  }

  describe('replaceTree', () => {
    it('makes a commit of exactly the files', async () => {
      const repository = await open()
      const first = await commit(repository, site)
      const before = Date.now()
      const files = filesOf({ 'a/b.mdx': 'B' })
      const made = await repository.replaceTree({ files, parent: first, author, message: 'Second\n\nBödy' })
      expect(await contentsOf(repository, made.commit)).toEqual({ 'a/b.mdx': 'B' })
      const read = await repository.readCommit(made.commit)
      expect(read).toMatchObject({ oid: made.commit, tree: made.tree, parents: [first], author })
      expect(read.message).toBe('Second\n\nBödy\n')
      expect(Math.abs(Date.parse(read.committedAt) - before)).toBeLessThan(60_000)
      expect(await repository.fsck()).toEqual([])
    })

    it('keeps bytes as they are', async () => {
      const repository = await open()
      const content = Buffer.from([0, 255, 13, 10, 13, 0xc3, 0x28])
      const oid = await commit(repository, { 'logo.png': content })
      const file = (await repository.readTree(oid)).get('logo.png')
      expect(await repository.readBlob(file?.oid ?? '')).toEqual(content)
    })

    it.each(isDeep ? [1, 3, 30, 400] : [3, 400])(
      'writes the same tree from the parent’s as from nothing (%i files changed)',
      async (changed) => {
        const repository = await open()
        const contents = Object.fromEntries(
          Array.from({ length: 500 }, (_, i) => [`s${i % 7}/t${i % 31}/p${i}.mdx`, `page ${i}`]),
        )
        const first = await commit(repository, contents)
        for (let i = 0; i < changed; i++) contents[`s${i % 7}/t${i % 31}/p${i}.mdx`] = `changed ${i}`
        delete contents['s6/t30/p433.mdx']
        contents['s0.mdx'] = 'sorts before the directory s0'
        const second = await repository.readCommit(await commit(repository, contents, first))
        const scratch = await open()
        expect(second.tree).toBe((await scratch.readCommit(await commit(scratch, contents))).tree)
        expect(await repository.fsck()).toEqual([])
      },
    )

    it('lets a file take the place of a directory and a directory the place of a file', async () => {
      const repository = await open()
      const first = await commit(repository, { 'a/b.mdx': '1', c: '2', 'd/e/f.mdx': '3' })
      const second = await commit(repository, { a: '1', 'c/d.mdx': '2' }, first)
      expect([...(await repository.readTree(second)).keys()].sort()).toEqual(['a', 'c/d.mdx'])
      expect(await repository.fsck()).toEqual([])
    })

    it('makes the empty tree of no files', async () => {
      const repository = await open()
      const empty = await commit(repository, {}, await commit(repository, site))
      expect((await repository.readTree(empty)).size).toBe(0)
      expect(await repository.fsck()).toEqual([])
    })

    it('takes files by id and names every one that it lacks', async () => {
      const repository = await open()
      const [known] = await repository.writeBlobs([Buffer.from('ahead of its deploy')])
      const absent = oidOf('never sent')
      const files = [
        { path: 'a.mdx', oid: known ?? '' },
        { path: 'b.mdx', content: Buffer.from('given in the same request') },
        { path: 'c.mdx', oid: oidOf('given in the same request') },
      ]
      const { commit: oid, tree } = await repository.replaceTree({ files, parent: null, author, message: 'x' })
      expect((await repository.readTree(oid)).size).toBe(3)
      const wrong = [
        ...files,
        { path: 'd.mdx', oid: absent },
        { path: 'e.mdx', oid: absent },
        { path: 'f.mdx', oid: tree },
        { path: 'g.mdx', oid: 'HEAD\ninfo x' },
      ]
      await expect(repository.replaceTree({ files: wrong, parent: oid, author, message: 'x' })).rejects.toMatchObject({
        code: 'missing_objects',
        errors: [{ path: 'd.mdx' }, { path: 'e.mdx' }, { path: 'f.mdx' }, { path: 'g.mdx' }],
      })
    })

    it('refuses bad paths, authors and messages', async () => {
      const repository = await open()
      const request = { files: filesOf(site), parent: null, author, message: 'x' }
      const files = filesOf({ '../x': '', '.git/config': '' })
      await expect(repository.replaceTree({ ...request, files })).rejects.toMatchObject({
        code: 'invalid_path',
        errors: [{ path: '../x' }, { path: '.git/config' }],
      })
      const forged = { name: 'Ada <a@b> 1 +0000\nparent 0123', email: 'a@b' }
      await expect(repository.replaceTree({ ...request, author: forged })).rejects.toMatchObject({
        code: 'invalid_author',
      })
      await expect(repository.replaceTree({ ...request, message: 'a\0b' })).rejects.toMatchObject({
        code: 'invalid_request',
      })
    })
  })

  describe('reading', () => {
    it('tells what differs between two commits', async () => {
      const repository = await open()
      const first = await commit(repository, { ...site, 'api/c.mdx': '# C' })
      const second = await commit(
        repository,
        { 'docs.json': '{}', 'index.mdx': '# New', guide: 'now a file', 'api/c.mdx': '# C', 'api/d/e.mdx': '' },
        first,
      )
      const changes = await repository.diffTrees(first, second)
      expect(changes.map(({ path, before, after }) => [path, before !== null, after !== null])).toEqual([
        ['api/d/e.mdx', false, true],
        ['guide', false, true],
        ['guide/a.mdx', true, false],
        ['guide/deep/b.mdx', true, false],
        ['index.mdx', true, true],
      ])
      expect(await repository.diffTrees(first, first)).toEqual([])
      expect(await repository.diffTrees(null, first)).toHaveLength(5)
    })

    it('throws ObjectNotFound for what is not there or is something else', async () => {
      const repository = await open()
      const oid = await commit(repository, site)
      await expect(repository.readBlob('0'.repeat(40))).rejects.toMatchObject({ name: 'ObjectNotFound' })
      await expect(repository.readBlob(oid)).rejects.toMatchObject({ name: 'ObjectNotFound' })
      await expect(repository.readTree('f'.repeat(40))).rejects.toMatchObject({ name: 'ObjectNotFound' })
      await expect(repository.readCommit('HEAD')).rejects.toMatchObject({ name: 'ObjectNotFound' })
      const request = { tree: oid, parents: [], author, message: 'x' }
      await expect(repository.commitTree(request)).rejects.toMatchObject({ name: 'ObjectNotFound' })
    })

    it('answers many reads at once, each with its own object', async () => {
      const repository = await open()
      const contents = Array.from({ length: 300 }, (_, i) => Buffer.alloc(i * 97, `${i},`))
      const oids = await repository.writeBlobs(contents)
      const read = await Promise.all(oids.map((oid) => repository.readBlob(oid)))
      expect(read.every((body, index) => body.equals(contents[index] ?? Buffer.from('none')))).toBe(true)
    })

    it('tells the sizes of the blobs that are there', async () => {
      const repository = await open()
      const oids = await repository.writeBlobs([Buffer.alloc(0), Buffer.alloc(97)])
      const { tree } = await repository.replaceTree({ files: filesOf(site), parent: null, author, message: 'x' })
      expect(await repository.blobSizes([...oids, tree, '1'.repeat(40), 'x\ninfo y'])).toEqual(
        new Map([
          [oids[0], 0],
          [oids[1], 97],
        ]),
      )
    })
  })

  describe('commitChanges', () => {
    it('makes one commit of several changes and leaves the rest as it is', async () => {
      const { repository, parent } = await started()
      const {
        commit: made,
        tree,
        oids,
      } = await save(repository, parent, [
        put('index.mdx', '# New home\n'),
        put('new/c.mdx', '# C\n'),
        { path: 'guide/deep/b.mdx', content: null },
      ])
      expect(await contentsOf(repository, made)).toEqual({
        'docs.json': '{}',
        'guide/a.mdx': '# A\n',
        'index.mdx': '# New home\n',
        'new/c.mdx': '# C\n',
      })
      expect(await repository.readCommit(made)).toMatchObject({ parents: [parent], tree, author, message: 'Save\n' })
      expect([...oids]).toEqual([
        ['index.mdx', oidOf('# New home\n')],
        ['new/c.mdx', oidOf('# C\n')],
        ['guide/deep/b.mdx', null],
      ])
      expect(await repository.resolveRef('refs/heads/main')).toBe(parent)
      await repository.updateRefs([{ ref: 'refs/heads/main', old: parent, new: made }])
      expect(await repository.fsck()).toEqual([])
    })

    it('is the parent itself when nothing differs', async () => {
      const { repository, parent } = await started()
      const { commit: made, oids } = await save(repository, parent, [put('index.mdx', site['index.mdx'])])
      expect(made).toBe(parent)
      expect(oids.get('index.mdx')).toBe(oidOf(site['index.mdx']))
    })

    it('may delete the last file', async () => {
      const { repository, parent } = await started()
      const changes = Object.keys(site).map((path) => ({ path, content: null }))
      const { commit: made } = await save(repository, parent, changes)
      expect((await repository.readTree(made)).size).toBe(0)
    })

    it('takes a file back by the id of its blob', async () => {
      const { repository, parent } = await started()
      const first = await save(repository, parent, [put('index.mdx', 'changed\n')])
      const second = await save(repository, first.commit, [{ path: 'index.mdx', oid: oidOf(site['index.mdx']) }])
      expect(second.tree).toBe((await repository.readCommit(parent)).tree)
      await expect(save(repository, parent, [{ path: 'x.mdx', oid: '1'.repeat(40) }])).rejects.toMatchObject({
        code: 'missing_objects',
        extra: { oids: ['1'.repeat(40)] },
      })
    })

    it('renames a file to another case of its name', async () => {
      const { repository, parent } = await started()
      const changes = [{ path: 'index.mdx', content: null }, put('Index.mdx', '# Home\n')]
      const { commit: made } = await save(repository, parent, changes)
      expect([...(await repository.readTree(made)).keys()]).toContain('Index.mdx')
    })

    it('puts a file in the place of a directory that it empties', async () => {
      const { repository, parent } = await started()
      const { commit: made } = await save(repository, parent, [
        { path: 'guide/a.mdx', content: null },
        { path: 'guide/deep/b.mdx', content: null },
        put('guide', 'a file\n'),
      ])
      expect([...(await repository.readTree(made)).keys()]).toEqual(['docs.json', 'guide', 'index.mdx'])
    })
  })

  describe('a stale save', () => {
    it.each<[string, FileChange, string | null]>([
      ['of a file that has changed', { ...put('index.mdx', 'mine'), expected: oidOf('older') }, oidOf('# Home\n')],
      ['of a file that is gone', { ...put('gone.mdx', 'mine'), expected: oidOf('older') }, null],
      ['of a new file that somebody else made', { ...put('index.mdx', 'mine'), expected: null }, oidOf('# Home\n')],
      [
        'that deletes what has changed',
        { path: 'index.mdx', content: null, expected: oidOf('older') },
        oidOf('# Home\n'),
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
      const { commit: made } = await save(repository, parent, [
        { ...put('index.mdx', 'mine'), expected: oidOf(site['index.mdx']) },
        { ...put('new.mdx', 'new'), expected: null },
        { path: 'guide/a.mdx', content: null, expected: oidOf(site['guide/a.mdx']) },
      ])
      expect(made).not.toBe(parent)
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

    it('for an author who would forge a header', async () => {
      const { repository, parent } = await started()
      const forged = { name: 'A\nparent 1', email: 'a@example.com' }
      await expect(
        repository.commitChanges({ parent, changes: [put('a', 'a')], author: forged, message: 'x' }),
      ).rejects.toMatchObject({ code: 'invalid_author' })
    })
  })
}
