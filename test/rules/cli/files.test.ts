import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fileSize } from '#cli/output.ts'
import { blobOid } from '#contract/blob-oid.ts'
import { collectFiles } from '#cli/deploying/files.ts'
import { limits } from '#contract/limits.ts'
import { inDepth } from '#test/support/depth.ts'
import { temporaryDirectory, writeFiles } from '#test/support/temporary.ts'

const pathsOf = async (directory: string): Promise<string[]> =>
  (await collectFiles(directory)).files.map((file) => file.path)

describe('collecting the files of a deploy', () => {
  it('takes all regular files, sorted, with forward slashes', async () => {
    const directory = await temporaryDirectory()
    await writeFiles(directory, { 'index.mdx': '# Hi', 'guide/start.mdx': 'x', 'images/a.png': new Uint8Array([1, 2]) })
    expect(await pathsOf(directory)).toEqual(['guide/start.mdx', 'images/a.png', 'index.mdx'])
  })

  it('leaves out hidden files and node_modules', async () => {
    const directory = await temporaryDirectory()
    await writeFiles(directory, {
      'index.mdx': 'x',
      '.env': 'SECRET',
      '.github/workflows/ci.yml': 'x',
      'node_modules/a/readme.md': 'x',
    })
    expect(await pathsOf(directory)).toEqual(['index.mdx'])
  })

  it('honours .gitignore, .quireignore and .mintignore, in folders below too, and their exceptions', async () => {
    const directory = await temporaryDirectory()
    await writeFiles(directory, {
      '.gitignore': '*.log\n/build/\n',
      '.quireignore': 'drafts/\n',
      '.mintignore': 'snippets/old/\n',
      'guide/.gitignore': '!keep.log\nsecret.mdx\n',
      'index.mdx': 'x',
      'a.log': 'x',
      'build/out.mdx': 'x',
      'drafts/new.mdx': 'x',
      'snippets/old/a.mdx': 'x',
      'guide/keep.log': 'x',
      'guide/secret.mdx': 'x',
      'guide/build/page.mdx': 'x',
    })
    expect(await pathsOf(directory)).toEqual(['guide/build/page.mdx', 'guide/keep.log', 'index.mdx'])
  })

  it('honours the rules of the checkout that the folder lies in, but not one that excludes the folder itself', async () => {
    const directory = await temporaryDirectory()
    await writeFiles(directory, {
      '.git/info/exclude': 'local.mdx\n',
      '.gitignore': 'secret.mdx\n/generated/\n',
      'docs/index.mdx': 'x',
      'docs/secret.mdx': 'x',
      'docs/local.mdx': 'x',
      'generated/index.mdx': 'x',
    })
    expect(await pathsOf(join(directory, 'docs'))).toEqual(['index.mdx'])
    expect(await pathsOf(join(directory, 'generated'))).toEqual(['index.mdx'])
  })

  it('follows symbolic links that stay inside: files, folders, links to links', async () => {
    const directory = await temporaryDirectory()
    await writeFiles(directory, { 'index.mdx': 'x', 'shared/a.mdx': 'a', 'shared/deep/b.mdx': 'bb' })
    await symlink('shared/a.mdx', join(directory, 'a.mdx'))
    await symlink('a.mdx', join(directory, 'again.mdx'))
    await symlink('shared', join(directory, 'guide'))
    const { files, skipped } = await collectFiles(directory)
    expect(files.map(({ path, size }) => [path, size])).toEqual([
      ['a.mdx', 1],
      ['again.mdx', 1],
      ['guide/a.mdx', 1],
      ['guide/deep/b.mdx', 2],
      ['index.mdx', 1],
      ['shared/a.mdx', 1],
      ['shared/deep/b.mdx', 2],
    ])
    expect(new Set(files.filter(({ size }) => size === 2).map(({ oid }) => oid)).size).toBe(1)
    expect(skipped).toEqual([])
  })

  it('follows no symbolic link out of the folder, to what is hidden, to nothing or in a circle, and says so', async () => {
    const directory = await temporaryDirectory()
    await writeFiles(directory, { 'index.mdx': 'x', '.env': 'secret', 'a/b/c.mdx': 'c' })
    await symlink('/etc/hostname', join(directory, 'host.txt'))
    await symlink('..', join(directory, 'up'))
    await symlink('.env', join(directory, 'env.txt'))
    await symlink('none.mdx', join(directory, 'none.mdx.lost'))
    await symlink('self', join(directory, 'self'))
    await symlink('..', join(directory, 'a/b/around'))
    await symlink('.', join(directory, 'same'))
    const { files, skipped } = await collectFiles(directory)
    expect(files.map(({ path }) => path)).toEqual(['a/b/c.mdx', 'index.mdx'])
    expect(skipped).toEqual([
      { path: 'a/b/around', reason: 'it is a symbolic link to a folder that it is in' },
      { path: 'env.txt', reason: 'it is a symbolic link to what is hidden' },
      { path: 'host.txt', reason: 'it is a symbolic link that leads out of the folder' },
      { path: 'none.mdx.lost', reason: 'it is a symbolic link that leads nowhere' },
      { path: 'same', reason: 'it is a symbolic link to a folder that it is in' },
      { path: 'self', reason: 'it is a symbolic link that leads nowhere' },
      { path: 'up', reason: 'it is a symbolic link that leads out of the folder' },
    ])
  })

  it('follows no symbolic link to what an ignore file names, by whatever name it would be reached', async () => {
    const directory = await temporaryDirectory()
    await writeFiles(directory, {
      'index.mdx': 'x',
      '.gitignore': 'keys.json\n/drafts/\n',
      'keys.json': 'secret',
      'drafts/a.mdx': 'a',
      'shared/b.mdx': 'b',
      'shared/keys.json': 'secret',
      'shared/.quireignore': 'c.mdx',
      'shared/c.mdx': 'c',
    })
    await symlink('keys.json', join(directory, 'example.json'))
    await symlink('drafts', join(directory, 'guide'))
    await symlink('drafts/a.mdx', join(directory, 'a.mdx'))
    await symlink('shared/c.mdx', join(directory, 'c.mdx'))
    await symlink('shared', join(directory, 'parts'))
    const { files, skipped } = await collectFiles(directory)
    expect(files.map(({ path }) => path)).toEqual(['index.mdx', 'parts/b.mdx', 'shared/b.mdx'])
    expect(skipped.map(({ path }) => path)).toEqual(['a.mdx', 'c.mdx', 'example.json', 'guide'])
    expect(new Set(skipped.map(({ reason }) => reason))).toEqual(
      new Set(['it is a symbolic link to what an ignore file names']),
    )
  })

  it('ends where folders link to each other without end', async () => {
    const directory = await temporaryDirectory()
    await writeFiles(directory, { 'a/x.mdx': 'x', 'b/y.mdx': 'y' })
    await symlink('../b', join(directory, 'a/b'))
    await symlink('../a', join(directory, 'b/a'))
    const { files } = await collectFiles(directory)
    expect(files.map(({ path }) => path)).toEqual(['a/b/y.mdx', 'a/x.mdx', 'b/a/x.mdx', 'b/y.mdx'])
  })

  inDepth('refuses links that double what there is with each level', async () => {
    const wide = await temporaryDirectory()
    for (let level = 0; level < 18; level++) await writeFiles(wide, { [`${level}/x.mdx`]: 'x' })
    for (let level = 0; level < 17; level++)
      for (const name of ['p', 'q']) await symlink(`../${level + 1}`, join(wide, `${level}/${name}`))
    await expect(collectFiles(wide)).rejects.toMatchObject({ message: expect.stringContaining('Symbolic links make') })
  })

  it('names every file over the limit, and takes one of exactly the limit', async () => {
    const directory = await temporaryDirectory()
    await writeFiles(directory, {
      'ok.bin': Buffer.alloc(limits.fileBytes),
      'b.bin': Buffer.alloc(limits.fileBytes + 1),
      'a.bin': Buffer.alloc(limits.fileBytes + 1),
    })
    await expect(collectFiles(directory)).rejects.toMatchObject({
      code: 'file_too_large',
      errors: [{ path: 'a.bin' }, { path: 'b.bin' }],
    })
  })

  it('says what to do about a folder that is missing or empty', async () => {
    const directory = await temporaryDirectory()
    await expect(collectFiles(join(directory, 'none'))).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('no folder'),
    })
    await expect(collectFiles(directory)).rejects.toMatchObject({ message: expect.stringContaining('no files') })
  })

  it('gives the same blob ids as git', () => {
    // As `git hash-object` prints them.
    const ids = {
      '': 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',
      'hello\n': 'ce013625030ba8dba906f756967f9e9ca394464a',
      'ünïcode 🎉': 'fece8df503c28848fa8bc33629066b7133a583fa',
    }
    for (const [text, id] of Object.entries(ids)) expect(blobOid(Buffer.from(text))).toBe(id)
  })

  it('writes sizes for people', () => {
    expect([0, 1023, 2048, 5 * 1024 * 1024, 5 * 1024 * 1024 + 1024 * 100].map(fileSize)).toEqual([
      '0 B',
      '1023 B',
      '2.0 KB',
      '5 MB',
      '5.10 MB',
    ])
  })
})
