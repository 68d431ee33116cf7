import { execFileSync } from 'node:child_process'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { sha256 } from '#lib/digest.ts'
import { diskFileSystem } from '#lib/durable-file.ts'
import { FileBlobs } from '#storage/blobs/file-blobs.ts'
import type { BlobStore } from '#storage/blobs.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

const blobsOf = (...texts: string[]): Map<string, Buffer> =>
  new Map(texts.map((text) => [sha256(text), Buffer.from(text)]))
const script = 'a large script '.repeat(10_000)
const style = 'a style'
const common = blobsOf(script, style)
const fail = (message: string): never => {
  throw new Error(message)
}

function opened(directory: string, blobs: ReadonlyMap<string, Uint8Array> = common): FileBlobs {
  return new FileBlobs(directory, fail, { common: blobs })
}

async function storeOf(blobs: FileBlobs, project: string): Promise<BlobStore> {
  return (await blobs.open(project)).blobs
}

/** Bytes on the disk, each file once. */
function diskUse(directory: string): number {
  return Number(execFileSync('du', ['-sb', directory], { encoding: 'utf8' }).split('\t')[0])
}

const commonFiles = (directory: string): Promise<string[]> => readdir(join(directory, '.common'))

describe('what many projects publish', () => {
  it('is on the disk once, and goes with the last project that has it', async () => {
    const directory = await temporaryDirectory()
    const blobs = opened(directory)
    const names = Array.from({ length: 20 }, (_, i) => `site-${i}`)
    for (const name of names) await (await storeOf(blobs, name)).put(new Map([...common, ...blobsOf(name)]))
    expect(diskUse(directory)).toBeLessThan(20 * script.length)
    for (const name of names.slice(1)) await blobs.remove(name)
    expect(await commonFiles(directory)).toHaveLength(2)
    const last = await storeOf(blobs, 'site-0')
    expect((await last.read(sha256(script))).toString()).toBe(script)
    expect(await last.retain((blob) => blob !== sha256(script))).toBeGreaterThan(script.length)
    expect(await commonFiles(directory)).toEqual([`${sha256(style)}.pack`])
  })

  it('takes the place of copies that an earlier version left, with the next collection', async () => {
    const directory = await temporaryDirectory()
    const pages = Array.from({ length: 60 }, (_, i) => `page ${i}`)
    const before = opened(directory, new Map())
    for (const name of ['one', 'two'])
      await (await storeOf(before, name)).put(new Map([...common, ...blobsOf(...pages)]))
    const blobs = opened(directory)
    for (const name of ['one', 'two']) {
      const store = await storeOf(blobs, name)
      const reading = [script, style, 'page 7'].map((text) => store.read(sha256(text)))
      expect(await store.retain(() => true)).toBeGreaterThan(script.length)
      expect((await Promise.all(reading)).map(String)).toEqual([script, style, 'page 7'])
    }
    expect(diskUse(directory)).toBeLessThan(2 * script.length)
    for (const name of ['one', 'two']) {
      const store = await storeOf(opened(directory), name)
      for (const text of [script, style, ...pages]) expect(String(await store.read(sha256(text)))).toBe(text)
      expect(await store.retain(() => true)).toBe(0)
    }
  })

  it('stays for whoever goes back to it after the service has come to another version', async () => {
    const directory = await temporaryDirectory()
    const before = opened(directory)
    for (const name of ['one', 'two']) await (await storeOf(before, name)).put(common)
    const next = blobsOf('another script', style)
    const blobs = opened(directory, next)
    await blobs.sweep()
    for (const name of ['one', 'two']) {
      const store = await storeOf(blobs, name)
      await store.put(next)
      await store.retain(() => true)
      expect(String(await store.read(sha256(script)))).toBe(script)
    }
    expect(await commonFiles(directory)).toHaveLength(3)
    expect(diskUse(directory)).toBeLessThan(2 * script.length)
    for (const name of ['one', 'two']) await (await storeOf(blobs, name)).retain((blob) => next.has(blob))
    expect((await commonFiles(directory)).sort()).toEqual([...next.keys()].map((blob) => `${blob}.pack`).sort())
  })

  it('is kept once again after its directory was copied file by file', async () => {
    const [from, to] = [await temporaryDirectory(), join(await temporaryDirectory(), 'copy')]
    for (const name of ['one', 'two']) await (await storeOf(opened(from), name)).put(common)
    execFileSync('cp', ['-r', from, to])
    expect(diskUse(to)).toBeGreaterThan(3 * script.length)
    const blobs = opened(to)
    await blobs.sweep()
    for (const name of ['one', 'two']) await (await storeOf(blobs, name)).retain(() => true)
    expect(diskUse(to)).toBeLessThan(2 * script.length)
    for (const name of ['one', 'two'])
      expect(String(await (await storeOf(opened(to), name)).read(sha256(script)))).toBe(script)
  })

  it('is an ordinary pack for versions that know nothing of it', async () => {
    const directory = await temporaryDirectory()
    await (await storeOf(opened(directory), 'one')).put(common)
    const earlier = await storeOf(opened(directory, new Map()), 'one')
    expect(String(await earlier.read(sha256(script)))).toBe(script)
  })

  it('is made anew where its file is damaged, and so for each project that has the damaged one', async () => {
    const directory = await temporaryDirectory()
    const blobs = opened(directory)
    const [one, two] = [await storeOf(blobs, 'one'), await storeOf(blobs, 'two')]
    for (const store of [one, two]) await store.put(common)
    const file = join(directory, '.common', `${sha256(script)}.pack`)
    const bytes = await readFile(file)
    bytes[20] = (bytes[20] ?? 0) ^ 1
    await writeFile(file, bytes)
    await expect(one.read(sha256(script))).rejects.toThrow(/its bytes have changed/)
    await one.put(common)
    expect(String(await one.read(sha256(script)))).toBe(script)
    const later = await storeOf(opened(directory), 'two')
    await later.retain(() => true)
    expect(String(await later.read(sha256(script)))).toBe(script)
  })

  it('is never lacking while projects come, collect and go at once', async () => {
    const directory = await temporaryDirectory()
    const blobs = opened(directory)
    const turn = async (name: string): Promise<void> => {
      const store = await storeOf(blobs, name)
      for (let i = 0; i < 10; i++) {
        const [putting, collecting] = [store.put(common), store.retain(() => false)]
        await Promise.all([putting, collecting])
        await store.put(common)
        expect(String(await store.read(sha256(script)))).toBe(script)
      }
      await blobs.remove(name)
    }
    await Promise.all(Array.from({ length: 8 }, (_, i) => turn(`site-${i}`)))
    expect(await commonFiles(directory)).toEqual([])
  })

  it('loses at a start what a killed process left, and nothing that a project has', async () => {
    const directory = await temporaryDirectory()
    const store = await storeOf(opened(directory), 'one')
    await store.put(blobsOf(script, style))
    await writeFile(join(directory, '.common', `.${sha256('x')}.pack.0123456789abcdef.tmp`), 'half')
    await writeFile(join(directory, '.common', `${sha256('x')}.pack`), 'nobody has it')
    await opened(directory).sweep()
    expect((await commonFiles(directory)).sort()).toEqual([...common.keys()].map((blob) => `${blob}.pack`).sort())
  })

  it('is a file of each project’s own where a file has one name only', async () => {
    const directory = await temporaryDirectory()
    const blobs = opened(directory)
    const refusing = vi
      .spyOn(diskFileSystem, 'link')
      .mockRejectedValue(Object.assign(new Error('not permitted'), { code: 'EPERM' }))
    await (await storeOf(blobs, 'one')).put(common)
    refusing.mockRestore()
    expect(String(await (await storeOf(opened(directory), 'one')).read(sha256(script)))).toBe(script)
    await opened(directory).sweep()
    expect(await commonFiles(directory)).toEqual([])
  })

  it('has another file once one has as many names as it may', async () => {
    const directory = await temporaryDirectory()
    const blobs = opened(directory)
    await (await storeOf(blobs, 'one')).put(common)
    const refusing = vi
      .spyOn(diskFileSystem, 'link')
      .mockRejectedValueOnce(Object.assign(new Error('too many links'), { code: 'EMLINK' }))
    await (await storeOf(blobs, 'two')).put(blobsOf(script))
    refusing.mockRestore()
    for (const name of ['one', 'two'])
      expect(String(await (await storeOf(blobs, name)).read(sha256(script)))).toBe(script)
    expect((await stat(join(directory, '.common', `${sha256(script)}.pack`))).nlink).toBe(2)
  })
})
