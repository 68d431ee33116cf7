import { readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { BlobMissing } from '#storage/blobs.ts'
import { sha256 } from '#lib/digest.ts'
import { PackStore } from '#storage/blobs/packs.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

const blobsOf = (...texts: string[]): Map<string, Buffer> =>
  new Map(texts.map((text) => [sha256(text), Buffer.from(text)]))
const ignore = (): void => undefined

async function packsIn(directory: string): Promise<string[]> {
  return (await readdir(directory)).map((name) => join(directory, name))
}

describe('the pack store', () => {
  it('has what was put, also after it is opened again', async () => {
    const directory = await temporaryDirectory()
    const store = await PackStore.open(directory, ignore)
    await store.put(blobsOf('one', '', 'three'))
    await store.put(blobsOf('four'))
    for (const opened of [store, await PackStore.open(directory, ignore)]) {
      expect((await opened.read(sha256('three'))).toString()).toBe('three')
      expect((await opened.read(sha256('four'))).toString()).toBe('four')
      expect((await opened.read(sha256(''))).length).toBe(0)
      expect((await opened.read(sha256('three'), { start: 1, end: 3 })).toString()).toBe('hr')
      expect(opened.has(sha256('five'))).toBe(false)
    }
  })

  it('writes one pack a put, and none for what it has', async () => {
    const directory = await temporaryDirectory()
    const store = await PackStore.open(directory, ignore)
    await store.put(blobsOf(...Array.from({ length: 500 }, (_, i) => `page ${i}`)))
    await store.put(blobsOf('page 1', 'page 2'))
    expect(await packsIn(directory)).toHaveLength(1)
  })

  it('refuses a blob that it lacks or that changed on disk', async () => {
    const directory = await temporaryDirectory()
    const store = await PackStore.open(directory, ignore)
    await expect(store.read(sha256('no'))).rejects.toBeInstanceOf(BlobMissing)
    await store.put(blobsOf('a page'))
    const [pack = ''] = await packsIn(directory)
    await writeFile(
      pack,
      (await readFile(pack)).map((byte, index) => (index === 9 ? byte ^ 1 : byte)),
    )
    await expect(store.read(sha256('a page'))).rejects.toThrow(/its bytes have changed/)
  })

  it('ignores packs that were cut at any place, and says so', async () => {
    const directory = await temporaryDirectory()
    const whole = await PackStore.open(directory, ignore)
    await whole.put(blobsOf('kept'))
    const [first] = await packsIn(directory)
    await whole.put(blobsOf('cut', 'short'))
    const pack = (await packsIn(directory)).find((path) => path !== first) ?? ''
    const { size } = await stat(pack)
    for (let length = size - 1; length >= 0; length -= 7) {
      await truncate(pack, length)
      const warnings: string[] = []
      const store = await PackStore.open(directory, (message) => warnings.push(message))
      expect([store.has(sha256('kept')), store.has(sha256('cut')), warnings.length]).toEqual([true, false, 1])
    }
  })

  it('sweeps what a crashed writer left', async () => {
    const directory = await temporaryDirectory()
    await writeFile(join(directory, '.1.pack.0123456789ab.tmp'), 'half')
    await PackStore.prepare(directory)
    expect(await readdir(directory)).toEqual([])
  })

  it('rewrites a pack once little of it is wanted, and keeps serving', async () => {
    const directory = await temporaryDirectory()
    const store = await PackStore.open(directory, ignore)
    const texts = Array.from({ length: 20 }, (_, i) => `blob ${i} `.repeat(50))
    await store.put(blobsOf(...texts))
    const mostly = new Set(texts.slice(5).map((text) => sha256(text)))
    expect(await store.retain((blob) => mostly.has(blob))).toBe(0)
    const few = new Set(texts.slice(0, 3).map((text) => sha256(text)))
    const reading = texts.slice(0, 3).map((text) => store.read(sha256(text)))
    expect(await store.retain((blob) => few.has(blob))).toBeGreaterThan(5000)
    expect((await Promise.all(reading)).map(String)).toEqual(texts.slice(0, 3))
    for (const opened of [store, await PackStore.open(directory, ignore)]) {
      for (const [index, text] of texts.entries()) expect(opened.has(sha256(text))).toBe(index < 3)
      expect(String(await opened.read(sha256(texts[1] ?? '')))).toBe(texts[1])
    }
    expect(await packsIn(directory)).toHaveLength(1)
  })

  it('keeps a pack whose blob became wanted while it was being rewritten', async () => {
    const directory = await temporaryDirectory()
    const store = await PackStore.open(directory, ignore)
    await store.put(blobsOf('x', 'y'.repeat(1000)))
    const wanted = new Set([sha256('x')])
    const retaining = store.retain((blob) => wanted.has(blob))
    wanted.add(sha256('y'.repeat(1000)))
    await retaining
    expect((await store.read(sha256('y'.repeat(1000)))).length).toBe(1000)
  })

  it('joins many small packs into one', async () => {
    const directory = await temporaryDirectory()
    const store = await PackStore.open(directory, ignore)
    for (let i = 0; i < 60; i++) await store.put(blobsOf(`small ${i}`))
    await store.retain(() => true)
    expect(await packsIn(directory)).toHaveLength(1)
    const again = await PackStore.open(directory, ignore)
    expect(String(await again.read(sha256('small 42')))).toBe('small 42')
  })
})
