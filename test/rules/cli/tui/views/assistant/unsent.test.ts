import { expect, test, vi } from 'vitest'
import type { UnsentMessage } from '#cli/tui/data/drafts/message.ts'
import { markOf } from '#cli/tui/views/assistant/unsent-field.ts'
import type { AssistantTurn } from '#contract/assistant.ts'
import { Failure } from '#contract/failure.ts'
import { contract } from '#contract/index.ts'
import { aTurn, done, open, size } from './assistant-view.ts'

/** Messages as a workspace keeps them, of which a view that is opened anew finds what was kept. */
class KeptInMemory implements UnsentMessage {
  readonly kind = 'assistant'
  text = ''
  sent: string | undefined
  trouble: string | undefined
  notice: string | undefined

  changed(text: string, sent: string | null | undefined = this.sent): void {
    this.text = text
    this.sent = sent ?? undefined
  }

  async flush(): Promise<void> {}
}

const times = { createdAt: '2026-03-01T12:00:00.000Z', updatedAt: '2026-03-01T12:00:00.000Z' }

test('what is typed and not sent is kept, and stands in the field again', async () => {
  const message = new KeptInMemory()
  const { app } = open(done, message)
  await app.type('Raise the')
  await app.press('alt+enter')
  await app.type('limit')
  expect(message.text).toBe('Raise the\nlimit')
  const next = open(done, message)
  await vi.waitFor(() => expect(next.app.screen(size)).toMatch(/Raise the\n *limit/))
  await next.app.type('s')
  expect(message.text).toBe('Raise the\nlimits')
})

test('what is typed before that is known stays behind it', async () => {
  const message = new KeptInMemory()
  message.text = 'one'
  const { app } = open(done, message)
  const typing = app.type('two')
  await vi.waitFor(() => expect(message.text).toMatch(/^one/))
  await typing
  expect(message.text.replace('\n', '')).toBe('onetwo')
})

test.each([
  { earlier: '', kept: 'one' },
  { earlier: 'from before', kept: 'from before\none' },
])('a message that is sent before that is known ("$earlier") is kept, too, when no answer comes', async (example) => {
  const message = new KeptInMemory()
  message.text = example.earlier
  let know: (message: UnsentMessage) => void = () => undefined
  let fail: (() => void) | undefined
  const { app } = open(
    async function* () {
      await new Promise<void>((resolve) => (fail = resolve))
      yield await Promise.reject(new Failure('unavailable', 'The service cannot be reached.'))
    },
    new Promise((resolve) => (know = resolve)),
  )
  await app.type('one')
  await app.press('enter')
  know(message)
  await vi.waitFor(() => expect(fail).toBeDefined())
  if (example.earlier === '')
    await vi.waitFor(() => expect([message.text, message.sent]).toEqual(['one', markOf('one')]))
  fail?.()
  await vi.waitFor(() => expect(message.text).toBe(example.kept))
})

/** A service that answers a message when it is told to. */
function answeringLate(message: UnsentMessage) {
  let begin: (() => void) | undefined
  const { app } = open(async function* () {
    await new Promise<void>((resolve) => (begin = resolve))
    yield* done()
  }, message)
  return { app, service: { isAsked: () => begin !== undefined, answer: () => begin?.() } }
}

test('a message is kept until the service has it, with what is typed meanwhile, and then forgotten', async () => {
  const message = new KeptInMemory()
  const { app, service } = answeringLate(message)
  await app.type('one')
  await app.press('enter')
  await app.type('two')
  expect([message.text, message.sent]).toEqual(['one\ntwo', markOf('one')])
  service.answer()
  await vi.waitFor(() => expect([message.text, message.sent]).toEqual(['two', undefined]))
  await vi.waitFor(() => expect(app.screen(size)).toContain('Saved'))
})

test('a message that was refused is no more in doubt', async () => {
  const message = new KeptInMemory()
  const { app, service } = open(async function* () {
    yield await Promise.reject(new Failure('quota_exceeded', 'The plan allows no more messages this month.'))
  }, message)
  await app.type('one')
  await app.press('enter')
  await vi.waitFor(() => expect([message.text, message.sent]).toEqual(['one', undefined]))
  await app.press('enter')
  await vi.waitFor(() => expect(service.count(contract.assistant.send)).toBe(2))
})

