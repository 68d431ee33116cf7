import { expect, test } from 'vitest'
import { Draft } from '#assistant/draft.ts'
import { Frame } from '#assistant/frame.ts'
import { SiteChecks } from '#assistant/site-checks.ts'
import { readFile, searchFiles } from '#assistant/tools/reading.ts'
import type { BranchContent } from '#branching/branch-content.ts'

const megabyte = 1024 * 1024
const page = Buffer.from(`${'word '.repeat(16)}\n`.repeat(megabyte / 81))
const signal = new AbortController().signal
const none = async (): Promise<never> => Promise.reject(new Error('nobody asks for this'))

/** A branch of 60 pages of a megabyte each. */
const content: BranchContent = {
  name: 'draft',
  head: 'a'.repeat(40),
  files: new Map(Array.from({ length: 60 }, (_, at) => [`page-${at}.md`, 'b'.repeat(40)])),
  size: async () => megabyte,
  read: async () => page,
}

test('a search of more than a turn may read says how far it came, and what it found can still be read', async () => {
  const branches = { check: none } as never
  const checks = new SiteChecks({ branches }, { projectId: 'docs', id: 'one', head: content.head })
  const bench = { draft: new Draft(content), checks, frame: new Frame(), signal }
  const search = searchFiles.prepare(JSON.stringify({ text: 'nowhere' }))
  const end = 'of 60 files were looked through: searches of this turn end here.'
  expect(await search.run(bench)).toMatchObject({
    text: `Nothing was found.\n40 ${end}`,
    detail: '0 matches in 40 files',
  })
  expect((await search.run(bench)).text).toBe(`Nothing was found.\n0 ${end}`)
  const read = readFile.prepare(JSON.stringify({ path: 'page-59.md', lines: 1 }))
  expect((await read.run(bench)).text).toContain('word word')
})
