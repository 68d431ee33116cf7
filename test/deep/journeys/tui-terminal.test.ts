import { mkdir, readFile, readdir, stat } from 'node:fs/promises'
import { execFile } from 'node:child_process'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { root } from '#lib/paths.ts'
import { Pty, type PtyOptions } from '#test/support/pty.ts'
import { removeDirectory, temporaryDirectory } from '#test/support/temporary.ts'

const script = join(root, 'node_modules', '.cache', `quire-terminal-sample-${process.pid}.mjs`)

beforeAll(async () => {
  await mkdir(dirname(script), { recursive: true })
  const bundle = await rolldown({ input: join(root, 'test/support/terminal-sample.ts'), platform: 'node' })
  await bundle.write({ file: script, format: 'esm' })
  await bundle.close()
})
afterAll(() => removeDirectory(script))

/** The sample program at a terminal, once it has drawn. */
async function sample(words: readonly string[] = [], options: PtyOptions = {}): Promise<Pty> {
  const pty = new Pty(words, options, script)
  onTestFinished(() => pty.dispose())
  await pty.shows(words.includes('--linear') ? 'ready' : 'the last row')
  return pty
}

/** Nothing of what the UI switches on is left. */
function expectRestored(pty: Pty): void {
  expect(pty.isAlternate).toBe(false)
  expect(pty.modes).toMatchObject({ bracketedPasteMode: false, mouseTrackingMode: 'none', wraparoundMode: true })
  expect(pty.output.lastIndexOf('\u001B[?25h')).toBeGreaterThan(pty.output.lastIndexOf('\u001B[?25l'))
}

test('draws, and shows what is typed, pasted and clicked', async () => {
  const pty = await sample(['--mouse'])
  expect(pty.isAlternate).toBe(true)
  pty.key('a', 'ctrl+left')
  await pty.shows('ctrl+left')
  pty.paste('two\nlines')
  await pty.shows('pasted 9')
  pty.mouse('press', 3, 4)
  await pty.shows('press 3,4')
  expect(pty.cells(0)[1]?.bold).toBe(true)
})

test('stops and leaves the terminal as it was', async () => {
  const pty = await sample()
  pty.key('ctrl+q')
  expect(await pty.ended()).toBe(0)
  await pty.shows('stopped')
  expectRestored(pty)
})

describe('every signal', () => {
  test.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
    ['SIGHUP', 129],
    ['SIGQUIT', 131],
  ] as const)('restores the terminal: %s', async (signal, code) => {
    const pty = await sample(['--mouse'])
    pty.kill(signal)
    expect(await pty.ended()).toBe(code)
    await pty.shows('left: signal')
    expectRestored(pty)
  })
})

test.each([
  ['an exception', 'ctrl+t'],
  ['a rejection', 'ctrl+r'],
])('%s leaves a usable terminal and a log', async (_, key) => {
  const state = await temporaryDirectory()
  const pty = await sample([], { environment: { XDG_STATE_HOME: state }, width: 200 })
  pty.key(key)
  expect(await pty.ended()).toBe(1)
  await pty.shows(join(state, 'quire', 'crash-'))
  expectRestored(pty)
  const [name = ''] = await readdir(join(state, 'quire'))
  const log = join(state, 'quire', name)
  expect((await stat(log)).mode & 0o777).toBe(0o600)
  expect(await readFile(log, 'utf8')).toMatch(/Planted|Nobody waits/)
  // What an error says is not obeyed.
  expect(pty.output).not.toContain('\u001B[31mhere')
})

describe('another program', () => {
  test('has the terminal, with its keys, and gives it back', async () => {
    const pty = await sample()
    pty.key('x', 'ctrl+e')
    await pty.until(() => !pty.isAlternate && pty.screen().includes('lent'), 'the terminal to be lent')
    expect(pty.modes.bracketedPasteMode).toBe(false)
    pty.type('word\r')
    await pty.shows('read word')
    pty.type('\r')
    await pty.until(() => pty.isAlternate && pty.screen().includes('the last row'), 'the UI')
    pty.key('y')
    await pty.shows(/x\s+ctrl\+e\s+y/)
    expect(pty.screen()).not.toContain('word')
  })

  test('may be resized and interrupted meanwhile', async () => {
    const pty = await sample()
    pty.key('ctrl+e')
    await pty.shows('lent')
    pty.resize(100, 30)
    pty.key('ctrl+c')
    await pty.shows('sample 100x30')
    pty.key('z')
    await pty.shows('z')
    expect(pty.isAlternate).toBe(true)
  })

  test('gets the screen when the process is stopped from outside', async () => {
    const pty = await sample(['--mouse'])
    pty.kill('SIGTSTP')
    await pty.until(() => !pty.isAlternate, 'the screen to be given back')
    expectRestored(pty)
    pty.kill('SIGCONT')
    await pty.shows('the last row')
    expect(pty.isAlternate).toBe(true)
    expect(pty.modes).toMatchObject({ bracketedPasteMode: true, mouseTrackingMode: 'drag' })
    pty.key('b')
    await pty.shows(/^b$/m)
  })

  test('may have used the screen while the process was stopped without a word', async () => {
    const pty = await sample()
    pty.kill('SIGSTOP')
    pty.kill('SIGCONT')
    pty.key('b')
    await pty.shows(/^b$/m)
    await pty.until(() => pty.output.split('\u001B[?1049h').length === 3, 'the terminal to be taken again')
    expect(pty.isAlternate).toBe(true)
  })
})

