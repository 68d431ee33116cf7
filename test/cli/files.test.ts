import { execFileSync } from 'node:child_process'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fileSize } from '../../cli/output.ts'
import { blobOid } from '../../src/contract/blob-oid.ts'
import { collectFiles } from '../../cli/deploying/files.ts'
import { limits } from '../../src/contract/limits.ts'
import { temporaryDirectory, writeFiles } from '../support/temporary.ts'

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

  it('honours .gitignore and .quireignore, in folders below too, and their exceptions', async () => {
    const directory = await temporaryDirectory()
    await writeFiles(directory, {
      '.gitignore': '*.log\n/build/\n',
      '.quireignore': 'drafts/\n',
      'guide/.gitignore': '!keep.log\nsecret.mdx\n',
      'index.mdx': 'x',
      'a.log': 'x',
      'build/out.mdx': 'x',
      'drafts/new.mdx': 'x',
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

  it('does not follow symbolic links, and says so', async () => {
    const directory = await temporaryDirectory()
    await writeFiles(directory, { 'index.mdx': 'x' })
    await symlink('/etc/hostname', join(directory, 'link.txt'))
    const { files, skipped } = await collectFiles(directory)
    expect(files.map((file) => file.path)).toEqual(['index.mdx'])
    expect(skipped).toEqual([{ path: 'link.txt', reason: 'symbolic links are not sent' }])
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
    for (const text of ['', 'hello\n', 'ünïcode 🎉']) {
      expect(blobOid(Buffer.from(text))).toBe(
        execFileSync('git', ['hash-object', '--stdin'], { input: text, encoding: 'utf8' }).trim(),
      )
    }
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
