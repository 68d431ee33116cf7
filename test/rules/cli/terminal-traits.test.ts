import { describe, expect, it, vi } from 'vitest'
import { readEnvironment, type TerminalTraits } from '#cli/environment.ts'

const about = ['TERM', 'COLORTERM', 'COLORFGBG', 'NO_COLOR', 'FORCE_COLOR', 'TMUX', 'STY', 'WT_SESSION', 'CI']

/** What variables tell of a terminal on which colours are wanted. */
function traits(variables: Readonly<Record<string, string>>, options: { color?: boolean } = {}): TerminalTraits {
  for (const name of about) vi.stubEnv(name, variables[name])
  if (variables['FORCE_COLOR'] === undefined) vi.stubEnv('FORCE_COLOR', 'true')
  return readEnvironment(options).terminal
}

describe('colours', () => {
  it.each([
    [{ TERM: 'xterm', COLORTERM: 'truecolor' }, 'truecolor'],
    [{ TERM: 'xterm-kitty' }, 'truecolor'],
    [{ TERM: 'xterm-direct' }, 'truecolor'],
    [{ TERM: 'xterm-256color' }, '256'],
    [{ TERM: 'tmux-256color', TMUX: 'x', COLORTERM: 'truecolor' }, 'truecolor'],
    [{ TERM: 'screen-256color', STY: '1.pts', COLORTERM: 'truecolor' }, '256'],
    [{ TERM: 'xterm' }, '16'],
    [{ TERM: 'linux' }, '16'],
    [{ TERM: 'vt100' }, 'none'],
    [{ TERM: 'xterm', FORCE_COLOR: '1' }, '16'],
    [{ TERM: 'xterm', FORCE_COLOR: '3' }, 'truecolor'],
    [{ TERM: 'xterm-256color', COLORTERM: 'truecolor', NO_COLOR: '1' }, 'none'],
  ] as const)('of %o: %s', (variables, depth) => {
    expect(traits(variables).colorDepth).toBe(depth)
  })

  it('are none with --no-color', () => {
    expect(traits({ TERM: 'xterm-256color' }, { color: false }).colorDepth).toBe('none')
  })
})

it('light and dark are told by COLORFGBG', () => {
  expect(traits({ COLORFGBG: '0;15' }).shade).toBe('light')
  expect(traits({ COLORFGBG: '15;default;0' }).shade).toBe('dark')
  expect(traits({ COLORFGBG: '12;8' }).shade).toBe('dark')
  expect(traits({ COLORFGBG: 'default' }).shade).toBeUndefined()
  expect(traits({}).shade).toBeUndefined()
})

it('screen and tmux are known, and what screen shows of italics', () => {
  expect(traits({ TERM: 'screen', STY: '1.pts' })).toMatchObject({ multiplexer: 'screen', italic: false })
  expect(traits({ TERM: 'tmux-256color', TMUX: '/tmp/x' })).toMatchObject({ multiplexer: 'tmux', italic: true })
  expect(traits({ TERM: 'xterm' })).toMatchObject({ multiplexer: undefined, italic: true })
})
