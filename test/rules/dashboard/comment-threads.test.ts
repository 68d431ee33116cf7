import { describe, expect, it } from 'vitest'
import type { Comment } from '#contract/comments.ts'
import type { DiffHunk } from '#contract/comparisons.ts'
import { placed, threadsOf, withAddresses } from '#dashboard/pages/comments/threads.ts'

const comment = (id: string, thread: string): Comment => ({
  id,
  thread,
  text: id,
  author: { kind: 'account', id: 'a' },
  resolved: false,
  createdAt: '2026-11-24T12:00:00.000Z',
})

/** @param lines each with its sign */
function hunk(lines: readonly string[], start = 1): DiffHunk {
  const kinds = { '+': 'added', '-': 'deleted', ' ': 'context' } as const
  const sent = lines.map((line) => ({ kind: kinds[line[0] as keyof typeof kinds], text: line.slice(1) }))
  const count = (kind: string) => sent.filter((line) => line.kind !== kind).length
  return { oldStart: start, oldLines: count('added'), newStart: start, newLines: count('deleted'), lines: sent }
}

const at = (side: 'branch' | 'main', number: number, text: string) => ({ path: 'a.md', line: { side, number, text } })

it('threads stand in the order in which they began, their comments oldest first', () => {
  const threads = threadsOf(
    ['c4 t1', 'c3 t2', 'c2 t1', 'c1 t1'].map((pair) => comment(...(pair.split(' ') as [string, string]))),
  )
  expect(threads.map(({ id, comments }) => [id, comments.map((each) => each.id)])).toEqual([
    ['t1', ['c1', 'c2', 'c4']],
    ['t2', ['c3']],
  ])
})

describe('what is said of a line stands', () => {
  const hunks = [hunk([' same', '-old', '+new', '+}', ' end', '+}'])]
  const spotOf = (item: ReturnType<typeof at>) => [...placed([item], hunks).lines.keys()][0]

  it.each([
    ['at that line', at('branch', 2, 'new'), 'branch 2'],
    ['at that line of main', at('main', 2, 'old'), 'main 2'],
    ['at that line also where others are the same', at('branch', 5, '}'), 'branch 5'],
    ['where the line has moved to', at('branch', 9, 'new'), 'branch 2'],
    ['nowhere when it was changed', at('branch', 2, 'newer'), undefined],
    ['nowhere when it may be one of several', at('branch', 9, '}'), undefined],
    ['nowhere when only the other side has it', at('main', 2, 'new'), undefined],
  ])('%s', (_where, item, spot) => {
    expect(spotOf(item)).toBe(spot)
    expect(placed([item], hunks).outdated).toHaveLength(spot === undefined ? 1 : 0)
  })

  it('over the lines when it is about the file', () => {
    expect(placed([{ path: 'a.md' }], hunks).whole).toHaveLength(1)
  })
})

it('addresses end before what a sentence goes on with', () => {
  const pieces = withAddresses('See https://example.com/a?b=c, (http://x.org/y). javascript:alert(1) <https://z.net>')
  expect(pieces.filter((_, index) => index % 2 === 1)).toEqual([
    'https://example.com/a?b=c',
    'http://x.org/y',
    'https://z.net',
  ])
  expect(pieces.join('')).toContain('javascript:alert(1)')
})
