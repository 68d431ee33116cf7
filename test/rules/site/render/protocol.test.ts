import { Compile } from 'typebox/compile'
import { describe, expect, it } from 'vitest'
import { encodeFrame, frameBytes, FrameReader, FromChild } from '#site/render/protocol.ts'

const known = Compile(FromChild)
const reader = (): FrameReader<FromChild> => new FrameReader((value): value is FromChild => known.Check(value))
const read = (message: unknown): FromChild[] => [...reader().push(encodeFrame(message as FromChild))]

function outcomeWith(summary: Readonly<Record<string, unknown>>): unknown {
  const page = {
    artifact: { title: 'Users', html: '<p>List</p>', headings: [{ id: 'a', level: 2, text: 'A' }], features: ['code'] },
    summary: { title: 'Users', anchors: ['a'], links: [], warnings: [{ line: 1, message: 'Odd.' }], ...summary },
    markdown: 'List',
    dependencies: [
      ['a.mdx', 'oid'],
      ['b.mdx', null],
    ],
  }
  return { type: 'outcome', id: 1, outcome: { ok: true, page } }
}

describe('what a child sends', () => {
  it('is read as it was written', () => {
    const message = outcomeWith({ method: 'POST' })
    expect(read(message)).toEqual([message])
  })

  it.each([{ method: { path: '/users' } }, { method: ['POST'] }, { method: 1 }, { method: null }])(
    'is refused with a method that is no text: %j',
    (summary) => {
      expect(() => read(outcomeWith(summary))).toThrow(TypeError)
    },
  )

  it('is refused with fields that nobody checks', () => {
    expect(() => read(outcomeWith({ extra: 'text' }))).toThrow(TypeError)
  })

  it('is refused without what every page has', () => {
    expect(() => read(outcomeWith({ links: undefined }))).toThrow(TypeError)
  })

  it('is read however it is cut', () => {
    const messages = [{ type: 'load', path: 'a.mdx' }, outcomeWith({}), { type: 'load', path: 'ü.mdx' }] as FromChild[]
    const bytes = Buffer.concat(messages.map(encodeFrame))
    for (const size of [1, 3, 7, bytes.length]) {
      const frames = reader()
      const seen: FromChild[] = []
      for (let at = 0; at < bytes.length; at += size) seen.push(...frames.push(bytes.subarray(at, at + size)))
      expect(seen).toEqual(messages)
    }
  })

  it('is refused by its length alone, before it is kept', () => {
    const announced = (length: number): Buffer => {
      const head = Buffer.alloc(4)
      head.writeUInt32BE(length)
      return head
    }
    expect(() => [...reader().push(announced(frameBytes + 1))]).toThrow(RangeError)
    expect(() => [...reader().push(announced(0))]).toThrow(RangeError)
  })
})
