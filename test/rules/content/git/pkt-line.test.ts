import { constant, array, asyncProperty, assert, integer, oneof, uint8Array } from 'fast-check'
import { expect, it } from 'vitest'
import { flush, pktLine, PktReader, sideBand } from '#content/git/pkt-line.ts'

/** The bytes in pieces of some sizes, as a network might deliver them. */
async function* pieces(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length] ?? 1
    yield bytes.subarray(at, at + size)
    at += size
  }
}

it('lines and what follows them come out as they went in, however they are cut', async () => {
  const payload = oneof(constant(null), uint8Array({ maxLength: 50 }))
  await assert(
    asyncProperty(
      array(payload, { maxLength: 10 }),
      uint8Array({ maxLength: 100 }),
      array(integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 5 }),
      async (lines, rest, sizes) => {
        const sent = lines.map((line) => (line === null ? flush : pktLine(line)))
        const reader = new PktReader(pieces(Buffer.concat([...sent, rest]), sizes))
        for (const line of lines) expect(await reader.next()).toEqual(line === null ? null : Buffer.from(line))
        const left: Buffer[] = []
        for (let chunk = await reader.chunk(); chunk !== null; chunk = await reader.chunk()) left.push(chunk)
        expect(Buffer.concat(left)).toEqual(Buffer.from(rest))
      },
    ),
  )
})

it('what is too long for one packet of a band becomes several', async () => {
  const text = Buffer.alloc(150_000, 'x')
  const reader = new PktReader(pieces(Buffer.concat(sideBand(2, text)), [10_000]))
  const parts = [await reader.next(), await reader.next(), await reader.next()]
  expect(parts.map((part) => part?.[0])).toEqual([2, 2, 2])
  expect(Buffer.concat(parts.map((part) => part?.subarray(1) ?? Buffer.alloc(0)))).toEqual(text)
  expect(() => pktLine(Buffer.alloc(65517))).toThrow('a pkt-line of')
})
