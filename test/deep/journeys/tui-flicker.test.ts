import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { contract } from '#contract/index.ts'
import { dist } from '#lib/paths.ts'
import { Pty, type PtyOptions } from '#test/support/pty.ts'
import { Writer } from '#test/support/writer.ts'

const begin = '\u001B[?2026h'
const end = '\u001B[?2026l'
const page = Array.from({ length: 200 }, (_, index) => `Paragraph ${index + 1} of a page that is long.`).join('\n\n')
const width = 120
const height = 40

let writer: Writer

beforeAll(async () => {
  writer = await Writer.start([
    { path: 'index.mdx', content: `# Home\n\n${page}\n` },
    ...Array.from({ length: 60 }, (_, index) => ({ path: `pages/page-${index}.mdx`, content: '# Page\n' })),
  ])
  const params = { slug: writer.slug }
  await writer.client.call(contract.branches.create, { params, body: { name: 'words' } })
  const settings = join(writer.home, '.config', 'quire')
  await mkdir(settings, { recursive: true })
  await writeFile(join(settings, 'ui.json'), JSON.stringify({ toured: true }))
  await mkdir(join(writer.home, 'screens'), { mode: 0o700 })
  const terminal = await writer.opens()
  await terminal.shows('what readers see')
  terminal.key('ctrl+q')
  await terminal.ended()
})
afterAll(() => writer.leaves())

/** The files of the branch. */
async function files(terminal: Pty): Promise<void> {
  await terminal.shows(/words +(?:no changes|\+)/)
  terminal.key('down')
  await terminal.shows(/ words ─/)
  terminal.key('enter')
  await terminal.shows(/61 files/)
  await terminal.settled()
}

async function editor(terminal: Pty): Promise<void> {
  await files(terminal)
  terminal.key('home')
  await terminal.settled()
  terminal.key('end')
  await terminal.settled()
  terminal.key('enter')
  await terminal.shows('Paragraph 1 ')
  await terminal.shows('Ctrl-S')
  await terminal.settled(300)
}

async function opened(options: PtyOptions = {}): Promise<Pty> {
  const terminal = await writer.opens({ width, height, ...options })
  onTestFinished(() => terminal.dispose())
  return terminal
}

/** What is written for a key, until nothing more comes. */
async function writtenFor(terminal: Pty, ...chords: readonly string[]): Promise<string> {
  const before = terminal.output.length
  await terminal.answered(() => terminal.key(...chords))
  await terminal.settled()
  return terminal.output.slice(before)
}

/** No clear of the screen or of what is below, no leaving of it, no scrolling that would be seen. */
function expectCalm(written: string): void {
  for (const clear of ['[J', '[0J', '[1J', '[2J', '[3J', '[?1049', 'c']) expect(written).not.toContain(`\u001B${clear}`)
}

describe('what is written', () => {
  it('is a few bytes for a letter or a move, and at most the rows that differ for what is opened', async () => {
    const terminal = await opened()
    await editor(terminal)
    const most: readonly (readonly [bytes: number, ...chords: string[]])[] = [
      // The word count and the state at the bottom are a part of it.
      [400, 'down'],
      [400, 'x'],
      [400, 'y'],
      [400, 'left'],
      [400, 'backspace'],
      [7000, 'pagedown'],
      [7000, 'pageup'],
      [6000, 'ctrl+p'],
      [6000, 'escape'],
      [8000, 'f1'],
      [8000, 'escape'],
      [6000, 'ctrl+f'],
    ]
    for (const [bytes, ...chords] of most) {
      const written = await writtenFor(terminal, ...chords)
      expectCalm(written)
      expect([chords.join(), Buffer.byteLength(written) <= bytes, bytes, Buffer.byteLength(written)]).toEqual([
        chords.join(),
        true,
        bytes,
        expect.anything(),
      ])
    }
    terminal.key('escape')
    await terminal.settled()
    terminal.key('ctrl+s')
    await terminal.shows('Saved on words')
  })

  it('is two rows for a step in a list', async () => {
    const terminal = await opened()
    await files(terminal)
    terminal.key('home', 'right')
    await terminal.shows('page-10.mdx')
    await terminal.settled()
    // The keys of a folder are others than those of a file.
    await writtenFor(terminal, 'down')
    for (let step = 0; step < 5; step++) {
      const written = await writtenFor(terminal, 'down')
      expectCalm(written)
      // The preview of the file at the right is written as well.
      expect(Buffer.byteLength(written)).toBeLessThan(1200)
    }
  })

  it('is shown at once where the terminal knows how, each frame by itself', async () => {
    const terminal = await opened()
    await editor(terminal)
    const written = await writtenFor(terminal, 'pagedown')
    expect(written.split(begin)).toHaveLength(written.split(end).length)
    expect(written.startsWith(begin)).toBe(true)
    expect(written.endsWith(end)).toBe(true)
  })

  it('is a whole screen after a resize, without a clear', async () => {
    const terminal = await opened()
    await editor(terminal)
    const before = terminal.output.length
    terminal.resize(100, 30)
    await terminal.until(() => terminal.rows()[29]?.includes('Ctrl-S') === true, 'the last row')
    await terminal.settled()
    expectCalm(terminal.output.slice(before))
    expect(Buffer.byteLength(terminal.output.slice(before))).toBeLessThan(3 * 100 * 30)
  })
})

describe('in a multiplexer', () => {
  const quire = `${process.execPath} ${join(dist, 'quire.js')} ui`

  it.each([
    ['tmux', (socket: string) => ['-S', socket, '-f', '/dev/null', 'new-session', quire]],
    ['screen', (socket: string) => ['-c', '/dev/null', '-S', socket, 'sh', '-c', quire]],
  ] as const)('%s shows the same, and gives the terminal back', async (program, words) => {
    const isThere = await promisify(execFile)('which', [program]).then(
      () => true,
      () => false,
    )
    if (!isThere) return
    const socket = program === 'tmux' ? join(writer.home, 'tmux') : `quire-${process.pid}`
    const terminal = new Pty(words(socket), {
      program,
      width,
      height,
      environment: {
        HOME: writer.home,
        QUIRE_URL: writer.url,
        LANG: 'C.UTF-8',
        SCREENDIR: join(writer.home, 'screens'),
      },
    })
    onTestFinished(() => terminal.dispose())
    await editor(terminal)
    terminal.key('ctrl+end')
    terminal.type('Words 漢字 😀 here')
    await terminal.shows(/Words 漢字 ?.. ?here|Words 漢字 😀/)
    terminal.resize(90, 30)
    await terminal.shows(/Words 漢字/)
    await terminal.shows('Ctrl-S')
    terminal.key('ctrl+s')
    await terminal.shows('Saved on words')
    terminal.key('ctrl+q')
    await terminal.ended()
    expect(terminal.modes).toMatchObject({ bracketedPasteMode: false, mouseTrackingMode: 'none' })
  })
})
