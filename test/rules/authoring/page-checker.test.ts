import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type CheckState, PageChecker } from '#authoring/page-checker.ts'
import type { Check } from '#contract/checks.ts'
import { Failure } from '#contract/failure.ts'

let text: string
let version: number
let asked: string[]
let answers: ((answer: Check | Failure) => void)[]
let states: CheckState[]
let checker: PageChecker

const found = (message: string): Check => ({
  errors: [{ path: 'a.mdx', line: 2, column: 3, message }],
  warnings: [{ path: 'b.mdx', line: 1, message: 'A dead link.' }],
  counts: { errors: 1, warnings: 1 },
  pages: { total: 1, built: 1, reused: 0 },
})

beforeEach(() => {
  vi.useFakeTimers()
  ;[text, version, asked, answers, states] = ['one', 1, [], [], []]
  checker = new PageChecker({
    path: 'a.mdx',
    text: () => text,
    length: () => text.length,
    version: () => version,
    isOffline: () => false,
    ask: (content) => {
      asked.push(content)
      return new Promise((resolve, reject) =>
        answers.push((answer) => (answer instanceof Failure ? reject(answer) : resolve(answer))),
      )
    },
    onChange: (state) => states.push(state),
  })
})
afterEach(() => {
  checker.close()
  vi.useRealTimers()
})

function type(what: string): void {
  text = what
  version++
  checker.changed()
}

test('The service is asked when nobody types, about the last text', async () => {
  type('a')
  await vi.advanceTimersByTimeAsync(500)
  type('ab')
  await vi.advanceTimersByTimeAsync(500)
  expect(asked).toEqual([])
  await vi.advanceTimersByTimeAsync(200)
  expect(asked).toEqual(['ab'])
})

test('What it says of this page is marked, the rest is told apart', async () => {
  checker.changed(0)
  await vi.advanceTimersByTimeAsync(1)
  answers[0]?.(found('No such thing.'))
  await vi.advanceTimersByTimeAsync(1)
  expect(checker.state).toEqual({
    kind: 'done',
    markers: [{ line: 1, column: 2, severity: 'error', message: 'No such thing.' }],
    elsewhere: ['b.mdx: A dead link.'],
  })
})

test('An answer about a text of before does not count, and there is one question at a time', async () => {
  checker.changed(0)
  await vi.advanceTimersByTimeAsync(1)
  type('two')
  await vi.advanceTimersByTimeAsync(700)
  expect(asked).toEqual(['one'])
  answers[0]?.(found('Old.'))
  await vi.advanceTimersByTimeAsync(700)
  expect(asked).toEqual(['one', 'two'])
  expect(states.some(({ kind }) => kind === 'done')).toBe(false)
})

test('A service that wants to be left alone is asked again when it said', async () => {
  checker.changed(0)
  await vi.advanceTimersByTimeAsync(1)
  answers[0]?.(new Failure('rate_limited', 'Too many.', { retryAfter: 3 }))
  await vi.advanceTimersByTimeAsync(2_000)
  expect(asked).toHaveLength(1)
  expect(checker.state.kind).toBe('failed')
  await vi.advanceTimersByTimeAsync(1_100)
  expect(asked).toHaveLength(2)
})

test('What cannot be reached is told as offline', async () => {
  checker.changed(0)
  await vi.advanceTimersByTimeAsync(1)
  answers[0]?.(new Failure('unavailable', 'Nobody answers.'))
  await vi.advanceTimersByTimeAsync(1)
  expect(checker.state.kind).toBe('offline')
})

test('A very long page is left alone', async () => {
  type('x'.repeat(1_000_001))
  await vi.advanceTimersByTimeAsync(700)
  expect(asked).toEqual([])
  expect(checker.state.kind).toBe('tooLong')
})
