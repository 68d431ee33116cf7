import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { emptyLock, lockFile, type LockState } from '../../../cli/generate/lock.ts'
import { OutputFolder } from '../../../cli/generate/output-folder.ts'
import { State } from '../../../cli/generate/state.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

const made = { sources: { 'a.ts': 'one' }, material: 'm', model: 'test' }

/** The folder as a process leaves it that dies after it wrote the lock file, and before it wrote the page. */
async function cutOff(): Promise<{ directory: string; open: () => Promise<State> }> {
  const directory = await temporaryDirectory()
  const open = (): Promise<State> => State.open(new OutputFolder(directory), emptyLock(1, undefined))
  const state = await open()
  await state.writePage('a', 'first', made)
  const lock = JSON.parse(await readFile(join(directory, lockFile), 'utf8')) as LockState
  const over = lock.pages['a']?.hash ?? ''
  const pending = { path: 'a', content: 'second', over, state: { ...made, hash: 'of the second' } }
  await writeFile(join(directory, lockFile), JSON.stringify({ ...lock, pending }))
  return { directory, open }
}

describe('what is remembered of pages', () => {
  it('writes a page at the next start that a dead run had finished but not written', async () => {
    const { directory, open } = await cutOff()
    const state = await open()
    expect(await readFile(join(directory, 'a.mdx'), 'utf8')).toBe('second')
    expect(state.lock).toMatchObject({ pages: { a: { hash: 'of the second' } } })
    expect(state.lock.pending).toBeUndefined()
  })

  it('offers it where somebody changed the page meanwhile', async () => {
    const { directory, open } = await cutOff()
    await writeFile(join(directory, 'a.mdx'), 'mine')
    const state = await open()
    expect(await readFile(join(directory, 'a.mdx'), 'utf8')).toBe('mine')
    expect(state.lock.pages['a']?.offer).toEqual({ content: 'second', ...made })
  })

  it('is refused where the lock file is broken, so that no page is taken for somebody else’s', async () => {
    const { directory, open } = await cutOff()
    for (const text of ['', '<<<<<<< main', '{"version":2}']) {
      await writeFile(join(directory, lockFile), text)
      await expect(open()).rejects.toThrow(lockFile)
    }
  })
})

describe('the output folder', () => {
  it('follows no symbolic link, neither of a folder nor of a file', async () => {
    const [directory, outside] = [await temporaryDirectory(), await temporaryDirectory()]
    await writeFile(join(outside, 'b.mdx'), 'outside')
    await symlink(outside, join(directory, 'linked'))
    await symlink(join(outside, 'b.mdx'), join(directory, 'b.mdx'))
    const folder = new OutputFolder(directory)
    for (const path of ['linked/b.mdx', 'b.mdx']) {
      await expect(folder.write(path, 'mine')).rejects.toThrow('symbolic link')
      await expect(folder.read(path)).rejects.toThrow('symbolic link')
      await expect(folder.remove(path)).rejects.toThrow('symbolic link')
    }
    expect(await readFile(join(outside, 'b.mdx'), 'utf8')).toBe('outside')
  })

  it('removes a page with the folders that are empty without it', async () => {
    const directory = await temporaryDirectory()
    const folder = new OutputFolder(directory)
    await folder.write('a/b/c.mdx', 'c')
    await mkdir(join(directory, 'a/d'))
    await folder.remove('a/b/c.mdx')
    expect(await folder.read('a/b/c.mdx')).toBeUndefined()
    await expect(readFile(join(directory, 'a/b'))).rejects.toThrow('ENOENT')
    await expect(readFile(join(directory, 'a/d'))).rejects.toThrow('EISDIR')
  })
})
