import { describe, it } from 'vitest'
import { expectSettled } from '#test/support/content/contract/merges.ts'
import { text } from '#test/support/content/contract/support.ts'
import { fork, type Edits } from '#test/support/content/workshop.ts'
import type { Resolution } from '#content/repository.ts'

const table: readonly {
  readonly what: string
  readonly sides: readonly [base: Edits, main: Edits, branch: Edits]
  readonly resolutions: readonly Resolution[]
  readonly result: Readonly<Record<string, string>>
}[] = [
  {
    what: 'for a file renamed apart, by one of the names',
    sides: [{ old: text(20) }, { old: null, 'new-main': text(20) }, { old: null, 'new-branch': text(20, { 3: 'x' }) }],
    resolutions: [
      { path: 'new-main', use: 'branch' },
      { path: 'new-branch', use: 'branch' },
    ],
    result: { 'new-branch': text(20, { 3: 'x' }) },
  },
  {
    what: 'for a renamed file, by the edit of the side that kept the name',
    sides: [{ old: text(20) }, { old: text(20, { 3: 'main' }) }, { old: null, new: text(20, { 3: 'branch' }) }],
    resolutions: [{ path: 'new', use: 'main' }],
    result: { new: text(20, { 3: 'main' }) },
  },
]

describe('a conflict of renames is settled', () => {
  it.each(table)('$what', async ({ sides, resolutions, result }) => {
    const { repository, main, branch } = await fork(...sides)
    await expectSettled({ repository, main, branch, resolutions, result })
  })
})
