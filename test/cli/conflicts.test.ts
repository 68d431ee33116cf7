import { describe, expect, it } from 'vitest'
import { showConflict } from '../../cli/commands/publish.ts'
import { readEnvironment } from '../../cli/environment.ts'
import { Output, printable } from '../../cli/output.ts'

describe('what others wrote', () => {
  it('does not steer the terminal in which a conflict is shown', () => {
    const output = new Output(readEnvironment({ color: false }), false)
    const main = 'one\r\n\u001B[2Jtwo\u202E\n'
    const shown = showConflict({ path: 'a.mdx', type: 'content', main, branch: 'three', oids: {} }, output)
    for (const character of ['\u001B', '\u202E', '\r']) expect(shown).not.toContain(character)
    expect(shown).toContain('  one\n  \uFFFD[2Jtwo\uFFFD\n')
    expect(shown).toContain('three')
  })

  it('keeps the joiners that scripts and emoji need', () => {
    const text = 'می\u200Cخواهم 👩\u200D🚀 soft\u00ADhyphen\n\ttab'
    expect(printable(text)).toBe(text)
  })
})
