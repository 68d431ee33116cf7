import { inDepth, isDeep } from '#test/support/depth.ts'
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { contract } from '#contract/index.ts'
import type { Pty } from '#test/support/pty.ts'
import { Writer } from '#test/support/writer.ts'

/** What stands on the screen for so long outlives everything, in milliseconds. */
const safeAfter = 1_000
const first = 'One\r\nTwo\r\nlast without an end'
const marked = '\uFEFF# Marked\n\nText.\n'

/**
 * Somebody writes, and everything else goes wrong. Services and terminals are started in most tests, and a connection that
 * was lost is tried again only after a while, up to half a minute.
 */
describe('words at a terminal', { timeout: 300_000 }, () => {
  let writer: Writer
  let id: string
  const open: Pty[] = []

  beforeAll(async () => {
    writer = await Writer.start(
      [
        { path: 'docs.json', content: JSON.stringify({ name: 'Handbook' }) },
        { path: 'index.mdx', content: '# Home\n' },
        ...[
          'killed',
          'served',
          'hung',
          'ended',
          'shared',
          'both',
          'away',
          'moved',
          'handed',
          'lent',
          'cursor',
          'taken',
        ].map((name) => ({
          path: `${name}.mdx`,
          content: `# Page\n\nThe first paragraph.\n\nThe second one.\n`,
        })),
        { path: 'windows.md', content: first },
        { path: 'marked.md', content: marked },
      ],
      {},
      isDeep ? 'process' : 'here',
    )
    const params = { slug: writer.slug }
    const branch = await writer.client.call(contract.branches.create, { params, body: { name: 'words' } })
    id = branch.id
  })
  afterAll(() => writer.leaves())
  afterEach(async () => {
    for (const terminal of open.splice(0)) await terminal.dispose()
  })

  const starts = async (environment: Readonly<Record<string, string>> = {}): Promise<Pty> => {
    const terminal = await writer.opens({ environment })
    open.push(terminal)
    return terminal
  }
  /** From wherever a start leads to. */
  const opensPage = async (path: string, environment: Readonly<Record<string, string>> = {}): Promise<Pty> => {
    const terminal = await starts(environment)
    await terminal.shows(/live|draft, not/)
    await terminal.settled(300)
    if (!terminal.screen().includes('what readers see')) terminal.key('end', 'enter')
    await terminal.shows(/words +(?:no changes|\+)/)
    await terminal.settled(300)
    terminal.key('end')
    await terminal.shows(/ words ─/)
    terminal.key('enter')
    await terminal.shows('docs.json')
    terminal.type('/')
    await terminal.settled()
    terminal.type(path)
    await terminal.settled()
    terminal.key('enter')
    await terminal.shows(/\d+:\d+ · (?:saved|draft|waiting|conflict)/)
    return terminal
  }
  const saves = async (path: string, content: string): Promise<void> => {
    const params = { slug: writer.slug, id, path }
    await writer.client.call(contract.branches.saveFile, { params, body: { content }, headers: { 'if-match': '*' } })
  }
  const commits = async (): Promise<number> =>
    (await writer.client.call(contract.branches.history, { params: { slug: writer.slug, id } })).items.length
  const drafts = async (): Promise<string[]> => {
    const names = await readdir(writer.state, { recursive: true }).catch(() => [])
    return names.filter((name) => name.endsWith('.draft')).map((name) => join(writer.state, name))
  }

  it('are there again after the UI was killed, with the cursor where it was', async () => {
    const terminal = await opensPage('killed.mdx')
    terminal.key('down', 'down', 'end')
    terminal.type(' Typed – 漢字 👩‍👩‍👧.')
    await terminal.shows('Typed')
    await sleep(safeAfter)
    const { cursor } = terminal
    terminal.kill('SIGKILL')
    await terminal.ended()

    const [file = ''] = await drafts()
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const next = await starts()
    await next.shows('draft, not saved')
    next.key('home', 'enter')
    await next.shows('The first paragraph. Typed – 漢字')
    expect(next.cursor).toEqual(cursor)
    next.key('ctrl+s')
    await next.shows('Saved on words')
    expect(await writer.reads('words', 'killed.mdx')).toContain('The first paragraph. Typed – 漢字 👩‍👩‍👧.\n')
    expect(await drafts()).toEqual([])
  })

  inDepth('arrive once, though the service is killed while they are saved', async () => {
    const terminal = await opensPage('served.mdx')
    terminal.key('ctrl+end')
    for (const round of [1, 2, 3]) {
      const before = await commits()
      terminal.type(`round ${round}. `)
      await terminal.shows(`round ${round}`)
      terminal.key('ctrl+s')
      await sleep(10 * round)
      await writer.killService()
      await terminal.shows(/waiting for the connection|· saved/)
      terminal.type(`more ${round}. `)
      terminal.key('ctrl+s')
      await terminal.shows('waiting for the connection')
      await writer.restartService()
      await terminal.shows('· saved', 60_000)
      expect(await writer.reads('words', 'served.mdx')).toContain(`round ${round}. more ${round}. `)
      expect((await commits()) - before).toBeLessThanOrEqual(2)
    }
  })

  it('of two people are merged piece by piece, and saved as was decided', async () => {
    const terminal = await opensPage('shared.mdx')
    terminal.key('down', 'down', 'end')
    terminal.type(' MINE')
    terminal.key('ctrl+end', 'up', 'end')
    terminal.type(' MINE')
    await terminal.settled()
    await saves('shared.mdx', '# Page\n\nThe first paragraph. THEIRS\n\nThe second one. THEIRS\n')
    terminal.key('ctrl+s')
    await terminal.shows('of 2 decided')
    terminal.type('1')
    await terminal.shows('1 of 2 decided')
    terminal.type('e')
    await terminal.shows('write it as it should be')
    terminal.key('ctrl+home')
    terminal.type('WRITTEN ')
    terminal.key('escape')
    await terminal.shows('all decided')
    // Back and again: what was decided is as it was.
    terminal.key('escape')
    await terminal.shows('· conflict')
    terminal.key('ctrl+s')
    await terminal.shows('all decided')
    terminal.key('ctrl+s')
    await terminal.shows('Saved on words')
    expect(await writer.reads('words', 'shared.mdx')).toMatch(
      /^# Page\n\nThe first paragraph\. MINE\n\nWRITTEN The second one\./,
    )
  })

  inDepth('in two terminals are a draft each, and the second to save merges', async () => {
    const one = await opensPage('both.mdx')
    one.type('of one ')
    await one.shows('of one')
    await sleep(safeAfter)
    const other = await opensPage('both.mdx')
    await other.shows('another terminal')
    other.type('of two ')
    await other.shows('of two')
    one.key('ctrl+s')
    await one.shows('Saved on words')
    other.key('ctrl+s')
    await other.shows('of 1 decided')
    other.type('3')
    await other.shows('all decided')
    other.key('ctrl+s')
    await other.shows('Saved on words')
    const text = await writer.reads('words', 'both.mdx')
    expect([text.includes('of one'), text.includes('of two')]).toEqual([true, true])
  })

  inDepth('are written offline from the first moment on, and arrive when the service is back', async () => {
    const before = await opensPage('away.mdx')
    before.key('ctrl+q')
    await before.ended()
    await writer.killService()
    const terminal = await opensPage('away.mdx')
    await terminal.shows('offline')
    terminal.type('from a train ')
    terminal.key('ctrl+s')
    await terminal.shows('waiting for the connection')
    terminal.key('ctrl+q')
    expect(await terminal.ended()).toBe(0)
    expect(terminal.output).toContain('saved when the service can be reached')
    await writer.restartService()
    const next = await starts()
    await next.until(() => true, 'a start')
    await expect.poll(() => writer.reads('words', 'away.mdx'), { timeout: 30_000 }).toContain('from a train')
  })

  inDepth('outlive that somebody deletes the page meanwhile', async () => {
    const terminal = await opensPage('moved.mdx')
    terminal.type('still here ')
    await terminal.settled()
    const params = { slug: writer.slug, id, path: 'moved.mdx' }
    await writer.client.call(contract.branches.removeFile, { params, headers: { 'if-match': '*' } })
    terminal.key('ctrl+s')
    await terminal.shows('Somebody deleted this page')
    terminal.key('enter')
    await terminal.shows('Saved on words')
    expect(await writer.reads('words', 'moved.mdx')).toContain('still here')
  })

  inDepth('go to the editor of the person, and come back to the same place', async () => {
    const editor = join(writer.home, 'editor.sh')
    await writeFile(editor, '#!/bin/sh\nprintf "Added there.\\n" >> "$1"\n')
    await chmod(editor, 0o755)
    const terminal = await opensPage('handed.mdx', { EDITOR: editor })
    terminal.key('down', 'down', 'end')
    await terminal.settled()
    const { cursor } = terminal
    terminal.key('ctrl+e')
    await terminal.shows('Added there.')
    expect(terminal.cursor).toEqual(cursor)
    terminal.key('ctrl+z')
    await terminal.lacks('Added there.')
    await terminal.shows('· saved')
    terminal.key('ctrl+y', 'ctrl+s')
    await terminal.shows('Saved on words')
    expect(await writer.reads('words', 'handed.mdx')).toMatch(/The second one\.\nAdded there\.\n$/)
  })

  inDepth('are found again where the terminal UI is killed while the editor of the person has them', async () => {
    const editor = join(writer.home, 'slow-editor.sh')
    await writeFile(editor, '#!/bin/sh\nprintf "Written there.\\n" >> "$1"\necho editing\nread answer\n')
    await chmod(editor, 0o755)
    const terminal = await opensPage('lent.mdx', { EDITOR: editor })
    terminal.type('Typed here. ')
    terminal.key('ctrl+e')
    await terminal.shows('editing')
    process.kill(terminal.pid, 'SIGKILL')
    await terminal.ended()
    const next = await opensPage('lent.mdx')
    await next.shows('did not save')
    expect(next.screen()).toMatch(/Typed here\./)
    expect(next.screen()).toContain('Written there.')
    next.key('ctrl+s')
    await next.shows('Saved on words')
    expect(await writer.reads('words', 'lent.mdx')).toMatch(/Written there\.\n$/)
  })

  inDepth('are taken back to the beginning, and nothing is asked or kept', async () => {
    const terminal = await opensPage('taken.mdx')
    terminal.type('one two')
    terminal.key('enter')
    terminal.paste('pasted\nlines')
    await terminal.shows('pasted')
    await sleep(safeAfter)
    expect(await drafts()).not.toEqual([])
    for (let times = 0; times < 12; times++) terminal.key('ctrl+z')
    await terminal.lacks('one two')
    await terminal.shows('· saved')
    terminal.key('ctrl+q')
    expect(await terminal.ended()).toBe(0)
    expect(await drafts()).toEqual([])
    expect(terminal.output).not.toContain('kept on this machine, not saved')
  })

  inDepth(
    'leave all other bytes as they are: ends of lines, the mark at the start, no newline at the end',
    async () => {
      for (const [path, expected] of [
        ['windows.md', `X${first}`],
        ['marked.md', `\uFEFFX${marked.slice(1)}`],
      ] as const) {
        const terminal = await opensPage(path)
        terminal.key('ctrl+home')
        terminal.type('X')
        terminal.key('ctrl+s')
        await terminal.shows('Saved on words')
        terminal.key('ctrl+q')
        expect(await terminal.ended()).toBe(0)
        expect(await writer.reads('words', path)).toBe(expected)
      }
    },
  )

  inDepth('can be read again at the place where the cursor went after the last of them', async () => {
    const terminal = await opensPage('cursor.mdx')
    terminal.type('typed ')
    await sleep(safeAfter)
    terminal.key('down', 'down')
    await terminal.settled()
    await sleep(safeAfter)
    const { cursor } = terminal
    terminal.kill('SIGKILL')
    await terminal.ended()
    const next = await opensPage('cursor.mdx')
    await next.shows('typed # Page')
    expect(next.cursor).toEqual(cursor)
    expect(await readFile((await drafts())[0] ?? '', 'utf8')).toContain('typed # Page')
  })
})
