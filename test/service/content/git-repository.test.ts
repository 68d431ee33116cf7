import { readdir } from 'node:fs/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Repositories } from '#content/repositories.ts'
import { blobOid } from '#contract/blob-oid.ts'
import type { BareRepository } from '#content/repository.ts'
import { commit } from '#test/support/content/contract/support.ts'
import { author, filesOf, git, newGit, newRepositories, newRepository } from '#test/support/content/support.ts'

const site = {
  'docs.json': '{}',
  'index.mdx': '# Home',
  'guide/a.mdx': '# A',
  'guide/deep/b.mdx': '# B',
  'api/c.mdx': '# C',
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
  it('starts its reader again after it was closed, and sees packs made by others', async () => {
    const repository = await newRepository()
    const oid = await commit(repository, site)
    await repository.close()
    expect((await repository.readTree(oid)).size).toBe(5)
    await repository.updateRefs([{ ref: 'refs/heads/main', new: oid }])
    await git(repository.directory, 'repack', '-a', '--quiet')
    await git(repository.directory, 'prune-packed')
    expect((await repository.readBlob(blobOid(Buffer.from('# Home')))).toString()).toBe('# Home')
  })
})

describe('repositories on disk', () => {
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

  it('are one object for everybody who opens one at the same time', async () => {
    const { repositories, directory } = await newRepositories()
    await repositories.create('docs')
    const others = new Repositories({ directory, git: newGit() })
    onTestFinished(() => others.close())
    const [first, second] = await Promise.all([others.open('docs'), others.open('docs')])
    expect(first).toBe(second)
    expect(await others.open('docs')).toBe(first)
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

  it('bounds its processes and keeps every repository readable, also when all are read at once', async () => {
    const { repositories, directory } = await newRepositories()
    const slugs = ['a', 'b', 'c']
    for (const slug of slugs) await commit(await repositories.create(slug), { 'x.mdx': slug })
    const few = new Repositories({ directory, git: newGit(), processes: 1 })
    onTestFinished(() => few.close())
    const read = async (slug: string) => (await (await few.open(slug)).readBlob(blobOid(Buffer.from(slug)))).toString()
    for (let round = 0; round < 3; round++) for (const slug of slugs) expect(await read(slug)).toBe(slug)
    expect(await Promise.all([...slugs, ...slugs].map(read))).toEqual([...slugs, ...slugs])
  })
})
