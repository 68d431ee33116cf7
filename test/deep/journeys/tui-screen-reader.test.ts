import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { contract } from '#contract/index.ts'
import { Pty } from '#test/support/pty.ts'
import { Writer } from '#test/support/writer.ts'

let writer: Writer

beforeAll(async () => {
  writer = await Writer.start([
    { path: 'docs.json', content: JSON.stringify({ name: 'Handbook' }) },
    { path: 'index.mdx', content: '---\ntitle: Home\n---\n\nWelcome.\n' },
  ])
})
afterAll(() => writer.leaves())

/** Somebody who hears what is written, in order, and nothing else. */
class Listener {
  readonly terminal: Pty
  #heardTo = 0

  constructor() {
    this.terminal = new Pty(['ui'], {
      width: 200,
      height: 50,
      environment: { HOME: writer.home, QUIRE_URL: writer.url, QUIRE_SCREEN_READER: '1' },
    })
    onTestFinished(() => this.terminal.dispose())
  }

  /** Waits for words behind those that were heard before. @returns what they matched */
  async hears(words: RegExp): Promise<RegExpExecArray> {
    const find = (): RegExpExecArray | null => words.exec(this.terminal.output.slice(this.#heardTo))
    await this.terminal.until(() => find() !== null, `${String(words)} to be said`)
    const found = find()
    if (found === null) throw new Error('It was taken back')
    this.#heardTo += found.index + found[0].length
    return found
  }
}

describe('with a screen reader', () => {
  it('a writer signs in, makes a branch, writes, hears what is wrong, saves, publishes and tells of it', async () => {
    const listener = new Listener()
    const { terminal } = listener
    await listener.hears(/Sign in: with a browser.*, 1 of 3\r\n/)
    terminal.key('enter')
    const [, code = ''] = await listener.hears(/user_code=([A-Z-]+) and approve if it shows the code ([A-Z] ?|- ?)+\./)
    await writer.client.call(contract.device.approve, { body: { user_code: code } })
    await listener.hears(/Signed in as ada@example\.com/)
    await listener.hears(/main, what readers see, 1 of 1/)

    terminal.key('n')
    await listener.hears(/New branch\. .*Enter: create\./)
    terminal.key('enter')
    await listener.hears(/Name is needed\./)
    terminal.type('Read aloud')
    await listener.hears(/loud/)
    terminal.key('enter')
    await listener.hears(/Created read-aloud/)
    await listener.hears(/docs\.json, 1 of 2/)
    terminal.key('down')
    await listener.hears(/index\.mdx, 2 of 2/)

    terminal.key('enter')
    await listener.hears(/---, line 1 of 6/)
    terminal.key('ctrl+end')
    await listener.hears(/empty line, line 6 of 6/)
    terminal.type('Good day')
    // As a terminal shows what is typed: letter after letter, on one line.
    await listener.hears(/ood day/)
    terminal.key('ctrl+left')
    await listener.hears(/\r\nday\r\n/)
    terminal.key('left')
    await listener.hears(/space\r\n/)
    terminal.key('end')
    await listener.hears(/end of line/)
    terminal.type(' </b>')
    await listener.hears(/error: /)
    for (let count = 0; count < 5; count++) terminal.key('backspace')
    await listener.hears(/Good day, line \d of \d\r\n/)
    terminal.key('ctrl+s')
    await listener.hears(/Saved on read-aloud/)
    expect(await writer.reads('read-aloud', 'index.mdx')).toContain('Good day')

    terminal.key('ctrl+p')
    await listener.hears(/Commands\. .*1 of \d+/)
    terminal.key('down')
    await listener.hears(/, 2 of \d+/)
    terminal.key('escape')
    await listener.hears(/Good day, line/)
    terminal.key('escape')
    await listener.hears(/index\.mdx, .*2 of 2/)
    terminal.key('P')
    await listener.hears(/Publish read-aloud/)
    terminal.key('enter')
    await listener.hears(/Done\. Live at http\S+/)
    terminal.key('enter')
    await listener.hears(/main, what readers see, 1 of 1/)

    terminal.key('c')
    await listener.hears(/Nothing is written here yet/)
    terminal.key('n')
    await listener.hears(/Title: What is new, in a line/)
    terminal.type('Spoken')
    await listener.hears(/poken/)
    terminal.key('enter')
    terminal.type('Words.')
    await listener.hears(/ords\./)
    terminal.key('alt+p')
    await listener.hears(/Publish the entry\? .*Enter: publish it/)
    terminal.key('enter')
    await listener.hears(/is published\./)
    terminal.key('ctrl+q')
    expect(await terminal.ended()).toBe(0)

    // Pasted text is marked as such, and that is all: nothing is painted, nothing moves.
    expect(terminal.output.replace('\u001B[?2004h', '').replace('\u001B[?2004l', '')).not.toContain('\u001B')
  })

  it('works however small the window is', async () => {
    const listener = new Listener()
    listener.terminal.resize(20, 5)
    await listener.hears(/main, what reader/)
    listener.terminal.key('enter')
    const [place] = await listener.hears(/docs\.json, 1/)
    expect(place).toBe('docs.json, 1')
  })
})
