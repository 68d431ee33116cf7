import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { emptyLock, lockFile, type LockState } from '#cli/generate/lock.ts'
import { OutputFolder } from '#cli/generate/output-folder.ts'
import { claim } from '#cli/generate/run-lock.ts'
import { State } from '#cli/generate/state.ts'
import { Failure } from '#contract/failure.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

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
    const plan = { name: 'a', groups: [{ group: 'b', pages: [{ path: 'c' }] }], leftOut: [] }
    const half = JSON.stringify({ ...emptyLock(1, undefined), plan })
    for (const text of ['', '<<<<<<< main', '{"version":2}', half]) {
      await writeFile(join(directory, lockFile), text)
      await expect(open()).rejects.toThrow(lockFile)
    }
  })
})

describe('the output folder', () => {
  it('has no path that leads out of it, whoever wrote the lock file', async () => {
    const parent = await temporaryDirectory()
    const directory = join(parent, 'docs')
    const pending = { path: '../out', content: 'planted', state: { ...made, hash: '' } }
    await mkdir(directory)
    await writeFile(join(directory, lockFile), JSON.stringify({ ...emptyLock(1, undefined), pending }))
    const folder = new OutputFolder(directory)
    await expect(State.open(folder, emptyLock(1, undefined))).rejects.toThrow('"../out.mdx" is not a path within')
    for (const path of ['../out.mdx', 'a/../../out.mdx', '/out.mdx', 'a//b.mdx', '..\\out.mdx'])
      await expect(folder.write(path, 'planted')).rejects.toThrow('is not a path within')
    await expect(readFile(join(parent, 'out.mdx'))).rejects.toThrow('ENOENT')
  })

  it('says what keeps a page from being written', async () => {
    const directory = await temporaryDirectory()
    await writeFile(join(directory, 'docs'), 'a file')
    await expect(new OutputFolder(join(directory, 'docs')).write('a.mdx', 'a')).rejects.toBeInstanceOf(Failure)
  })

  it('belongs to one run at a time, and is taken over from one that is dead', async () => {
    const directory = await temporaryDirectory()
    const folder = new OutputFolder(join(directory, 'docs'))
    const giveBack = await claim(folder)
    await expect(claim(folder)).rejects.toThrow('Another quire generate')
    await giveBack()
    await expect(readFile(folder.root)).rejects.toThrow('ENOENT')
    await mkdir(folder.root)
    // Linux gives no process a greater id than 2 ** 22.
    const pid = 2 ** 22 + 1
    await writeFile(join(folder.root, '.quire-generate.run'), JSON.stringify({ pid, host: hostname() }))
    await (
      await claim(folder)
    )()
    await writeFile(join(folder.root, '.quire-generate.run'), JSON.stringify({ pid, host: 'another' }))
    await expect(claim(folder)).rejects.toThrow('Another quire generate')
  })

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
