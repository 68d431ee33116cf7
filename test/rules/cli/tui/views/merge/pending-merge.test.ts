import { describe, expect, it } from 'vitest'
import { mergeWith } from '#authoring/merge-attempt.ts'
import { PendingMerge } from '#cli/tui/views/merge/pending-merge.ts'
import type { Conflict, Resolution } from '#contract/branches.ts'
import { Failure } from '#contract/failure.ts'

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

describe('a pending merge', () => {
  it('merges when each conflict was decided, on what the person saw', async () => {
    const pendingMerge = new PendingMerge()
    const merge = serviceWith([aConflict('a.mdx'), aConflict('b.mdx')])
    expect(await mergeWith(pendingMerge, merge)).toBeUndefined()
    expect(pendingMerge.open.map(({ path }) => path)).toEqual(['a.mdx', 'b.mdx'])
    pendingMerge.decide('a.mdx', { content: 'both\n' })
    pendingMerge.decide('b.mdx', { use: 'main' })
    expect(pendingMerge.resolutions()).toEqual([
      { path: 'a.mdx', content: 'both\n', seen: { main: oid('a'), branch: oid('b') } },
      { path: 'b.mdx', use: 'main', seen: { main: oid('a'), branch: oid('b') } },
    ])
    expect(await mergeWith(pendingMerge, merge)).toBe('merged')
  })

  it('asks again only for the file whose side has moved, and keeps what was decided beside it', async () => {
    const pendingMerge = new PendingMerge()
    await mergeWith(pendingMerge, serviceWith([aConflict('a.mdx'), aConflict('b.mdx')]))
    pendingMerge.decide('a.mdx', { content: 'my words\n' })
    pendingMerge.decide('b.mdx', { use: 'branch' })
    const moved = [
      aConflict('a.mdx', { main: 'newer\n', oids: { main: oid('c'), branch: oid('b') } }),
      aConflict('b.mdx'),
    ]
    expect(await mergeWith(pendingMerge, serviceWith(moved))).toBeUndefined()
    const [first, second] = pendingMerge.items
    expect(first).toMatchObject({ state: 'open', decision: { content: 'my words\n' }, conflict: { main: 'newer\n' } })
    expect(second).toMatchObject({ state: 'settled', decision: { use: 'branch' } })
    pendingMerge.decide('a.mdx', { content: 'my words\n' })
    expect(await mergeWith(pendingMerge, serviceWith(moved))).toBe('merged')
  })

  it('keeps a conflict that is as it was, so that what is half merged is found again', async () => {
    const pendingMerge = new PendingMerge()
    await mergeWith(pendingMerge, serviceWith([aConflict('a.mdx'), aConflict('b.mdx')]))
    const [before] = pendingMerge.open
    await mergeWith(pendingMerge, serviceWith([aConflict('a.mdx'), aConflict('b.mdx')]))
    expect(pendingMerge.open[0]).toBe(before)
  })

  it('does not pass over a side that was taken where there is no conflict any more: main may have taken it back', async () => {
    const pendingMerge = new PendingMerge()
    await mergeWith(pendingMerge, serviceWith([aConflict('a.mdx'), aConflict('b.mdx')]))
    pendingMerge.decide('a.mdx', { use: 'main' })
    pendingMerge.decide('b.mdx', { use: 'main' })
    expect(await mergeWith(pendingMerge, serviceWith([aConflict('b.mdx')]))).toBeUndefined()
    expect(pendingMerge.open).toEqual([])
    expect(pendingMerge.items).toMatchObject([
      { conflict: { path: 'a.mdx' }, state: 'gone', decision: { use: 'main' } },
      { conflict: { path: 'b.mdx' }, state: 'settled', decision: { use: 'main' } },
    ])
    expect(await mergeWith(pendingMerge, serviceWith([aConflict('b.mdx')]))).toBe('merged')
  })

  it('does not pass over a text in silence where there is no conflict any more', async () => {
    const pendingMerge = new PendingMerge()
    await mergeWith(pendingMerge, serviceWith([aConflict('a.mdx')]))
    pendingMerge.decide('a.mdx', { content: 'my words\n' })
    expect(await mergeWith(pendingMerge, serviceWith([]))).toBeUndefined()
    expect(pendingMerge.open).toEqual([])
    expect(pendingMerge.items).toMatchObject([{ state: 'gone', decision: { content: 'my words\n' } }])
    expect(await mergeWith(pendingMerge, serviceWith([]))).toBe('merged')
  })

  it('shows what was written by hand at an earlier time, although there is no conflict any more', async () => {
    const pendingMerge = new PendingMerge()
    pendingMerge.absorb([
      { path: 'a.mdx', seen: { main: oid('a'), branch: null }, decision: { content: 'mine\n' }, settled: true },
      {
        path: 'b.mdx',
        seen: { main: null, branch: null },
        settled: false,
        pieces: [{ piece: 'p', choice: { text: 'ours\n' } }],
      },
      { path: 'c.mdx', seen: { main: null, branch: null }, decision: { use: 'main' as const }, settled: true },
    ])
    pendingMerge.take([aConflict('d.mdx')], [])
    const gone = pendingMerge.items.filter(({ state }) => state === 'gone')
    expect(gone.map((item) => pendingMerge.writtenIn(item))).toEqual([['mine\n'], ['ours\n']])
    expect(pendingMerge.kept().map(({ path }) => path)).toEqual(['a.mdx', 'b.mdx'])
  })

  it('leaves other refusals to whoever asked', async () => {
    const refusal = new Failure('forbidden', 'You may not.')
    await expect(mergeWith(new PendingMerge(), () => Promise.reject(refusal))).rejects.toBe(refusal)
  })

  it('says that a side has no file by null', () => {
    const pendingMerge = new PendingMerge()
    pendingMerge.take([aConflict('a.mdx', { type: 'modify/delete', oids: { base: oid('0'), branch: oid('b') } })], [])
    pendingMerge.decide('a.mdx', { use: 'main' })
    expect(pendingMerge.resolutions()[0]?.seen).toEqual({ main: null, branch: oid('b') })
  })
})
