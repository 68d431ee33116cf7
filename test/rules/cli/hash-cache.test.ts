import { lstatSync, readdirSync } from 'node:fs'
import { chmod, readFile, rename, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { collectFiles } from '#cli/deploying/files.ts'
import { HashCache } from '#cli/deploying/hash-cache.ts'
import { blobOid } from '#contract/blob-oid.ts'
import { temporaryDirectory, writeFiles } from '#test/support/temporary.ts'

/** So much later that no file was changed just now. */
const later = (seconds = 60): (() => bigint) => {
  const now = BigInt(Date.now() + seconds * 1000) * 1_000_000n
  return () => now
}
const look = (file: string) => lstatSync(file, { bigint: true })

describe('ids of files between runs', () => {
  const world = async (content = 'one') => {
    const [state, folder] = [await temporaryDirectory(), await temporaryDirectory()]
    const file = join(folder, 'page.md')
    await writeFile(file, content)
    const open = (now = later()): HashCache => new HashCache(state, folder, now)
    return { state, folder, file, open }
  }
  const keep = (cache: HashCache, file: string, oid: string): void => {
    cache.add('page.md', look(file), oid)
    cache.save()
  }

  it('are known again for a file that is as it was, and for no other', async () => {
    const { folder, file, open } = await world()
    keep(open(), file, 'first')
    expect(open().oidOf('page.md', look(file))).toBe('first')
    expect(open().oidOf('other.md', look(file))).toBeUndefined()

    // The same size and time, but another file.
    const { atime, mtime } = lstatSync(file)
    await writeFile(join(folder, 'new.md'), 'two')
    await utimes(join(folder, 'new.md'), atime, mtime)
    await rename(join(folder, 'new.md'), file)
    expect(open().oidOf('page.md', look(file))).toBeUndefined()
  })

  it('are not kept of a file that may still change without its times telling', async () => {
    const { file, open } = await world()
    keep(open(later(0)), file, 'just now')
    expect(open().oidOf('page.md', look(file))).toBeUndefined()
    keep(open(later(3)), file, 'settled')
    expect(open().oidOf('page.md', look(file))).toBe('settled')
  })

  it('find a change that sets size and time back', async () => {
    const { file, open } = await world()
    const { atime, mtime } = lstatSync(file)
    keep(open(), file, 'first')
    await writeFile(file, 'two')
    await utimes(file, atime, mtime)
    expect(open().oidOf('page.md', look(file))).toBeUndefined()
  })

  it('spare the reading of files, and tell the same ids', async () => {
    const { folder, open } = await world()
    await writeFiles(folder, { 'a.md': 'a', 'b/c.md': 'c' })
    const first = await collectFiles(folder, { hashes: open })
    await writeFiles(folder, { 'b/c.md': 'changed' })
    const second = await collectFiles(folder, { hashes: open })
    expect(first.files.map(({ oid }) => oid)).toEqual(['a', 'c', 'one'].map((text) => blobOid(Buffer.from(text))))
    expect(second.files.map(({ oid }) => oid)).toEqual(
      ['a', 'changed', 'one'].map((text) => blobOid(Buffer.from(text))),
    )
    // Without a right to read, only what is known can be told.
    if (process.getuid?.() === 0) return
    await chmod(join(folder, 'a.md'), 0)
    expect((await collectFiles(folder, { hashes: open })).files).toHaveLength(3)
  })

  it('are done without where the state is damaged or cannot be written', async () => {
    const { state, folder, file, open } = await world()
    keep(open(), file, 'first')
    const [name = ''] = readdirSync(join(state, 'deploys'))
    await writeFile(join(state, 'deploys', name), '{"format":1')
    expect(open().oidOf('page.md', look(file))).toBeUndefined()
    const unwritable = new HashCache(join(file, 'no-folder'), folder, later())
    keep(unwritable, file, 'nowhere')
    expect(await readFile(file, 'utf8')).toBe('one')
  })
})
