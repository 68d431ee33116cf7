import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { contract } from '#contract/index.ts'
import type { Pty, PtyOptions } from '#test/support/pty.ts'
import { Writer } from '#test/support/writer.ts'

let writer: Writer

beforeAll(async () => {
  writer = await Writer.start([{ path: 'index.mdx', content: '# Home\n\nWelcome.\n' }])
  const params = { slug: writer.slug }
  await writer.client.call(contract.branches.create, { params, body: { name: 'words' } })
  const settings = join(writer.home, '.config', 'quire')
  await mkdir(settings, { recursive: true })
  await writeFile(join(settings, 'ui.json'), JSON.stringify({ mouse: true, toured: true }))
})
afterAll(() => writer.leaves())

/** The files of the branch. */
async function atFiles(options: PtyOptions = {}): Promise<Pty> {
  const terminal = await writer.opens(options)
  onTestFinished(() => terminal.dispose())
  await terminal.shows('words')
  terminal.key('down')
  await terminal.shows(/ words ─/)
  terminal.key('enter')
  await terminal.shows(/index\.mdx[^]*\d file/)
  return terminal
}

/** The editor with a page of the branch, at its end. */
async function writing(options: PtyOptions = {}): Promise<Pty> {
  const terminal = await atFiles(options)
  terminal.key('enter')
  await terminal.shows('Welcome.')
  await terminal.shows('Ctrl-S')
  terminal.key('ctrl+end', 'enter')
  return terminal
}

/** Nothing of what the UI switches on is left, whatever it was about to write. */
function expectRestored(terminal: Pty): void {
  expect(terminal.isAlternate).toBe(false)
  expect(terminal.modes).toMatchObject({
    bracketedPasteMode: false,
    mouseTrackingMode: 'none',
    synchronizedOutputMode: false,
    wraparoundMode: true,
  })
  expect(terminal.isCursorShown).toBe(true)
}

/** What was typed is there again, and is then forgotten for the next test. */
async function expectKept(words: string): Promise<void> {
  const again = await writer.opens()
  onTestFinished(() => again.dispose())
  await again.shows(/index\.mdx.*words/)
  again.key('enter')
  await again.shows(words)
  await again.shows('Ctrl-S')
  again.key('ctrl+s')
  await again.shows('Saved on words')
  again.key('ctrl+q')
  expect(await again.ended()).toBe(0)
}

describe('a writer in mid-sentence loses neither her words nor her terminal', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGQUIT', 131],
  ] as const)('by %s', async (signal, code) => {
    const terminal = await writing()
    terminal.type(`Words before ${signal}`)
    await terminal.shows(`before ${signal}`)
    terminal.kill(signal)
    expect(await terminal.ended()).toBe(code)
    expectRestored(terminal)
    await expectKept(`Words before ${signal}`)
  })

  it('when the window is closed', async () => {
    const terminal = await writing()
    terminal.type('Words before the end')
    await terminal.shows('before the end')
    terminal.hangUp()
    expect(await terminal.ended()).toBe(129)
    await expectKept('Words before the end')
  })

  it('while it is stopped and goes on', async () => {
    const terminal = await writing()
    terminal.type('Words before a stop')
    await terminal.shows('before a stop')
    terminal.kill('SIGTSTP')
    await terminal.until(() => !terminal.isAlternate, 'the screen to be given back')
    expectRestored(terminal)
    terminal.resize(90, 30)
    // It stops a moment after the screen was given back: what comes before is no way to go on.
    const goesOn = setInterval(() => terminal.kill('SIGCONT'), 100)
    try {
      await terminal.until(() => terminal.isAlternate, 'the screen to be taken again')
    } finally {
      clearInterval(goesOn)
    }
    await terminal.until(() => terminal.rows()[29]?.includes('Ctrl-S') === true, 'the editor')
    await terminal.shows('before a stop')
    expect(terminal.modes).toMatchObject({ bracketedPasteMode: true, mouseTrackingMode: 'drag' })
    terminal.type(', and after')
    await terminal.shows('before a stop, and after')
    terminal.key('ctrl+s')
    await terminal.shows('Saved on words')
    terminal.key('ctrl+q')
    expect(await terminal.ended()).toBe(0)
    expectRestored(terminal)
  })

  it('by a pipe that broke, which is nothing to it', async () => {
    const terminal = await writing()
    terminal.kill('SIGPIPE')
    terminal.type('Words after a pipe')
    await terminal.shows('after a pipe')
    terminal.key('ctrl+s')
    await terminal.shows('Saved on words')
    expect(terminal.hasEnded).toBe(false)
    // Not killed amid what comes after a save: the draft is on the disk until then.
    terminal.key('ctrl+q')
    expect(await terminal.ended()).toBe(0)
  })
})