test('a terminal that is closed ends it', async () => {
  const pty = await sample()
  pty.hangUp()
  expect(await pty.ended()).toBe(129)
})

describe('sizes', () => {
  test.each([
    [80, 24],
    [40, 15],
    [300, 80],
    [13, 3],
  ])('%i × %i', async (width, height) => {
    const pty = await sample([], { width, height })
    expect(pty.rows()[0]).toContain(' sample')
    expect(pty.rows().at(-1)).toBe('the last row')
  })

  test('a storm of resizes ends with the whole screen', async () => {
    const pty = await sample()
    for (let n = 0; n < 60; n++) pty.resize(40 + ((n * 37) % 120), 10 + ((n * 13) % 40))
    pty.resize(91, 29)
    await pty.shows('sample 91x29')
    await pty.until(() => pty.rows()[28] === 'the last row', 'the last row in its place')
    expect(pty.rows().slice(2, 28).join('').trim()).toBe('')
  })

  test('a window that has another size for a moment only ends with the whole screen', async () => {
    const pty = await sample()
    const whole = pty.screen()
    for (let times = 0; times < 10; times++) {
      pty.resize(40, 8)
      pty.resize(80, 24)
      await pty.until(() => pty.screen() === whole, 'what stood there before')
    }
    expect(pty.size).toEqual({ width: 80, height: 24 })
  })
})

describe('colours', () => {
  const heading = async (environment: Record<string, string | undefined>, background?: string) => {
    const pty = await sample([], { environment, ...(background === undefined ? {} : { background }) })
    if (background !== undefined) await pty.settled()
    return { heading: pty.cellOf('heading'), selected: pty.cellOf('selected') }
  }

  test('truecolor where the terminal knows it', async () => {
    const { heading: shown } = await heading({ COLORTERM: 'truecolor' })
    expect(shown.color).toBe('#afd7ff')
  })

  test('256 and 16 elsewhere', async () => {
    expect((await heading({ TERM: 'xterm-256color' })).heading.color).toBe(153)
    const { heading: shown, selected } = await heading({ TERM: 'xterm' })
    expect(shown.color).toBe(12)
    expect(selected.background).toBe(4)
  })

  test('none where the person wants none', async () => {
    const { heading: shown, selected } = await heading({ NO_COLOR: '1', COLORTERM: 'truecolor' })
    expect(shown).toMatchObject({ color: undefined, bold: true })
    expect(selected).toMatchObject({ background: undefined, inverse: true })
  })

  test('of a light terminal, when it says so', async () => {
    expect((await heading({ COLORTERM: 'truecolor' }, 'ffff/ffff/ffff')).heading.color).toBe('#00005f')
    expect((await heading({ COLORTERM: 'truecolor', COLORFGBG: '0;15' })).heading.color).toBe('#00005f')
    expect((await heading({ COLORTERM: 'truecolor', COLORFGBG: '0;15' }, '0000/0000/0000')).heading.color).toBe(
      '#afd7ff',
    )
  })
})

test('a slow line gets the last frame, not all of them, and holds nothing', async () => {
  const pty = await sample([], { width: 200, height: 50 })
  const before = pty.bytes
  pty.pause()
  pty.key('ctrl+l', 'a')
  await sleep(2500)
  pty.key('b')
  await sleep(200)
  pty.resume()
  await pty.shows('turned')
  await pty.shows(/^b$/m)
  // A frame is 10 kB, and there were a thousand.
  expect(pty.bytes - before).toBeLessThan(200_000)
})

describe('tmux', () => {
  test('shows and hears the same', async () => {
    const socket = join(await temporaryDirectory(), 'tmux')
    const tmux = ['tmux', '-S', socket, '-f', '/dev/null']
    const command = [process.execPath, script, '--mouse'].join(' ')
    const pty = new Pty([...tmux.slice(1), 'new-session', command], {
      program: 'tmux',
      environment: { LANG: 'C.UTF-8' },
      width: 90,
      height: 28,
    })
    onTestFinished(async () => {
      await promisify(execFile)('tmux', [...tmux.slice(1), 'kill-server']).catch(() => {})
      await pty.dispose()
    })
    await pty.shows('sample 90x27')
    expect(pty.screen()).toContain('漢字')
    pty.key('alt+left', 'f5')
    await pty.shows('f5')
    expect(pty.screen()).toContain('alt+left')
    pty.resize(70, 20)
    await pty.shows('sample 70x19')
    pty.key('ctrl+q')
    await pty.ended()
  })
})

describe('for a screen reader', () => {
  test('lines come one after another, and nothing is painted', async () => {
    const pty = await sample(['--linear'])
    pty.key('a', 'up')
    await pty.shows('up')
    pty.paste('two\nlines')
    await pty.shows('pasted 9: two lines')
    pty.key('ctrl+q')
    expect(await pty.ended()).toBe(0)
    expect(pty.isAlternate).toBe(false)
    // Pasted text is marked as such, and that is all.
    expect(pty.output.replace('\u001B[?2004h', '').replace('\u001B[?2004l', '')).not.toContain('\u001B')
    expect(pty.rows().slice(0, 3)).toEqual(['ready', 'a', 'up'])
  })

  test('every signal gives the terminal back', async () => {
    const pty = await sample(['--linear'])
    pty.kill('SIGTERM')
    expect(await pty.ended()).toBe(143)
    expect(pty.modes.bracketedPasteMode).toBe(false)
  })
})
