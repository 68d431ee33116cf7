import { expect, test } from 'vitest'
import { mergeTexts } from '#authoring/merge.ts'
import { mergedText, pieceNames, type PieceDecision } from '#authoring/merge-pieces.ts'
import {
  givenBack,
  joinedKept,
  keptOf,
  remembered,
  renewed,
  resolutionsOf,
  restored,
  type KeptDecision,
  type PendingConflict,
} from '#authoring/pending-conflicts.ts'
import type { Conflict } from '#contract/branches.ts'

const [one, two, three] = ['1', '2', '3'].map((digit) => digit.repeat(40))

function conflict(main: string | undefined, path = 'guide.mdx'): Conflict {
  return { path, type: 'content', base: 'b\n', main: 'm\n', branch: 'n\n', oids: main === undefined ? {} : { main } }
}

function settled(of: Conflict): PendingConflict {
  return { conflict: of, state: 'settled', decision: { use: 'branch' }, pieces: [] }
}

const none = new Map<string, never>()

test('A decision holds while both sides are what it was made on, and is asked for again when one has moved', () => {
  const items = [settled(conflict(one))]
  expect(renewed(items, { conflicts: [conflict(one)], sent: [] }, none)).toEqual(items)
  expect(renewed(items, { conflicts: [conflict(two)], sent: [] }, none)).toMatchObject([
    { state: 'open', decision: { use: 'branch' }, conflict: { oids: { main: two } } },
  ])
})

test('What the service has taken stays settled; what is in no conflict any more goes, unless somebody wrote for it', () => {
  const taken = settled(conflict(one, 'taken.mdx'))
  const pieces: PieceDecision[] = [{ piece: 'x', choice: { text: 'mine' } }]
  const written: PendingConflict = { ...settled(conflict(two, 'written.mdx')), pieces }
  const items = [taken, settled(conflict(three, 'dropped.mdx')), written]
  const sent = resolutionsOf([taken])
  const left = renewed(items, { conflicts: [], sent }, none)
  expect(left.map(({ conflict: { path }, state }) => [path, state])).toEqual([
    ['taken.mdx', 'settled'],
    ['written.mdx', 'gone'],
  ])
})

test('What is kept is found again, on the same sides as decided and on others as to be decided', () => {
  const [kept] = keptOf(settled(conflict(one)))
  expect(remembered(conflict(one), kept)).toEqual(settled(conflict(one)))
  expect(remembered(conflict(two), kept).state).toBe('open')
})

test('What is gone is found again as gone, and is to be decided when the service names it again', () => {
  const [gone] = givenBack(settled(conflict(one)))
  const [kept] = gone === undefined ? [] : keptOf(gone)
  expect(restored(conflict(one), kept)).toEqual(gone)
  expect(remembered(conflict(one), kept)).toEqual({ ...gone, state: 'open' })
})

test('Pieces make a text once all of them are decided, and keep their names where they stand', () => {
  const pieces = mergeTexts('a\nb\nc\nd\n', 'A\nb\nc\nD\n', 'x\nb\nc\ny\n')
  const conflicts = pieces.filter((piece) => piece.kind === 'conflict')
  expect(mergedText(pieces, [{ take: 'mine' }])).toBeUndefined()
  expect(mergedText(pieces, [{ take: 'both' }, { text: 'by hand' }])).toBe('A\nx\nb\nc\nby hand\n')
  const moved = mergeTexts('0\na\nb\nc\nd\n', '0\nA\nb\nc\nD\n', '0\nx\nb\nc\ny\n')
  expect(pieceNames(moved.filter((piece) => piece.kind === 'conflict'))).toEqual(pieceNames(conflicts))
})

test('Two tabs that decide of different files, or pieces of one, lose nothing of each other', () => {
  const seen = { main: one ?? '', branch: null }
  const kept = (path: string, ...texts: readonly string[]): KeptDecision => ({
    path,
    seen,
    settled: false,
    pieces: texts.map((text) => ({ piece: text.slice(0, 1), choice: { text } })),
  })
  const before = [kept('a.mdx', '1 old'), kept('b.mdx', '1 old')]
  const mine = [kept('a.mdx', '1 old', '2 mine'), kept('b.mdx', '1 old'), kept('c.mdx', '1 mine')]
  const theirs = [kept('a.mdx', '1 theirs'), kept('d.mdx', '1 theirs')]
  const joined = new Map(joinedKept(before, mine, theirs).map(({ path, pieces = [] }) => [path, pieces]))
  const textsIn = (path: string): unknown => joined.get(path)?.map(({ choice }) => 'text' in choice && choice.text)
  expect(textsIn('a.mdx')).toEqual(['1 theirs', '2 mine'])
  // They took it back, and nothing new was said of it here.
  expect(joined.has('b.mdx')).toBe(false)
  expect([textsIn('c.mdx'), textsIn('d.mdx')]).toEqual([['1 mine'], ['1 theirs']])
})
