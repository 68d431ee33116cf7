import { describe, expect, it } from 'vitest'
import { BlobSink } from '#site/build/blobs.ts'
import { sha256 } from '#lib/digest.ts'

const megabyte = (byte: number): Buffer => Buffer.alloc(1024 * 1024, byte)

const none = (): Promise<never> => Promise.reject(new Error('nothing is read'))

describe('the blobs of a build', () => {
  it('are handed over in parts, so that a large site is never held whole', async () => {
    const stored = new Set<string>()
    const sink = new BlobSink({
      has: (blob) => stored.has(blob),
      blob: none,
      store: async (blobs) => {
        await new Promise((resolve) => setImmediate(resolve))
        for (const blob of blobs.keys()) stored.add(blob)
      },
    })
    await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const { blob } = sink.add(megabyte(index))
        await sink.flushIfFull()
        expect(sink.has(blob)).toBe(true)
      }),
    )
    expect(stored.size + sink.fresh.size).toBe(40)
    expect(sink.fresh.size).toBeLessThan(8)
  })

  it('are handed back with the result where nobody takes them before', async () => {
    const sink = new BlobSink({ has: () => false, blob: none })
    for (let index = 0; index < 20; index++) sink.add(megabyte(index))
    await sink.flushIfFull()
    expect(sink.fresh.size).toBe(20)
  })

  it('are not collected again when the store has them', () => {
    const known = sha256(megabyte(1))
    const sink = new BlobSink({ has: (blob) => blob === known, blob: none })
    sink.add(megabyte(1))
    expect(sink.fresh.size).toBe(0)
  })
})
