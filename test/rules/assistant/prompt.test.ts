import { expect, test } from 'vitest'
import { newTurn } from '#assistant/turn-runner.ts'
import { bounds } from '#assistant/bounds.ts'
import { Frame } from '#assistant/frame.ts'
import { openingMessages } from '#assistant/prompt.ts'
import type { AssistantTurn } from '#contract/assistant.ts'

const turn = (question: string, files: readonly string[]): AssistantTurn => ({
  ...newTurn(question, new Date()),
  answer: 'Done.',
  status: 'done',
  commit: 'a'.repeat(40),
  files: [...files],
})
const opening = (before: readonly AssistantTurn[]) =>
  openingMessages({ branch: 'draft', frame: new Frame(), before, question: 'And now?' })

test('of a long conversation the newest turns are told, with all that is said of them within the bound', () => {
  const files = Array.from({ length: bounds.changedFiles }, (_, at) => `guides/page-${at}.mdx`)
  const before = Array.from({ length: 100 }, (_, at) => turn(`Question ${at}`, files))
  const messages = opening(before)
  const told = messages.slice(1, -1)
  expect(told.reduce((sum, { content }) => sum + content.length, 0)).toBeLessThanOrEqual(bounds.history)
  expect(told.length).toBeGreaterThan(10)
  expect(told.at(-2)).toEqual({ role: 'user', content: 'Question 99' })
  expect(messages.at(-1)).toEqual({ role: 'user', content: 'And now?' })
})

test('what was said before is told in its order, and a question that is too long is cut', () => {
  const messages = opening([turn('x'.repeat(50_000), []), turn('Second', ['a.mdx'])])
  expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user', 'assistant', 'user'])
  expect(messages[1]?.content).toMatch(/^x{20000}\n\[cut off\]$/)
  expect(messages[4]?.content).toContain('a.mdx')
})
