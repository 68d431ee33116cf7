import { describe, expect, it } from 'vitest'
import { messageLines } from '#cli/tui/app/message-line.ts'
import { span } from '#cli/tui/canvas/lines.ts'
import { lineText } from '#cli/tui/canvas/width.ts'

const status = [span('812 words · saved ')]

const told = (text: string, { width = 60, most = 4, isWork = false } = {}): readonly string[] =>
  messageLines({ line: text === '' ? [] : [span(` ${text}`)], isWork }, status, { width, most }).map((line) =>
    lineText(line).trimEnd(),
  )

describe('what is told at the bottom', () => {
  it('stands beside what the view says where there is room', () => {
    expect(told('Saved on words.')).toEqual([expect.stringMatching(/^ Saved on words\. +812 words · saved$/)])
    expect(told('')).toEqual([expect.stringMatching(/^ +812 words · saved$/)])
  })

  it('has a row of its own above that where there is none, and what is left stands beside it', () => {
    expect(told('This is what you wrote here and did not save, from an earlier time.')).toEqual([
      ' This is what you wrote here and did not save, from an',
      expect.stringMatching(/^ earlier time\. +812 words · saved$/),
    ])
    expect(told('It cannot be saved: Ada has it open elsewhere.')).toEqual([
      ' It cannot be saved: Ada has it open elsewhere.',
      expect.stringMatching(/^ +812 words · saved$/),
    ])
  })

  it('takes so many rows and no more, however much there is to tell', () => {
    const rows = told('Word after word after word. '.repeat(50).trim())
    expect(rows).toHaveLength(4)
    expect(rows[2]).toMatch(/…$/)
    expect(rows[3]).toMatch(/^ +812 words · saved$/)
    expect(Math.max(...rows.map(({ length }) => length))).toBeLessThan(60)
  })

  it('is cut off beside what the view says while it is of work, which comes and goes', () => {
    expect(told(`Looking for links to ${'deep/'.repeat(12)}page.mdx …`, { isWork: true })).toEqual([
      expect.stringMatching(/^ Looking for links to (?:deep\/)+d?e?e?p?… 812 words · saved$/),
    ])
  })
})
