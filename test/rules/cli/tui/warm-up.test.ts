import { expect, it } from 'vitest'
import { warmUp } from '#cli/tui/warm-up.ts'

it('goes all the way into a page, so that the code of that is compiled ahead', async () => {
  const rows = await warmUp()
  expect(rows[0]).toMatch(/^ Quire {2}Projects › sample › main › \S+\.mdx /)
  expect(rows.join('\n')).toContain('title: ')
  // The last key: the cursor is no more where it was when the page was opened.
  expect(rows.at(-2)).toMatch(/ words · 3:\d+ · read-only/)
})
