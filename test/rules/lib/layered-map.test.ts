import { expect, test } from 'vitest'
import { LayeredMap } from '#lib/layered-map.ts'

test('two maps are read as one, in which the upper one comes first', () => {
  const upper = new Map([
    ['a', 1],
    ['b', 2],
  ])
  const both = new LayeredMap(
    upper,
    new Map([
      ['b', 20],
      ['c', 30],
    ]),
  )
  expect([both.get('a'), both.get('b'), both.get('c'), both.get('d')]).toEqual([1, 2, 30, undefined])
  expect([...both]).toEqual([
    ['a', 1],
    ['b', 2],
    ['c', 30],
  ])
  expect([both.size, both.has('c'), both.has('d')]).toEqual([3, true, false])
})
