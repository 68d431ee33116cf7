import { expect, it } from 'vitest'
import { openText } from '../support/open-text.ts'

it('brings back what a discard took away beside what was typed since', async () => {
  const { open, type } = await openText('One\n\nTwo\n')
  type('One\n\nTwo\nUnsaved\n')
  const undo = open.discard()
  expect(open.text).toBe('One\n\nTwo\n')
  type('New. One\n\nTwo\n')
  undo()
  expect(open.text).toBe('New. One\n\nTwo\nUnsaved\n')
})

it('brings back what an older version took the place of, whatever is typed since', async () => {
  const { open, type } = await openText('One\n\nTwo\n')
  type('One\n\nTwo\nUnsaved\n')
  const undo = open.write('Old\n\nTwo\n')
  type('Old\n\nTwo, more\n')
  undo()
  expect(open.text).toBe('One\n\nTwo, more\nTwo\nUnsaved\n')
})

it('is exactly what it was before where nothing was typed since', async () => {
  const { open, type, drafts } = await openText('One\n')
  type('Unsaved')
  open.write('Old\n')()
  expect(open.text).toBe('Unsaved')
  await expect.poll(() => drafts.kept?.text).toBe('Unsaved')
  open.discard()()
  await expect.poll(() => [open.state.status, open.text, drafts.kept?.text]).toEqual(['changed', 'Unsaved', 'Unsaved'])
})

it('tells whoever shows the text of each letter', async () => {
  const { open, type } = await openText('One\n')
  const seen: string[] = []
  open.subscribe(() => seen.push(open.text))
  type('a')
  type('ab')
  expect(seen).toEqual(['a', 'ab'])
})