/**
 * Makes the disk hang where the UI writes, as a server of files does that is gone: not only does no answer come, the
 * thread of Node that waits for it is held, too.
 */
async function withHangingDisk(): Promise<{
  readonly environment: Record<string, string>
  readonly hang: () => Promise<void>
}> {
  const sign = join(writer.home, `hangs-${Date.now()}`)
  const script = `
    import { existsSync } from 'node:fs'
    import files from 'node:fs/promises'
    import { syncBuiltinESMExports } from 'node:module'
    const { open } = files
    files.open = (path, flags, mode) =>
      flags === 'wx' && existsSync('${sign}') ? open('${sign}', 'w') : open(path, flags, mode)
    syncBuiltinESMExports()
  `
  const file = `${sign}.mjs`
  await writeFile(file, script)
  return {
    environment: { NODE_OPTIONS: `--import=${file}` },
    hang: async () => void (await promisify(execFile)('mkfifo', [sign])),
  }
}

describe('a disk that never answers', () => {
  it.each([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('does not hold the end by %s', async (signal, code) => {
    const { environment, hang } = await withHangingDisk()
    const terminal = await writing({ environment })
    await hang()
    terminal.type('Words for no disk')
    await terminal.shows('What you type cannot be kept')
    terminal.kill(signal)
    expect(await terminal.ended()).toBe(code)
    expectRestored(terminal)
  })

  it('does not hold who quits: it is told, and a second Ctrl-Q leaves', async () => {
    const { environment, hang } = await withHangingDisk()
    const terminal = await writing({ environment })
    await hang()
    terminal.type('Words for no disk')
    await terminal.shows('What you type cannot be kept')
    terminal.key('ctrl+q')
    await terminal.shows('What you typed is not safe yet')
    terminal.key('y')
    await terminal.shows('The disk does not answer')
    await terminal.shows(/Not on it yet: index\.mdx/)
    terminal.key('escape')
    await terminal.until(() => !terminal.screen().includes('The disk does not answer'), 'the editor')
    terminal.type(', and more')
    await terminal.shows('Words for no disk, and more')
    terminal.key('ctrl+q')
    await terminal.shows('What you typed is not safe yet')
    terminal.key('y')
    await terminal.shows('The disk does not answer')
    terminal.key('ctrl+q')
    expect(await terminal.ended()).toBe(130)
    expectRestored(terminal)
    expect(terminal.screen()).toContain('What you typed last is not on the disk, and lost: index.mdx')
  })
})

it('a message to the assistant that is not sent outlives kill -9, and can be gone on with', async () => {
  const terminal = await atFiles()
  terminal.type('a')
  await terminal.shows('Say what to do')
  terminal.type('Raise the limit')
  await terminal.shows('Raise the limit')
  await sleep(1_000)
  terminal.kill('SIGKILL')
  await terminal.ended()
  const again = await writer.opens()
  onTestFinished(() => again.dispose())
  await again.shows(/Message to the assistant.*words/)
  again.key('enter')
  await again.shows('Raise the limit')
  again.type(', and say so')
  await again.shows('Raise the limit, and say so')
  again.key('escape')
  await again.shows(/Message to the assistant.*words/)
  again.key('ctrl+q')
  expect(await again.ended()).toBe(0)
  expect(again.screen()).toMatch(/1 draft kept[^]*words › Message to the assistant/)
})
