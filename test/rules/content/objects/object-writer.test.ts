import { mkdir, readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { inflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { compress, writeDurable } from '#content/objects/object-writer.ts'
import { temporaryDirectory, writeFiles } from '#test/support/temporary.ts'

describe('writeDurable', () => {
  it('makes missing folders and leaves nothing temporary', async () => {
    const root = await temporaryDirectory()
    await mkdir(join(root, 'aa'))
    await writeDurable(
      root,
      new Map([
        ['aa/1', Buffer.from('one')],
        ['bb/2', Buffer.from('two')],
      ]),
    )
    expect(await readFile(join(root, 'bb/2'), 'utf8')).toBe('two')
    expect((await readdir(root)).sort()).toEqual(['aa', 'bb'])
  })

  it('shows no file before those that come first', async () => {
    const root = await temporaryDirectory()
    // The second cannot have its place.
    await writeFiles(root, { bb: 'a file' })
    const files = new Map(['aa/1', 'bb/2', 'cc/3'].map((name) => [name, Buffer.from(name)]))
    await expect(writeDurable(root, files)).rejects.toMatchObject({ code: 'ENOTDIR' })
    expect((await readdir(root, { recursive: true })).sort()).toEqual(['aa', 'aa/1', 'bb'])
  })
})

describe('compress', () => {
  const texts = [0, 1, 30, 511, 512, 513, 5000, 16 * 1024, 40_000].map((size) =>
    Buffer.from(`# File ${size}\n`.repeat(size).slice(0, size)),
  )

  it('makes what git inflates to the same bytes, of any size', async () => {
    for (const text of texts) expect(inflateSync(await compress(text))).toEqual(text)
  })

  it('keeps little memory beside what it made: a pack has a part for each of its files', async () => {
    const parts: Uint8Array[] = []
    for (let file = 0; file < 500; file++) parts.push(await compress(Buffer.from(`File ${file}`)))
    const kept = new Set(parts.map(({ buffer }) => buffer))
    expect([...kept].reduce((sum, { byteLength }) => sum + byteLength, 0)).toBeLessThan(500 * 1024)
  })
})
