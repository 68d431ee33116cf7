import { Compile } from 'typebox/compile'
import { describe, expect, it } from 'vitest'
import { encodeFrame, FrameReader, FromChild } from '../../../src/site/render/protocol.ts'

const known = Compile(FromChild)
const read = (message: unknown): FromChild[] =>
  new FrameReader((value): value is FromChild => known.Check(value)).push(encodeFrame(message as FromChild))

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
    const message = outcomeWith({ openapi: 'GET /users' })
    expect(read(message)).toEqual([message])
  })

  it.each([{ openapi: { path: '/users' } }, { openapi: ['GET /users'] }, { openapi: 1 }, { openapi: null }])(
    'is refused with an operation that is no text: %j',
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
})
