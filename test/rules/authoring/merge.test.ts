import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mergeTexts, type MergePiece } from '#authoring/merge.ts'

const someText = fc
  .array(fc.constantFrom('a\n', 'b\n', 'c\n', 'd\r\n', '\n', 'e'), { maxLength: 12 })
  .map((lines) => lines.join(''))

function taking(pieces: readonly MergePiece[], side: 'mine' | 'theirs'): string {
  return pieces.map((piece) => (piece.kind === 'settled' ? piece.lines : piece[side]).join('')).join('')
}

function conflicts(pieces: readonly MergePiece[]): number {
  return pieces.filter(({ kind }) => kind === 'conflict').length
}

test('What only one side changed is taken', () => {
  const pieces = mergeTexts('1\n2\n3\n4\n5\n', '1\nX\n3\n4\n5\n', '1\n2\n3\n4\nY\n')
  expect(pieces).toEqual([{ kind: 'settled', lines: ['1\n', 'X\n', '3\n', '4\n', 'Y\n'] }])
})

test('What both changed alike is no conflict', () => {
  expect(conflicts(mergeTexts('1\n2\n', '1\nX\n', '1\nX\n'))).toBe(0)
})

test('What both changed in different ways is a piece to be decided, without the lines that they share', () => {
  expect(mergeTexts('1\n2\n3\n', '1\nnew\nmine\n3\n', '1\nnew\ntheirs\n3\n')).toEqual([
    { kind: 'settled', lines: ['1\n', 'new\n'] },
    { kind: 'conflict', base: ['2\n'], mine: ['mine\n'], theirs: ['theirs\n'] },
    { kind: 'settled', lines: ['3\n'] },
  ])
})

test('Without a base, what differs is to be decided', () => {
  const pieces = mergeTexts(undefined, 'a\nb\n', 'a\nc\n')
  expect(pieces).toEqual([
    { kind: 'settled', lines: ['a\n'] },
    { kind: 'conflict', mine: ['b\n'], theirs: ['c\n'] },
  ])
})

test('A merge with a side that changed nothing is the other side, in whichever order', () => {
  fc.assert(
    fc.property(someText, someText, (base, changed) => {
      for (const pieces of [
        mergeTexts(base, changed, base),
        mergeTexts(base, base, changed),
        mergeTexts(base, changed, changed),
      ]) {
        expect(conflicts(pieces)).toBe(0)
        expect(taking(pieces, 'mine')).toBe(changed)
      }
    }),
  )
})

test('Where both texts are new, taking one side everywhere gives that side', () => {
  fc.assert(
    fc.property(someText, someText, (mine, theirs) => {
      const pieces = mergeTexts(undefined, mine, theirs)
      expect(taking(pieces, 'mine')).toBe(mine)
      expect(taking(pieces, 'theirs')).toBe(theirs)
    }),
  )
})

test('No line that a side wrote is missing from both what is settled and what is to be decided', () => {
  const own = (letters: string) =>
    fc.array(fc.constantFrom(...letters.split('').map((letter) => `${letter}\n`)), { maxLength: 8 })
  fc.assert(
    fc.property(own('abc'), own('abcXYZ'), own('abcUVW'), (base, mine, theirs) => {
      const pieces = mergeTexts(base.join(''), mine.join(''), theirs.join(''))
      const count = (text: string, letter: string): number => text.split(letter).length - 1
      for (const letter of 'XYZ') expect(count(taking(pieces, 'mine'), letter)).toBe(count(mine.join(''), letter))
      for (const letter of 'UVW') expect(count(taking(pieces, 'theirs'), letter)).toBe(count(theirs.join(''), letter))
    }),
  )
})