/** A service whose answer is lost, and that says how it went with the message. */
function losing(message: UnsentMessage, status: AssistantTurn['status'] | 'never') {
  const opened = open(async function* () {
    yield await Promise.reject(new Failure('unavailable', 'The connection broke.'))
  }, message)
  const turns = status === 'never' ? [aTurn({ question: 'Another' })] : [aTurn({ status, question: 'one' })]
  opened.service.on(contract.assistant.list, () => ({ items: [{ id: 'c1', title: 'one', turns: 1, ...times }] }))
  opened.service.on(contract.assistant.read, () => ({ id: 'c1', title: 'one', ...times, turns }))
  return opened
}

test.each(['done', 'running'] as const)(
  'a message whose answer was lost is not sent twice, also by the next start: it is %s',
  async (status) => {
    const message = new KeptInMemory()
    const first = losing(message, status)
    await first.app.type('one')
    await first.app.press('enter')
    await vi.waitFor(() => expect(message.sent).toBe(markOf('one')))
    expect(message.text).toBe('one')
    const { app, service } = losing(message, status)
    await vi.waitFor(() => expect(app.screen(size)).toContain('No answer came to this message'))
    await app.type('!')
    await app.press('enter')
    await vi.waitFor(() => expect(app.notes.at(-1)).toContain('had this message already'))
    expect(app.screen(size)).toContain('› one')
    expect(service.count(contract.assistant.send)).toBe(0)
    expect([message.text, message.sent]).toEqual(['!', undefined])
  },
)

test.each(['never', 'failed', 'cancelled'] as const)(
  'a message whose answer was lost is sent again where nothing came of it: %s',
  async (status) => {
    const { app, service } = losing(new KeptInMemory(), status)
    await app.type('one')
    await app.press('enter')
    await vi.waitFor(() => expect(app.screen(size)).toContain('It may have gone on all the same'))
    await app.press('enter')
    await vi.waitFor(() => expect(service.count(contract.assistant.send)).toBe(2))
  },
)

test('while nobody knows whether it was sent, it is neither sent nor lost', async () => {
  const message = new KeptInMemory()
  const { app, service } = losing(message, 'done')
  service.on(contract.assistant.list, () => {
    throw new Failure('unavailable', 'The service cannot be reached.')
  })
  await app.type('one')
  await app.press('enter')
  await vi.waitFor(() => expect(app.screen(size)).toContain('It may have gone on all the same'))
  await app.press('enter')
  await vi.waitFor(() => expect(service.count(contract.assistant.list)).toBeGreaterThan(0))
  await vi.waitFor(() => expect(app.screen(size).split('\n').at(-1)).toContain('one'))
  expect(service.count(contract.assistant.send)).toBe(1)
  expect([message.text, message.sent]).toEqual(['one', markOf('one')])
})

test('what is typed in the view of a later time stays, whenever the message of the one before arrives', async () => {
  const message = new KeptInMemory()
  let end: (() => void) | undefined
  const { app } = open(async function* () {
    yield { type: 'started', conversation: 'c1', turn: 't1' } as const
    await new Promise<void>((resolve) => (end = resolve))
    yield { type: 'done', turn: aTurn() } as const
  }, message)
  await app.type('one')
  await app.press('enter')
  await vi.waitFor(() => expect([message.text, end]).toEqual(['', expect.any(Function)]))
  app.top.closed?.()
  const next = open(done, message)
  await next.app.type('two')
  expect(message.text).toBe('two')
  end?.()
  await vi.waitFor(() => expect(app.screen(size)).toContain('Saved'))
  expect(message.text).toBe('two')
})

test('a message that arrives when its view is left is not kept any more', async () => {
  const message = new KeptInMemory()
  const { app, service } = answeringLate(message)
  await app.type('one')
  await app.press('enter')
  await vi.waitFor(() => expect(service.isAsked()).toBe(true))
  app.top.closed?.()
  expect([message.text, message.sent]).toEqual(['one', markOf('one')])
  service.answer()
  await vi.waitFor(() => expect([message.text, message.sent]).toEqual(['', undefined]))
})
