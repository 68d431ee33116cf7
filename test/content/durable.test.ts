import { mkdir, readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { writeDurable } from '../../src/content/objects/object-writer.ts'
import { temporaryDirectory, writeFiles } from '../support/temporary.ts'

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
