import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { contract } from '../../src/contract/index.ts'
import type { Pty } from '../support/pty.ts'
import { Writer } from '../support/writer.ts'

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

/** The editor with a page of the branch, at its end. */
async function writing(): Promise<Pty> {
  const terminal = await writer.opens()
  onTestFinished(() => terminal.dispose())
  await terminal.shows('words')
  terminal.key('down')
  await terminal.shows(/ words ─/)
  terminal.key('enter')
  await terminal.shows(/index\.mdx[^]*\d file/)
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
    terminal.kill('SIGCONT')
    await terminal.until(() => terminal.isAlternate && terminal.rows()[29]?.includes('Ctrl-S') === true, 'the editor')
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
  })
})
