import { expect, it } from 'vitest'
import { mergedText } from '#authoring/merge-pieces.ts'
import { Failure } from '#contract/failure.ts'
import { openText } from '#test/support/open-text.ts'

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

it('does not make a file anew that somebody deleted until its writer knows', async () => {
  const { open, type, file } = await openText('One\n')
  type('One, mine\n')
  file.become(null)
  await open.save()
  expect(file.now.oid).toBeNull()
  expect(open.state).toMatchObject({ status: 'changed', news: 'Grace deleted this file. Saving makes it anew.' })
  await open.save()
  expect([file.now.text, open.state.status]).toEqual(['One, mine\n', 'saved'])
})

it.each([true, false])('keeps nothing of a deleted file that nobody wrote in (read only: %s)', async (readOnly) => {
  const { open, type, file, drafts } = await openText('One\n', { readOnly })
  file.become(null)
  await open.look()
  expect([open.state.status, open.text, drafts.kept]).toEqual(['deleted', 'One\n', undefined])
  expect(open.state.news).toBe(`Grace deleted this file.${readOnly ? '' : ' Saving makes it anew.'}`)
  await open.save()
  expect(file.now.text).toBe(readOnly ? '' : 'One\n')
  if (readOnly) return

  file.become(null)
  await open.look()
  type('One, mine\n')
  open.flush()
  await expect.poll(() => [open.state.status, drafts.kept?.text]).toEqual(['changed', 'One, mine\n'])
  open.discard()
  await expect.poll(() => [open.state.status, open.text, drafts.kept]).toEqual(['deleted', 'One\n', undefined])
})

it('has what was typed as changes of the file when that comes back', async () => {
  const { open, type, file } = await openText('One\n\nTwo\n')
  type('One, mine\n\nTwo\n')
  file.become(null)
  await open.look()
  file.become('One\n\nTwo, theirs\n')
  await open.look()
  expect([open.state.status, open.text]).toEqual(['changed', 'One, mine\n\nTwo, theirs\n'])
})

it('asks again about lines that were put off when it is saved, not when the branch moves', async () => {
  const { open, type, file } = await openText('One\n')
  type('Mine\n')
  file.become('Theirs\n')
  await open.save()
  expect(open.state.status).toBe('conflict')
  open.postpone()
  await open.look()
  expect(open.state.status).toBe('changed')
  await open.save()
  expect([open.state.status, file.now.text]).toEqual(['conflict', 'Theirs\n'])
})

it('leaves the text to whoever types in it when somebody else saves the same lines, and asks at the save', async () => {
  const { open, type, file } = await openText('One\n')
  type('Mine\n')
  file.become('Theirs\n')
  await open.look()
  expect(open.state).toMatchObject({
    status: 'changed',
    news: expect.stringContaining('changed lines that you changed'),
  })
  type('Mine, typed on\n')
  await open.look()
  expect([open.state.conflict, open.text]).toEqual([undefined, 'Mine, typed on\n'])
  await open.save()
  expect([open.state.status, open.text, file.now.text]).toEqual(['conflict', 'Mine, typed on\n', 'Theirs\n'])
})

it('asks whoever types on after a save at the next one', async () => {
  const { open, type, file } = await openText('One\n')
  type('Mine\n')
  file.become('Theirs\n')
  const { save } = file.branch
  file.branch.save = (...asked) => {
    type('Mine, typed on\n')
    file.branch.save = save
    return save(...asked)
  }
  await open.save()
  expect([open.state.status, open.state.conflict, open.text]).toEqual(['changed', undefined, 'Mine, typed on\n'])
  await open.save()
  expect([open.state.status, file.now.text]).toEqual(['conflict', 'Theirs\n'])
})

it('has in what comes of a conflict also what came into the text meanwhile', async () => {
  const { open, type, file } = await openText('One\n\nTwo\n')
  type('Mine\n\nTwo\n')
  file.become('Theirs\n\nTwo\n')
  await open.save()
  type('Mine\n\nTwo\n\n![shot](/images/shot.png)\n')
  const pieces = open.state.conflict?.pieces ?? []
  const choices = pieces.filter(({ kind }) => kind === 'conflict').map(() => ({ take: 'theirs' }) as const)
  await open.settle(mergedText(pieces, choices) ?? '')
  expect(file.now.text).toBe('Theirs\n\nTwo\n\n![shot](/images/shot.png)\n')
})

it('sends what is typed by now when a refused save is asked for again', async () => {
  const { open, type, file } = await openText('One\n')
  const { save } = file.branch
  file.branch.save = () => Promise.reject(new Failure('unavailable', 'Nobody answers.'))
  type('One, refused\n')
  await open.save()
  expect(open.state).toMatchObject({ status: 'changed', problem: { message: 'Nobody answers.' } })
  file.branch.save = save
  type('One, by now\n')
  await open.save()
  expect([open.state.status, open.state.problem, file.now.text]).toEqual(['saved', undefined, 'One, by now\n'])
})

it('says that the browser keeps nothing until it does', async () => {
  const { open, type, drafts } = await openText('One\n')
  drafts.refuses = true
  type('One, mine\n')
  open.flush()
  await expect.poll(() => open.state.kept).toBe('no')
  type('One, mine, too\n')
  expect(open.state.kept).toBe('no')
  drafts.refuses = false
  open.flush()
  await expect.poll(() => open.state.kept).toBe('yes')
})

it('joins what another tab kept and this one had not seen when it was kept at once', async () => {
  const { open, type, drafts, file } = await openText('One\n\nTwo\n')
  type('One, mine\n\nTwo\n')
  drafts.kept = {
    oid: file.now.oid,
    base: 'One\n\nTwo\n',
    text: 'One\n\nTwo, of another tab\n',
    writer: 'another',
    turn: 1,
  }
  open.flush(true)
  await expect.poll(() => drafts.kept?.text).toBe('One, mine\n\nTwo, of another tab\n')
  expect(open.text).toBe('One, mine\n\nTwo, of another tab\n')
})
