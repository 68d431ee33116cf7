import { describe, expect, it } from 'vitest'
import { mergeWith } from '../../../../../src/authoring/merge-attempt.ts'
import { Settlement } from '../../../../../cli/tui/views/merge/settlement.ts'
import type { Conflict, Resolution } from '../../../../../src/contract/branches.ts'
import { Failure } from '../../../../../src/contract/failure.ts'

const oid = (letter: string): string => letter.repeat(40)
const aConflict = (path: string, own: Partial<Conflict> = {}): Conflict => ({
  path,
  type: 'content',
  base: 'base\n',
  main: 'theirs\n',
  branch: 'mine\n',
  oids: { base: oid('0'), main: oid('a'), branch: oid('b') },
  ...own,
})

/** A service in which a file stays in conflict until it has a decision on both sides as they are. */
function serviceWith(conflicts: readonly Conflict[]): (resolutions: readonly Resolution[]) => Promise<string> {
  return async (resolutions) => {
    for (const { path } of resolutions)
      if (!conflicts.some((conflict) => conflict.path === path)) {
        throw new Failure('invalid_request', `The resolution of ${path} cannot be used.`, {
          errors: [{ path, message: 'has no conflict' }],
        })
      }
    const open = conflicts.filter(({ path, oids }) => {
      const seen = resolutions.find((resolution) => resolution.path === path)?.seen
      return seen === undefined || seen.main !== (oids.main ?? null) || seen.branch !== (oids.branch ?? null)
    })
    if (open.length === 0) return 'merged'
    throw new Failure('merge_conflict', 'They do not go together.', { extra: { conflicts: open } })
  }
}

describe('a settlement of conflicts', () => {
  it('merges when each conflict was decided, on what the person saw', async () => {
    const settlement = new Settlement()
    const merge = serviceWith([aConflict('a.mdx'), aConflict('b.mdx')])
    expect(await mergeWith(settlement, merge)).toBeUndefined()
    expect(settlement.open.map(({ path }) => path)).toEqual(['a.mdx', 'b.mdx'])
    settlement.decide('a.mdx', { content: 'both\n' })
    settlement.decide('b.mdx', { use: 'main' })
    expect(settlement.resolutions()).toEqual([
      { path: 'a.mdx', content: 'both\n', seen: { main: oid('a'), branch: oid('b') } },
      { path: 'b.mdx', use: 'main', seen: { main: oid('a'), branch: oid('b') } },
    ])
    expect(await mergeWith(settlement, merge)).toBe('merged')
  })

  it('asks again only for the file whose side has moved, and keeps what was decided beside it', async () => {
    const settlement = new Settlement()
    await mergeWith(settlement, serviceWith([aConflict('a.mdx'), aConflict('b.mdx')]))
    settlement.decide('a.mdx', { content: 'my words\n' })
    settlement.decide('b.mdx', { use: 'branch' })
    const moved = [
      aConflict('a.mdx', { main: 'newer\n', oids: { main: oid('c'), branch: oid('b') } }),
      aConflict('b.mdx'),
    ]
    expect(await mergeWith(settlement, serviceWith(moved))).toBeUndefined()
    const [first, second] = settlement.items
    expect(first).toMatchObject({ state: 'open', decision: { content: 'my words\n' }, conflict: { main: 'newer\n' } })
    expect(second).toMatchObject({ state: 'settled', decision: { use: 'branch' } })
    settlement.decide('a.mdx', { content: 'my words\n' })
    expect(await mergeWith(settlement, serviceWith(moved))).toBe('merged')
  })

  it('keeps a conflict that is as it was, so that what is half merged is found again', async () => {
    const settlement = new Settlement()
    await mergeWith(settlement, serviceWith([aConflict('a.mdx'), aConflict('b.mdx')]))
    const [before] = settlement.open
    await mergeWith(settlement, serviceWith([aConflict('a.mdx'), aConflict('b.mdx')]))
    expect(settlement.open[0]).toBe(before)
  })

  it('does not pass over a side that was taken where there is no conflict any more: main may have taken it back', async () => {
    const settlement = new Settlement()
    await mergeWith(settlement, serviceWith([aConflict('a.mdx'), aConflict('b.mdx')]))
    settlement.decide('a.mdx', { use: 'main' })
    settlement.decide('b.mdx', { use: 'main' })
    expect(await mergeWith(settlement, serviceWith([aConflict('b.mdx')]))).toBeUndefined()
    expect(settlement.open).toEqual([])
    expect(settlement.items).toMatchObject([
      { conflict: { path: 'a.mdx' }, state: 'gone', decision: { use: 'main' } },
      { conflict: { path: 'b.mdx' }, state: 'settled', decision: { use: 'main' } },
    ])
    expect(await mergeWith(settlement, serviceWith([aConflict('b.mdx')]))).toBe('merged')
  })

  it('does not pass over a text in silence where there is no conflict any more', async () => {
    const settlement = new Settlement()
    await mergeWith(settlement, serviceWith([aConflict('a.mdx')]))
    settlement.decide('a.mdx', { content: 'my words\n' })
    expect(await mergeWith(settlement, serviceWith([]))).toBeUndefined()
    expect(settlement.open).toEqual([])
    expect(settlement.items).toMatchObject([{ state: 'gone', decision: { content: 'my words\n' } }])
    expect(await mergeWith(settlement, serviceWith([]))).toBe('merged')
  })

  it('shows what was written by hand at an earlier time, although there is no conflict any more', async () => {
    const settlement = new Settlement()
    settlement.absorb([
      { path: 'a.mdx', seen: { main: oid('a'), branch: null }, decision: { content: 'mine\n' }, settled: true },
      {
        path: 'b.mdx',
        seen: { main: null, branch: null },
        settled: false,
        pieces: [{ piece: 'p', choice: { text: 'ours\n' } }],
      },
      { path: 'c.mdx', seen: { main: null, branch: null }, decision: { use: 'main' as const }, settled: true },
    ])
    settlement.take([aConflict('d.mdx')], [])
    const gone = settlement.items.filter(({ state }) => state === 'gone')
    expect(gone.map((item) => settlement.writtenIn(item))).toEqual([['mine\n'], ['ours\n']])
    expect(settlement.kept().map(({ path }) => path)).toEqual(['a.mdx', 'b.mdx'])
  })

  it('leaves other refusals to whoever asked', async () => {
    const refusal = new Failure('forbidden', 'You may not.')
    await expect(mergeWith(new Settlement(), () => Promise.reject(refusal))).rejects.toBe(refusal)
  })

  it('says that a side has no file by null', () => {
    const settlement = new Settlement()
    settlement.take([aConflict('a.mdx', { type: 'modify/delete', oids: { base: oid('0'), branch: oid('b') } })], [])
    settlement.decide('a.mdx', { use: 'main' })
    expect(settlement.resolutions()[0]?.seen).toEqual({ main: null, branch: oid('b') })
  })
})
