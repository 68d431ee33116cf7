import { inDepth, isDeep } from '#test/support/depth.ts'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { contract } from '#contract/index.ts'
import type { Pty } from '#test/support/pty.ts'
import { Writer } from '#test/support/writer.ts'

const home = (title: string, words: string): string => `---\ntitle: ${title}\n---\n\n${words}\n\nThe middle.\n`

describe('a writer who publishes', () => {
  let writer: Writer

  beforeAll(async () => {
    writer = await Writer.start(
      [
        { path: 'docs.json', content: JSON.stringify({ name: 'Handbook' }) },
        { path: 'index.mdx', content: home('Home', 'Welcome.') },
      ],
      {},
      isDeep ? 'process' : 'here',
    )
  })
  afterAll(() => writer.leaves())

  /** A branch with a text of the home page; its id. */
  async function branchWith(name: string, content: string): Promise<string> {
    const { client, slug } = writer
    const { id } = await client.call(contract.branches.create, { params: { slug }, body: { name } })
    await client.call(contract.branches.saveFile, {
      params: { slug, id, path: 'index.mdx' },
      body: { content },
      headers: { 'if-match': '*' },
    })
    return id
  }

  /** Somebody else publishes a text of the home page. */
  async function othersPublish(name: string, content: string): Promise<void> {
    const branchId = await branchWith(name, content)
    await writer.client.call(contract.branches.publish, { params: { slug: writer.slug }, body: { branchId } })
  }

  const mainText = async (): Promise<string> => {
    const params = { slug: writer.slug, path: 'index.mdx' }
    return (await writer.client.call(contract.files.read, { params })).content
  }

  /** The terminal UI with a branch selected. */
  async function openedAt(name: string): Promise<Pty> {
    const terminal = await writer.opens({ width: 100, height: 30 })
    onTestFinished(() => terminal.dispose())
    await terminal.shows(name)
    terminal.type(`/${name}`)
    await terminal.shows(`/ ${name}`)
    terminal.key('escape')
    // Whatever comes at once after Esc is a key with Alt.
    await terminal.lacks(`/ ${name}`)
    return terminal
  }

  it('settles conflicts piece by piece, also over the death of the terminal, and is live', async () => {
    await branchWith('mine', home('Mine', 'Words of mine.'))
    await othersPublish('rival', home('Theirs', 'Words of theirs.'))
    const first = await openedAt('mine')
    first.key('P')
    await first.shows('Publish mine to')
    await first.shows('Main has moved on')
    first.key('enter')
    await first.shows('1 of 2: to be decided')
    first.type('1')
    await first.shows('1 piece of 2 to decide')
    first.resize(60, 20)
    await first.shows('2 of 2: to be decided')
    first.resize(100, 30)
    first.type('3')
    await first.lacks('to be decided')
    first.key('ctrl+s')
    await first.shows('all settled')
    // What stands on the screen for a second outlives everything.
    await sleep(1000)
    first.kill('SIGKILL')
    await first.ended()

    const again = await openedAt('mine')
    again.key('P')
    await again.shows('Publish mine to')
    again.key('enter')
    await again.shows('all settled')
    again.key('ctrl+s')
    await again.shows('Live at')
    expect(await mainText()).toBe('---\ntitle: Mine\n---\n\nWords of mine.\nWords of theirs.\n\nThe middle.\n')
    again.key('enter')
    await again.shows('Publish of mine.')
  })

  inDepth(
    'goes on in the middle of a word of hers, after the terminal was killed while she merged by hand',
    async () => {
      await branchWith('palm', home('Palm', 'Words by palm.'))
      await othersPublish('fist', home('Fist', 'Words by fist.'))
      const first = await openedAt('palm')
      first.type('u')
      await first.shows('1 of 2: to be decided')
      first.type('1e')
      await first.shows('Piece 2 of 2: write it')
      first.key('ctrl+a')
      first.type('Half a sen')
      await first.shows('Half a sen')
      // What stands on the screen for a second outlives everything.
      await sleep(1000)
      first.kill('SIGKILL')
      await first.ended()

      const again = await openedAt('palm')
      again.type('u')
      await again.shows('Half a sen')
      again.resize(60, 20)
      await again.shows('Piece 2 of 2: write it')
      again.key('ctrl+end')
      again.type('tence.')
      await again.shows('Half a sentence.')
      again.key('enter', 'escape')
      await again.shows('0 of 1 settled')
      again.key('ctrl+s')
      await again.shows('all settled')
      again.key('ctrl+s')
      await again.shows('palm has all that main has')
      expect(await writer.reads('palm', 'index.mdx')).toBe(home('Palm', 'Half a sentence.'))
    },
  )

  inDepth('loses no word that she wrote by hand in two terminals at once, however both end', async () => {
    await branchWith('left', home('Left', 'Words on the left.'))
    await othersPublish('right', home('Right', 'Words on the right.'))
    const [one, other] = [await openedAt('left'), await openedAt('left')]
    for (const terminal of [one, other]) {
      terminal.type('u')
      await terminal.shows('1 of 2: to be decided')
    }
    one.type('e')
    await one.shows('Piece 1 of 2: write it')
    one.key('ctrl+a')
    one.type('title: Of the one')
    await one.shows('Of the one')
    // So that the other text is the later one.
    await sleep(1000)
    other.type(']e')
    await other.shows('Piece 2 of 2: write it')
    other.key('ctrl+a')
    other.type('Of the other')
    await other.shows('Of the other')
    await sleep(1000)
    one.kill('SIGKILL')
    other.kill('SIGTERM')
    await Promise.all([one.ended(), other.ended()])

    const again = await openedAt('left')
    again.type('u')
    // It goes on with what was being written last; the other text is beside it.
    await again.shows('Of the other')
    again.key('escape')
    await again.shows('in none of these pieces; y copies it')
    expect(again.screen()).toContain('title: Of the one')
  })

  inDepth(
    'is told where the words are that she wrote by hand, where the branch went before she came back',
    async () => {
      const id = await branchWith('brief', home('Brief', 'Brief words.'))
      await othersPublish('long', home('Long', 'Long words.'))
      const first = await openedAt('brief')
      first.type('u')
      await first.shows('1 of 2: to be decided')
      first.type('e')
      await first.shows('Piece 1 of 2: write it')
      first.key('ctrl+a')
      first.type('Half a sen')
      await first.shows('Half a sen')
      await sleep(1000)
      first.kill('SIGKILL')
      await first.ended()
      await writer.client.call(contract.branches.remove, { params: { slug: writer.slug }, query: { id } })

      const again = await writer.opens({ width: 100, height: 30 })
      onTestFinished(() => again.dispose())
      await again.shows('There is nothing to merge any more of index.mdx')
      const names = await readdir(writer.state, { recursive: true })
      const aside = names.find((name) => name.includes('unused-')) ?? ''
      expect(await readFile(join(writer.state, aside), 'utf8')).toBe('index.mdx:\n\nHalf a sen\n')
      expect(again.screen()).toContain(basename(aside).slice(-10))
      again.key('escape')
      await again.lacks('There is nothing to merge any more')
    },
  )

  inDepth('is asked again only where main moved once more, and keeps what she wrote', async () => {
    await branchWith('slow', home('Slow', 'Slow words.'))
    await othersPublish('quick', home('Quick', 'Quick words.'))
    const terminal = await openedAt('slow')
    terminal.type('u')
    await terminal.shows('1 of 2: to be decided')
    terminal.type('11')
    await terminal.lacks('to be decided')
    terminal.key('ctrl+s')
    await terminal.shows('all settled')
    await othersPublish('quicker', home('Quicker', 'Quicker words.'))
    terminal.key('ctrl+s')
    await terminal.shows('index.mdx: a side has moved since you decided')
    await terminal.shows('1 of 2: to be decided')
    terminal.type('11')
    await terminal.lacks('to be decided')
    terminal.key('ctrl+s')
    await terminal.shows('all settled')
    terminal.key('ctrl+s')
    await terminal.shows('slow has all that main has')
    expect(await writer.reads('slow', 'index.mdx')).toBe(home('Slow', 'Slow words.'))
  })

  inDepth('sees why a branch does not build, at its line, and readers see nothing of it', async () => {
    const before = await mainText()
    await branchWith('broken', home('Broken', '<Note>\n\nnot closed {oops'))
    const terminal = await openedAt('broken')
    await terminal.shows('1 error')
    terminal.key('P')
    await terminal.shows(/index\.mdx:\d+/)
    terminal.key('P')
    await terminal.shows('The site does not build')
    terminal.key('enter')
    await terminal.shows('Not published')
    expect(await mainText()).toBe(before)
  })

  inDepth('goes back to an earlier deploy', async () => {
    const terminal = await writer.opens({ width: 100, height: 30 })
    onTestFinished(() => terminal.dispose())
    await terminal.shows('what readers see')
    terminal.type('v')
    await terminal.shows('Deploy of a folder')
    terminal.key('end')
    terminal.type('b')
    await terminal.shows('Go back to deploy 1?')
    terminal.key('enter')
    await terminal.shows('Readers see deploy 1 again')
    expect(await mainText()).toBe(home('Home', 'Welcome.'))
  })

  inDepth('deletes a branch only when its name was typed', async () => {
    const terminal = await openedAt('broken')
    terminal.type('x')
    await terminal.shows('Type broken to go on')
    terminal.type('brok')
    terminal.key('enter')
    await terminal.settled()
    expect(terminal.screen()).toContain('Type broken to go on')
    terminal.type('en')
    terminal.key('enter')
    await terminal.shows('Deleted broken')
    const { items } = await writer.client.call(contract.branches.list, { params: { slug: writer.slug } })
    expect(items.map(({ name }) => name)).not.toContain('broken')
  })
})
