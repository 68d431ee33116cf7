import { describe, expect, it } from 'vitest'
import { RecentUse, turnsOf } from '#site/render/turns.ts'

const ownerOf = (project: string): string => project.split('/')[0] ?? project
const build = (project: string, turn = 0) => ({ project, turn })
const none = { ownerOf, useOf: () => 0 }

describe('children', () => {
  it('are divided among owners, not among their projects', () => {
    const waiting = [...Array.from({ length: 30 }, (_, index) => build(`many/${index}`)), build('one/a')]
    const turns = turnsOf(waiting, 4, none)
    expect(turns.map(({ owner, share }) => [owner, share])).toEqual([
      ['many', 2],
      ['one', 2],
    ])
    expect(turns[1]?.builds).toEqual([{ build: build('one/a'), share: 2 }])
  })

  it('are all for an owner who is alone, and then divided among the projects', () => {
    expect(turnsOf([build('one/a')], 4, none)[0]?.builds).toEqual([{ build: build('one/a'), share: 4 }])
    const [turn] = turnsOf([build('one/a'), build('one/b'), build('one/c')], 4, none)
    expect(turn?.builds.map(({ share }) => share)).toEqual([2, 1, 1])
  })

  it('go to who was served longest ago: the owner, then the project, then the build', () => {
    const waiting = [build('a/1', 9), build('a/2', 4), build('a/1', 3), build('b/1', 5)]
    const turns = turnsOf(waiting, 1, none)
    expect(turns.map(({ owner }) => owner)).toEqual(['b', 'a'])
    expect(turns[1]?.builds.map((one) => one.build)).toEqual([build('a/2', 4), build('a/1', 3), build('a/1', 9)])
  })

  it('go first to who used least processor time lately', () => {
    const use = new RecentUse()
    use.add('a', 6000, 0)
    use.add('b', 100, 0)
    const order = (now: number) =>
      turnsOf([build('a/1', 1), build('b/1', 2), build('c/1', 3)], 1, { ownerOf, useOf: (owner) => use.of(owner, now) })
    expect(order(1000).map(({ owner }) => owner)).toEqual(['c', 'b', 'a'])
    // Half is forgotten each minute.
    expect(use.of('a', 120_000)).toBe(1500)
    use.prune(3_600_000)
    expect(order(0).map(({ owner }) => owner)).toEqual(['a', 'b', 'c'])
  })
})
