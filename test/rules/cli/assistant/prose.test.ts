import { afterEach, describe, expect, it, vi } from 'vitest'
import { Prose } from '#cli/assistant/prose.ts'
import { readEnvironment } from '#cli/environment.ts'
import { Output } from '#cli/output.ts'

let written = ''
afterEach(() => {
  written = ''
})

/** What stands on standard output when a text has come, letter by letter. */
function shown(text: string, environment: { readonly columns: number | undefined; readonly color: boolean }): string {
  vi.spyOn(process.stdout, 'write').mockImplementation((piece) => {
    written += String(piece)
    return true
  })
  const prose = new Prose(new Output({ ...readEnvironment(), interactive: false, ...environment }, false))
  for (const letter of text) prose.add(letter)
  prose.settle()
  return written
}

const program = { columns: undefined, color: true }
const plain = { columns: 20, color: false }
const styled = { columns: 20, color: true }

describe('an answer', () => {
  it('is what it is for a program, with a line end', () => {
    const text = '# A **b**\n\n- `c`  d\n\n```\n  code\n```\n\n| a |  b |'
    expect(shown(text, program)).toBe(`${text}\n`)
  })

  it('is wrapped at words for people, items below their text', () => {
    expect(shown('one two three four five\n- six seven eight nine ten', plain)).toBe(
      'one two three four\nfive\n- six seven eight\n  nine ten\n',
    )
  })

  it('wraps neither code nor tables', () => {
    const text = '```\na line of code that is long\n```\n| a table | that is long |\n'
    expect(shown(text, plain)).toBe(text)
  })

  it('counts the columns of wide characters', () => {
    expect(shown('文字文字文 文字文字文字', plain)).toBe('文字文字文\n文字文字文字\n')
  })

  it('has styles where there are colours, over the bounds of words, and ends them with the line', () => {
    const text = shown('## Head\na **b c** `d`\n**open\nplain', styled)
    const [head, body, open, last] = text.split('\n')
    expect(head).toBe('\u001B[2m##\u001B[22m \u001B[1mHead\u001B[22m')
    expect(body).toBe('a \u001B[1mb\u001B[22m \u001B[1mc\u001B[22m \u001B[36md\u001B[39m')
    expect(open).toBe('\u001B[1mopen\u001B[22m')
    expect(last).toBe('plain')
  })

  it('cannot steer the terminal', () => {
    expect(shown('a\u001B[2Jb **c\u0007**', styled)).toBe('a\uFFFD[2Jb \u001B[1mc\uFFFD\u001B[22m\n')
  })
})
