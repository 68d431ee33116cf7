import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { Prompt, type Entered } from '#cli/assistant/prompt.ts'

/** Somebody who types at a prompt. */
function somebody() {
  const input = new PassThrough()
  const output = new PassThrough()
  const prompt = new Prompt({ input, output, words: ['/diff', '/undo'] })
  let screen = ''
  output.on('data', (chunk: Buffer) => (screen += chunk.toString()))
  return {
    screen: () => screen,
    types: async (...pieces: string[]): Promise<Entered> => {
      const entered = prompt.read('> ')
      // One at a time, as keys come.
      for (const piece of pieces) {
        input.write(piece)
        await new Promise((resolve) => setImmediate(resolve))
      }
      return entered
    },
  }
}

const paste = (text: string): string => `\u001B[200~${text}\u001B[201~`
const up = '\u001B[A'

describe('the prompt', () => {
  it('sends a line at Enter, and has it in its history', async () => {
    const { types } = somebody()
    expect(await types('first', '\r')).toEqual({ kind: 'text', text: 'first' })
    expect(await types(up, '!', '\r')).toEqual({ kind: 'text', text: 'first!' })
  })

  it('sends what was pasted, many lines of it, only at Enter', async () => {
    const { types } = somebody()
    expect(await types(paste('one\rtwo\rthree'), ' four', '\r')).toEqual({
      kind: 'text',
      text: 'one\ntwo\nthree four',
    })
    expect(await types(paste('one\rtwo\r'), '\r')).toEqual({ kind: 'text', text: 'one\ntwo' })
  })

  it('keeps a paste together where the terminal puts no marks around it', async () => {
    const { types } = somebody()
    expect(await types('one\rtwo\rthree', '\r')).toEqual({ kind: 'text', text: 'one\ntwo\nthree' })
  })

  it('goes on in the next line after a backslash', async () => {
    const { types } = somebody()
    expect(await types('one\\', '\r', 'two', '\r')).toEqual({ kind: 'text', text: 'one\ntwo' })
  })

  it('completes its words, and leaves tabs of a paste', async () => {
    const { types } = somebody()
    expect(await types('/un', '\t', '\r')).toEqual({ kind: 'text', text: '/undo' })
    expect(await types(paste('a\tb'), '\r')).toEqual({ kind: 'text', text: 'a\tb' })
  })

  it('tells a line that was given up, an interruption and the end', async () => {
    const { types } = somebody()
    expect(await types('abc', '\u0003')).toEqual({ kind: 'cleared' })
    expect(await types('\u0003')).toEqual({ kind: 'interrupted' })
    expect(await types('\u0004')).toEqual({ kind: 'ended' })
  })

  it('asks the terminal for marks around pastes only while it reads', async () => {
    const { types, screen } = somebody()
    await types('x', '\r')
    expect([screen().startsWith('\u001B[?2004h'), screen().endsWith('\u001B[?2004l')]).toEqual([true, true])
  })
})
