import { expect, test, vi } from 'vitest'
import { Failure } from '#contract/failure.ts'
import { contract } from '#contract/index.ts'
import { branch, done, file, open, size } from './assistant-view.ts'

test('a turn shows what was asked, said, done and changed', async () => {
  const { app, service } = open(done)
  await app.type('Raise the limit')
  await app.press('enter')
  await vi.waitFor(() => expect(app.screen(size)).toContain('Saved ccccccc'))
  const screen = app.screen(size)
  expect(screen).toContain('› Raise the limit')
  expect(screen).toContain('\nLimits\nI raise the limit in limits.mdx.\n\n• one\n• two\n')
  expect(screen).toContain('✓ edit guides/limits.mdx  1 edit')
  expect(screen).toMatch(/guides\/limits\.mdx {2}modified {2}\+1 −1\n.*− Ten a minute\.\n.*\+ Twenty a �\[2Jminute\./s)
  expect(screen).toContain('1,200 tokens read, 30 written')
  expect(service.bodies[0]).toEqual({ messages: [{ role: 'user', content: 'Raise the limit' }] })
})

test('a key takes back what the turn changed', async () => {
  const { app, service } = open(done)
  await app.press('ctrl+u')
  expect(app.notes.at(-1)).toContain('Nothing of this conversation has changed the branch.')
  await app.type('Raise it')
  await app.press('enter')
  await vi.waitFor(() => expect(app.screen(size)).toContain('Saved'))
  await app.press('ctrl+u')
  await vi.waitFor(() => expect(app.screen(size)).toContain('Taken back: guides/limits.mdx'))
  expect(service.count(contract.assistant.undo)).toBe(1)
  await app.press('ctrl+u')
  expect(service.count(contract.assistant.undo)).toBe(1)
})

test('a key shows all of a change of which the conversation has only the beginning', async () => {
  const { app, service } = open(done)
  const lines = Array.from({ length: 90 }, (_, index) => ({ kind: 'added' as const, text: `line ${index}` }))
  const hunks = [{ oldStart: 0, oldLines: 0, newStart: 1, newLines: lines.length, lines }]
  service.on(contract.branches.diff, () => ({ head: 'c'.repeat(40), files: [{ ...file, hunks }] }))
  await app.type('Raise it')
  await app.press('enter')
  await vi.waitFor(() => expect(app.screen(size)).toContain('Saved'))
  expect(app.screen({ width: 80, height: 200 })).toMatch(/… and \d+ more lines: Ctrl-D/)
  expect(app.screen({ width: 80, height: 200 })).not.toContain('line 89')
  await app.press('ctrl+d')
  await vi.waitFor(() => expect(app.top.title).toBe('What it changed'))
  expect(app.screen({ width: 80, height: 200 })).toContain('line 89')
})

test('a message has several lines: Enter sends, Alt-Enter does not', async () => {
  const { app, service } = open(done)
  await app.type('one')
  await app.press('alt+enter')
  await app.type('two')
  expect(service.asked).toEqual([])
  await app.press('enter')
  await vi.waitFor(() => expect(service.bodies[0]).toEqual({ messages: [{ role: 'user', content: 'one\ntwo' }] }))
})

test('what is pasted is not sent by its line ends', async () => {
  const { app, service } = open(done)
  await app.input({ type: 'paste', text: 'one\ntwo\n' })
  expect(service.asked).toEqual([])
})

test('Esc breaks a turn off, and the service says what became of it', async () => {
  const { app } = open(async function* (signal) {
    yield { type: 'started', conversation: 'c1', turn: 't1' }
    yield { type: 'delta', text: 'I was' }
    await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted'))))
  })
  await app.type('Raise it')
  await app.press('enter')
  await vi.waitFor(() => expect(app.screen(size)).toContain('I was'))
  app.breakOff()
  await vi.waitFor(() => expect(app.screen(size)).toContain('Broken off.'))
  expect(app.screen(size)).toContain('Nothing was changed.')
})

test('a message that is refused stays to be sent again', async () => {
  const { app } = open(async function* () {
    yield await Promise.reject(
      new Failure('quota_exceeded', 'The plan allows no more messages this month.', {
        hint: 'It starts anew on 1 May.',
      }),
    )
  })
  await app.type('Raise it')
  await app.press('enter')
  await vi.waitFor(() => expect(app.notes).toHaveLength(1))
  expect(app.screen(size)).toContain('The plan allows no more messages this month. It starts anew on 1 May.')
  await app.type('!')
  expect(app.screen(size).split('\n').at(-1)).toContain('Raise it!')
})

test('a turn whose connection was lost says where to see what came of it', async () => {
  const { app } = open(async function* () {
    yield { type: 'started', conversation: 'c1', turn: 't1' }
    yield await Promise.reject(new Failure('unavailable', 'The service cannot be reached.'))
  })
  await app.type('Raise it')
  await app.press('enter')
  await vi.waitFor(() => expect(app.screen(size)).toContain('It may have gone on all the same'))
})

test('drafts that are not saved are told before the assistant works on the branch, once', async () => {
  const { app, workspace, service } = open(done)
  const draft = { slug: 'acme-docs', branchId: branch.id, waiting: false, elsewhere: false, changedAt: new Date() }
  workspace.drafts = [
    { ...draft, branch: branch.name, path: 'index.mdx' },
    { ...draft, branch: 'other', path: 'other.mdx' },
  ]
  app.dialogs.answer(false, true)
  await app.type('Raise it')
  await app.press('enter')
  expect(app.dialogs.shown[0]).toContain('index.mdx has changes here')
  expect(app.dialogs.shown[0]).not.toContain('other.mdx')
  expect(service.asked).toEqual([])
  await app.press('enter')
  await vi.waitFor(() => expect(app.screen(size)).toContain('Saved'))
  await app.type('More')
  await app.press('enter')
  await vi.waitFor(() => expect(service.count(contract.assistant.send)).toBe(2))
  expect(app.dialogs.left).toBe(0)
})

test('a second Enter sends nothing twice, and what is typed before a message goes stays', async () => {
  const { app, workspace, service } = open(done)
  const looks: (() => void)[] = []
  workspace.unsaved = async () => {
    await new Promise<void>((resolve) => looks.push(resolve))
    return []
  }
  await app.type('one')
  await app.press('enter', 'enter')
  await app.type('two')
  for (const look of looks) look()
  await vi.waitFor(() => expect(app.screen(size)).toContain('Saved'))
  expect(service.count(contract.assistant.send)).toBe(1)
  expect(app.screen(size).split('\n').at(-1)).toContain('two')
})

test('a message that is not sent stays, with what was typed since', async () => {
  const { app, workspace, service } = open(done)
  let fail: ((error: Error) => void) | undefined
  workspace.unsaved = () => new Promise((_, reject) => (fail = reject))
  await app.type('one')
  await app.press('enter')
  await app.type('two')
  fail?.(new Failure('unavailable', 'Nothing can be read.'))
  await vi.waitFor(() => expect(app.screen(size)).toMatch(/one\n *two/))
  expect(service.asked).toEqual([])
})

test('a conversation can be gone on with', async () => {
  const { app, service } = open(done)
  const times = { createdAt: '2026-03-01T12:00:00.000Z', updatedAt: '2026-03-01T12:00:00.000Z' }
  service.on(contract.assistant.list, () => ({ items: [{ id: 'c1', title: 'Raise the limit', turns: 1, ...times }] }))
  app.dialogs.answer('Raise the limit')
  await app.press('ctrl+o')
  await vi.waitFor(() => expect(app.screen(size)).toContain('› Raise the limit'))
  await app.type('More')
  await app.press('enter')
  await vi.waitFor(() =>
    expect(service.bodies).toContainEqual({
      messages: [{ role: 'user', content: 'More' }],
      conversation: 'c1',
    }),
  )
  await app.press('ctrl+n')
  expect(app.screen(size)).toContain('Such as:')
})

test('while it works nothing else is sent, and leaving is asked', async () => {
  let end: (() => void) | undefined
  const { app, service } = open(async function* () {
    await new Promise<void>((resolve) => (end = resolve))
    yield* done()
  })
  await app.type('one')
  await app.press('enter')
  await app.type('two')
  await app.press('enter')
  expect(app.notes.at(-1)).toContain('still at work')
  app.dialogs.answer(false)
  expect(await app.top.mayLeave?.()).toBe(false)
  end?.()
  await vi.waitFor(() => expect(app.screen(size)).toContain('Saved'))
  expect(await app.top.mayLeave?.()).toBe(true)
  expect(service.count(contract.assistant.send)).toBe(1)
})

test('PgUp scrolls back while a message is typed, and what comes in does not scroll it on', async () => {
  const { app } = open(async function* () {
    yield { type: 'delta', text: Array.from({ length: 100 }, (_, index) => `line ${index}`).join('\n') }
    yield* done()
  })
  await app.type('one')
  await app.press('enter')
  await vi.waitFor(() => expect(app.screen(size)).toContain('Saved'))
  await app.press('pageup', 'pageup')
  expect(app.screen(size)).not.toContain('Saved')
  expect(app.screen(size)).toContain('line 20')
  await app.press('pagedown', 'pagedown', 'pagedown')
  expect(app.screen(size)).toContain('Saved')
})
