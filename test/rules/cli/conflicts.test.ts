import { describe, expect, it } from 'vitest'
import { markedText, showConflict } from '#cli/conflict-text.ts'
import { readEnvironment } from '#cli/environment.ts'
import { Output, printable } from '#cli/output.ts'

describe('what others wrote', () => {
  it('does not steer the terminal in which a conflict is shown', () => {
    const output = new Output(readEnvironment({ color: false }), false)
    const main = 'one\r\n\u001B[2Jtwo\u202E\n'
    const shown = showConflict({ path: 'a.mdx', type: 'content', main, branch: 'three', oids: {} }, output)
    for (const character of ['\u001B', '\u202E', '\r']) expect(shown).not.toContain(character)
    expect(shown).toContain('  main   │ one\n  main   │ \uFFFD[2Jtwo\uFFFD\n')
    expect(shown).toContain('three')
  })

  it('keeps the joiners that scripts and emoji need', () => {
    const text = 'می\u200Cخواهم 👩\u200D🚀 soft\u00ADhyphen\n\ttab'
    expect(printable(text)).toBe(text)
  })
})

const text = (third: string, last = 'line 30'): string =>
  Array.from({ length: 30 }, (_, index) => `line ${index + 1}`)
    .with(2, third)
    .with(29, last)
    .join('\n') + '\n'

describe('a conflict', () => {
  const output = new Output(readEnvironment({ color: false }), false)
  const oids = {}
  const conflict = {
    path: 'a.mdx',
    type: 'content' as const,
    base: text('line 3'),
    main: text('from main', 'last of main'),
    branch: text('from the branch'),
    oids,
  }

  it('is shown by its places, with what stands around them and the side of each line', () => {
    expect(showConflict(conflict, output)).toBe(
      [
        'conflict  a.mdx  content',
        '         │ line 1',
        '         │ line 2',
        '  main   │ from main',
        '  branch │ from the branch',
        '         │ line 4',
        '         │ line 5',
        '         │ line 6',
      ].join('\n'),
    )
  })

  it('says at which line of main each place is', () => {
    const far = { ...conflict, branch: text('from the branch', 'last of the branch') }
    const shown = showConflict(far, output)
    expect(shown).toContain(
      '         │ line 6\n  ── line 27 ──\n         │ line 27\n         │ line 28\n         │ line 29\n' +
        '  main   │ last of main\n  branch │ last of the branch',
    )
    expect(shown).not.toContain('line 15')
  })

  it('says of a side that is deleted that it is', () => {
    const { main, ...rest } = conflict
    expect(main).toBeDefined()
    expect(showConflict({ ...rest, type: 'modify/delete' }, output)).toContain(
      '  main   │ (deleted)\n  branch │ line 1',
    )
  })

  it('is edited with marks around its places alone, and what one side changed is in it', () => {
    expect(markedText(conflict)).toBe(
      text('<<<<<<< main\nfrom main\n=======\nfrom the branch\n>>>>>>> branch', 'last of main'),
    )
  })
})
