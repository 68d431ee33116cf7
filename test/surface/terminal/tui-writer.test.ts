import { inDepth } from '#test/support/depth.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Pty } from '#test/support/pty.ts'
import { Writer } from '#test/support/writer.ts'

const guide = [
  '---',
  'title: Guide',
  '---',
  '',
  '# Guide',
  '',
  'The first paragraph.',
  '',
  '## Install',
  '',
  'Run it.',
  '',
].join('\n')

describe('a writer at a terminal', () => {
  let writer: Writer

  beforeAll(async () => {
    writer = await Writer.start(
      [
        { path: 'docs.json', content: JSON.stringify({ name: 'Handbook' }) },
        { path: 'index.mdx', content: '---\ntitle: Home\n---\n\nWelcome.\n' },
        { path: 'guide.mdx', content: guide },
      ],
      {},
      'here',
    )
  })
  afterAll(() => writer.leaves())

  const opensGuide = async (): Promise<Pty> => {
    const terminal = await writer.opens()
    await terminal.shows('new-words')
    terminal.key('down', 'enter')
    await terminal.shows('guide.mdx')
    terminal.key('down', 'enter')
    await terminal.shows('The first paragraph.')
    return terminal
  }

  it('signs in with the code that the screen shows, is taken to the project, and makes a branch', async () => {
    const terminal = await writer.opens()
    await terminal.shows('what readers see')
    expect(terminal.screen()).toContain('handbook')
    terminal.type('n')
    await terminal.shows('New branch')
    terminal.resize(60, 18)
    terminal.type('New Words')
    await terminal.shows('new-words')
    terminal.resize(120, 40)
    await terminal.shows('what readers see')
    terminal.key('enter')
    await terminal.shows('guide.mdx')
    expect(terminal.screen()).toContain('Created new-words')
    terminal.key('ctrl+q')
    expect(await terminal.ended()).toBe(0)
    expect(terminal.isAlternate).toBe(false)
  })

  inDepth(
    'goes on where she is when her session has ended and she has signed in again, and what she typed is saved',
    async () => {
      const terminal = await opensGuide()
      await writer.endsSessions()
      terminal.key('ctrl+end')
      terminal.type('Words of a long day.')
      terminal.key('ctrl+s')
      await terminal.shows('Your session has ended.')
      terminal.resize(70, 24)
      await terminal.shows('Sign in again, and go')
      terminal.key('enter')
      await terminal.shows('with a browser')
      terminal.resize(120, 40)
      await writer.signsIn(terminal)
      await terminal.shows('Words of a long day.')
      terminal.key('ctrl+s')
      await terminal.shows('saved')
      await terminal.settled()
      expect(await writer.reads('new-words', 'guide.mdx')).toContain('Words of a long day.')
    },
  )

  it('sees beside the text what it will look like, below it where the window is narrow', async () => {
    const terminal = await opensGuide()
    terminal.key('f7', 'ctrl+end')
    terminal.type('\n\n**Bold** words')
    await terminal.shows(/│ +Bold words/)
    terminal.resize(80, 24)
    await terminal.shows(/^ Preview ─/m)
    await terminal.shows(/^ +Bold words/m)
    terminal.resize(120, 40)
    terminal.type(' and more')
    await terminal.shows(/│ +Bold words and more/)
    terminal.key('f7')
    await terminal.lacks(/│ +Bold/)
    terminal.key('ctrl+s')
    await terminal.shows('Saved on new-words')
    terminal.key('ctrl+q')
    expect(await terminal.ended()).toBe(0)
  })

  inDepth(
    'is asked once to sign in again, and not at every look; the palette has it when she thinks better of it',
    async () => {
      const terminal = await writer.opens()
      await terminal.shows('new-words')
      await writer.endsSessions()
      terminal.type('r')
      await terminal.shows('Sign in again, and go')
      terminal.key('escape')
      await terminal.lacks('Sign in again, and go')
      terminal.type('r')
      await terminal.shows('then “Sign in again”')
      terminal.key('ctrl+p')
      await terminal.shows('Commands')
      terminal.type('sign in again')
      await terminal.shows('Sign in again')
      terminal.key('enter')
      await terminal.shows('with a browser')
      terminal.resize(80, 24)
      terminal.key('escape')
      await terminal.shows('then “Sign in again”')
      expect(terminal.screen()).not.toContain('with a browser')
      terminal.key('ctrl+q')
      expect(await terminal.ended()).toBe(0)
    },
  )

  inDepth('signs in again at the start, where her session has ended, and is known again', async () => {
    const terminal = await writer.opens()
    await terminal.shows('what readers see')
    await terminal.until(() => terminal.rows()[0]?.includes('ada@example.com') === true, 'her name in the header')
    expect(terminal.screen()).not.toContain('Your session has ended')
  })

  it('is at the welcome after signing out, and nothing is shown of the project', async () => {
    const terminal = await writer.opens()
    await terminal.shows('what readers see')
    terminal.key('ctrl+p')
    await terminal.shows('Commands')
    terminal.type('account sess')
    await terminal.settled()
    terminal.key('enter')
    await terminal.shows('mouse off')
    terminal.key('O')
    await terminal.shows('Sign out')
    terminal.key('enter')
    await terminal.shows('You are not signed in')
    expect(terminal.screen()).not.toContain('handbook')
    expect(terminal.screen()).not.toContain('ada@example.com')
    terminal.key('ctrl+q')
    expect(await terminal.ended()).toBe(0)
  })
})
