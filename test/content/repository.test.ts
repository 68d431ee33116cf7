import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { blobOid } from '../../src/contract/blob-oid.ts'
import type { BareRepository } from '../../src/content/repository.ts'
import { author, filesOf, git, newRepositories, newRepository } from './support.ts'

const site = {
  'docs.json': '{}',
  'index.mdx': '# Home',
  'guide/a.mdx': '# A',
  'guide/deep/b.mdx': '# B',
  'api/c.mdx': '# C',
}

async function commit(
  repository: BareRepository,
  contents: Readonly<Record<string, string>>,
  parent: string | null = null,
): Promise<string> {
  const made = await repository.replaceTree({ files: filesOf(contents), parent, author, message: 'Deploy' })
  return made.commit
}

/** How many objects lie in the object store, loose and packed. */
async function objectCount(repository: BareRepository): Promise<number> {
  const all = await git(repository.directory, 'cat-file', '--batch-all-objects', '--batch-check', '--unordered')
  return all === '' ? 0 : all.split('\n').length
}

describe('replaceTree', () => {
  it('writes what native git reads, in UTC and with the author', async () => {
    const repository = await newRepository()
    const { commit: oid, tree } = await repository.replaceTree({
      files: filesOf(site),
      parent: null,
      author,
      message: 'First\n\nBödy',
    })
    expect((await git(repository.directory, 'ls-tree', '-r', '--name-only', oid)).split('\n').sort()).toEqual(
      Object.keys(site).sort(),
    )
    expect(await git(repository.directory, 'show', `${oid}:guide/deep/b.mdx`)).toBe('# B')
    expect(
      await git(repository.directory, 'log', '-1', '--format=%an <%ae> %cn <%ce> %T %ad', '--date=format:%z', oid),
    ).toBe(`Ada <ada@example.com> Quire <quire@localhost> ${tree} +0000`)
    expect(await repository.readCommit(oid)).toMatchObject({
      oid,
      tree,
      parents: [],
      author,
      message: 'First\n\nBödy\n',
    })
    expect(await repository.fsck()).toEqual([])
  })

  it('keeps bytes as they are', async () => {
    const repository = await newRepository()
    const content = Buffer.from([0, 255, 13, 10, 13, 0xc3, 0x28])
    const { commit: oid } = await repository.replaceTree({
      files: [{ path: 'logo.png', content }],
      parent: null,
      author,
      message: 'x',
    })
    const file = (await repository.readTree(oid)).get('logo.png')
    expect(await repository.readBlob(file?.oid ?? '')).toEqual(content)
  })

  it.each([1, 3, 30, 400])(
    'writes the same tree from the parent’s as from nothing (%i files changed)',
    async (changed) => {
      const repository = await newRepository()
      const contents = Object.fromEntries(
        Array.from({ length: 500 }, (_, i) => [`s${i % 7}/t${i % 31}/p${i}.mdx`, `page ${i}`]),
      )
      const first = await commit(repository, contents)
      for (let i = 0; i < changed; i++) contents[`s${i % 7}/t${i % 31}/p${i}.mdx`] = `changed ${i}`
      delete contents['s6/t30/p433.mdx']
      contents['s0.mdx'] = 'sorts before the directory s0'
      const second = await repository.readCommit(await commit(repository, contents, first))
      const scratch = await newRepository()
      expect(second.tree).toBe((await scratch.readCommit(await commit(scratch, contents))).tree)
      expect(await repository.fsck()).toEqual([])
    },
  )

  it('writes only what the repository lacks', async () => {
    const repository = await newRepository()
    const first = await commit(repository, site)
    const before = await objectCount(repository)
    const second = await commit(repository, { ...site, 'guide/deep/b.mdx': '# B, changed' }, first)
    // One blob, the trees guide/deep, guide and the root, one commit.
    expect(await objectCount(repository)).toBe(before + 5)
    const moved = await commit(
      repository,
      { ...site, 'guide/deep/b.mdx': '# B, changed', 'api/copy.mdx': '# C' },
      second,
    )
    expect(await objectCount(repository)).toBe(before + 5 + 3)
    const same = await repository.readCommit(
      await commit(repository, { ...site, 'guide/deep/b.mdx': '# B, changed', 'api/copy.mdx': '# C' }, moved),
    )
    expect(same.tree).toBe((await repository.readCommit(moved)).tree)
  })

  it('lets a file take the place of a directory and a directory the place of a file', async () => {
    const repository = await newRepository()
    const first = await commit(repository, { 'a/b.mdx': '1', c: '2', 'd/e/f.mdx': '3' })
    const second = await commit(repository, { a: '1', 'c/d.mdx': '2' }, first)
    expect([...(await repository.readTree(second)).keys()].sort()).toEqual(['a', 'c/d.mdx'])
    expect(await repository.fsck()).toEqual([])
  })

  it('makes the empty tree of no files', async () => {
    const repository = await newRepository()
    const first = await commit(repository, site)
    const empty = await commit(repository, {}, first)
    expect((await repository.readTree(empty)).size).toBe(0)
    expect(await repository.fsck()).toEqual([])
  })

  it('takes files by id and names every one that it lacks', async () => {
    const repository = await newRepository()
    const [known] = await repository.writeBlobs([Buffer.from('ahead of its deploy')])
    const absent = blobOid(Buffer.from('never sent'))
    const files = [
      { path: 'a.mdx', oid: known ?? '' },
      { path: 'b.mdx', content: Buffer.from('given in the same request') },
      { path: 'c.mdx', oid: blobOid(Buffer.from('given in the same request')) },
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

  it('refuses bad paths, authors and messages and writes nothing', async () => {
    const repository = await newRepository()
    const request = { files: filesOf(site), parent: null, author, message: 'x' }
    await expect(
      repository.replaceTree({ ...request, files: filesOf({ '../x': '', '.git/config': '' }) }),
    ).rejects.toMatchObject({
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
    expect(await objectCount(repository)).toBe(0)
  })

  it('survives maintenance that runs beside it', async () => {
    const repository = await newRepository()
    let tip = await commit(repository, site)
    await repository.updateRefs([{ ref: 'refs/heads/main', old: null, new: tip }])
    const [unreachable] = await repository.writeBlobs([Buffer.from('by id')])
    for (let round = 0; round < 3; round++) {
      const maintenance = repository.maintain()
      const files = [
        ...filesOf({ ...site, [`new-${round}.mdx`]: `${round}` }),
        { path: 'by-id.mdx', oid: unreachable ?? '' },
      ]
      const next = await repository.replaceTree({ files, parent: tip, author, message: 'x' })
      await repository.updateRefs([{ ref: 'refs/heads/main', old: tip, new: next.commit }])
      await maintenance
      tip = next.commit
    }
    expect(await repository.fsck()).toEqual([])
    expect(await repository.resolveRef('refs/heads/main')).toBe(tip)
  })

  it('takes ten thousand files, and one change among them', async () => {
    const repository = await newRepository()
    const contents = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, i) => [`docs/s${i % 200}/p${i}.mdx`, `# Page ${i}\n`.repeat(20)]),
    )
    const first = await commit(repository, contents)
    const before = await objectCount(repository)
    const second = await commit(repository, { ...contents, 'docs/s7/p7.mdx': 'changed' }, first)
    expect(await objectCount(repository)).toBe(before + 5)
    expect(await repository.diffTrees(first, second)).toHaveLength(1)
    expect((await repository.readTree(second)).size).toBe(10_000)
  })
})

describe('reading', () => {
  it('tells what differs between two commits', async () => {
    const repository = await newRepository()
    const first = await commit(repository, site)
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
    const repository = await newRepository()
    const oid = await commit(repository, site)
    await expect(repository.readBlob('0'.repeat(40))).rejects.toMatchObject({ name: 'ObjectNotFound' })
    await expect(repository.readBlob(oid)).rejects.toMatchObject({ name: 'ObjectNotFound' })
    await expect(repository.readTree('f'.repeat(40))).rejects.toMatchObject({ name: 'ObjectNotFound' })
    await expect(repository.readCommit('HEAD')).rejects.toMatchObject({ name: 'ObjectNotFound' })
  })

  it('answers many reads at once, each with its own object', async () => {
    const repository = await newRepository()
    const contents = Array.from({ length: 300 }, (_, i) => Buffer.alloc(i * 97, `${i},`))
    const oids = await repository.writeBlobs(contents)
    const read = await Promise.all(oids.map((oid) => repository.readBlob(oid)))
    expect(read.every((body, index) => body.equals(contents[index] ?? Buffer.from('none')))).toBe(true)
    expect(await repository.blobSizes([...oids.slice(0, 2), '1'.repeat(40), 'x\ninfo y'])).toEqual(
      new Map([
        [oids[0], 0],
        [oids[1], 97],
      ]),
    )
  })

  it('starts its reader again after it was closed, and sees packs made by others', async () => {
    const repository = await newRepository()
    const oid = await commit(repository, site)
    await repository.close()
    expect((await repository.readTree(oid)).size).toBe(5)
    await repository.updateRefs([{ ref: 'refs/heads/main', new: oid }])
    await git(repository.directory, 'gc', '--quiet')
    expect((await repository.readBlob(blobOid(Buffer.from('# Home')))).toString()).toBe('# Home')
  })
})

describe('Repositories', () => {
  it('makes repositories that git accepts, and finds them again', async () => {
    const { repositories, directory } = await newRepositories()
    const repository = await repositories.create('docs')
    expect(await git(repository.directory, 'symbolic-ref', 'HEAD')).toBe('refs/heads/main')
    expect(await repository.fsck()).toEqual([])
    expect(await repositories.open('docs')).toBe(repository)
    expect(await readdir(directory)).toEqual(['docs.git'])
    expect(await repositories.list()).toEqual(['docs'])
    await expect(repositories.create('docs')).rejects.toMatchObject({ code: 'project_exists' })
  })

  it('forgets a removed repository, also when one of its name comes after it', async () => {
    const { repositories, directory } = await newRepositories()
    const repository = await repositories.create('docs')
    const oid = await commit(repository, site)
    await repository.readTree(oid)
    await repositories.remove('docs')
    await repositories.remove('docs')
    expect(await readdir(directory)).toEqual([])
    await expect(repositories.open('docs')).rejects.toMatchObject({ code: 'not_found' })
    const next = await repositories.create('docs')
    await expect(next.readTree(oid)).rejects.toMatchObject({ name: 'ObjectNotFound' })
  })

  it('sweeps what a killed process left', async () => {
    const { repositories } = await newRepositories()
    const repository = await repositories.create('docs')
    const oid = await commit(repository, site)
    const left = ['HEAD.lock', 'refs/heads/main.lock', 'packed-refs.lock', 'packed-refs.new', 'objects/tmp_obj_1']
    for (const name of left) {
      await writeFile(join(repository.directory, name), '')
    }
    expect(await repository.sweepLocks()).toEqual([
      'HEAD.lock',
      'objects/tmp_obj_1',
      'packed-refs.lock',
      'packed-refs.new',
      'refs/heads/main.lock',
    ])
    await repository.updateRefs([{ ref: 'refs/heads/main', old: null, new: oid }])
    await repositories.sweep()
    expect(await repository.resolveRef('refs/heads/main')).toBe(oid)
  })

  it('bounds its processes and keeps every repository readable', async () => {
    const { repositories, directory } = await newRepositories()
    const { Repositories } = await import('../../src/content/repositories.ts')
    const { newGit } = await import('./support.ts')
    for (const slug of ['a', 'b', 'c']) await commit(await repositories.create(slug), { 'x.mdx': slug })
    const few = new Repositories({ directory, git: newGit(), processes: 1 })
    for (let round = 0; round < 3; round++) {
      for (const slug of ['a', 'b', 'c']) {
        const repository = await few.open(slug)
        expect((await repository.readBlob(blobOid(Buffer.from(slug)))).toString()).toBe(slug)
      }
    }
    await few.close()
  })
})
