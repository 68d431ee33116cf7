import { inDepth } from '#test/support/depth.ts'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contract } from '#contract/index.ts'
import { startModelServer, type ModelReply, type ModelServer, type WireMessage } from '#test/support/model-server.ts'
import type { Pty } from '#test/support/pty.ts'
import { Writer } from '#test/support/writer.ts'

const edit = { name: 'edit_file', arguments: { path: 'index.mdx', find: 'Welcome', replace: 'Good day' } }

/** Edits once, and waits for ever where it is told to. */
function answer(messages: readonly WireMessage[]): ModelReply {
  const at = messages.findLastIndex(({ role }) => role === 'user')
  if (messages[at]?.content?.includes('wait') === true)
    return { chunks: ['I am ', 'at it'], failAfter: { chunks: 1, how: 'hang' } }
  const isDone = messages.slice(at).some(({ role }) => role === 'tool')
  return isDone ? { chunks: ['It greets **politely** now.'] } : { chunks: ['Looking.'], calls: [edit] }
}

describe('the files of a branch at a terminal', () => {
  let writer: Writer
  let model: ModelServer
  let terminal: Pty
  let branch: string

  beforeAll(async () => {
    model = await startModelServer(({ body }) => answer(body.messages))
    writer = await Writer.start(
      [
        { path: 'docs.json', content: JSON.stringify({ name: 'Handbook', navigation: { pages: ['index', 'guide'] } }) },
        { path: 'index.mdx', content: '---\ntitle: Home\n---\n\nWelcome. Read the [guide](/guide#install).\n' },
        { path: 'guide.mdx', content: '---\ntitle: Guide\n---\n\n## Install\n\nRun it.\n' },
      ],
      model.settings,
      'here',
    )
    const params = { slug: writer.slug }
    const created = await writer.client.call(contract.branches.create, { params, body: { name: 'words' } })
    branch = created.name
    terminal = await writer.opens()
    await terminal.shows('words')
    terminal.key('down', 'enter')
    await terminal.shows('guide.mdx')
  })
  afterAll(async () => {
    await writer.leaves()
    await model.close()
  })

  const read = (path: string): Promise<string> => writer.reads(branch, path)

  it('shows the selected page as readers see it', async () => {
    terminal.key('end')
    await terminal.shows('Welcome. Read the guide')
    expect(terminal.screen()).not.toContain('](/guide')
  })

  it('renames a page, and the links to it follow', async () => {
    terminal.key('home', 'down')
    await terminal.shows('Run it.')
    terminal.type('R')
    await terminal.shows('2 links to it: in docs.json, index.mdx.')
    terminal.key('ctrl+u')
    terminal.type('start/install')
    terminal.key('enter')
    await terminal.shows('2 links mended')
    expect(await read('start/install.mdx')).toContain('Run it.')
    expect(await read('index.mdx')).toContain('[guide](/start/install#install)')
    expect(await read('docs.json')).toContain('"start/install"')
  })

  inDepth('moves a folder, and the links follow', async () => {
    terminal.key('home')
    terminal.type('R')
    await terminal.shows('Rename start/')
    terminal.key('ctrl+u')
    terminal.type('more/begin')
    terminal.key('enter')
    await terminal.shows('start/ is more/begin/ now; 2 links mended.')
    expect(await read('index.mdx')).toContain('[guide](/more/begin/install#install)')
    terminal.type('R')
    await terminal.shows('Rename more/begin/')
    terminal.key('ctrl+u')
    terminal.type('start')
    terminal.key('enter')
    await terminal.shows('more/begin/ is start/ now; 2 links mended.')
    expect(await read('docs.json')).toContain('"start/install"')
  })

  it('finds a page by some letters, and a text in all of them', async () => {
    terminal.type('/stin')
    await terminal.shows('/ stin')
    await terminal.shows('\n start/install.mdx')
    terminal.key('escape')
    await terminal.shows('▾ start/')
    terminal.type('f')
    await terminal.shows('Search:')
    terminal.type('run it')
    await terminal.shows('start/install.mdx:7')
    expect(terminal.screen()).toContain('1 line in 3 files')
    terminal.key('escape')
    await terminal.shows('docs.json')
  })

  it('makes a page of a title', async () => {
    terminal.key('end')
    terminal.type('n')
    await terminal.shows('New page')
    terminal.type('Rate Limits')
    terminal.key('enter')
    await terminal.shows('rate-limits.mdx')
    terminal.key('enter')
    await terminal.shows('Show rate-limits.mdx in the navigation?')
    terminal.key('enter')
    await terminal.shows('docs.json is saved.')
    await terminal.shows('› words ›')
    expect(JSON.parse(await read('docs.json'))).toMatchObject({
      navigation: { pages: ['index', 'rate-limits', 'start/install'] },
    })
    expect(await read('rate-limits.mdx')).toContain('title: "Rate Limits"')
    terminal.key('escape')
    await terminal.shows('+ rate-limits.mdx')
  })

  it('deletes a page and takes it back', async () => {
    terminal.type('/index')
    await terminal.shows('\n index.mdx')
    terminal.key('enter')
    await terminal.shows('› words ›')
    terminal.key('escape')
    await terminal.shows('▾ start/')
    terminal.type('x')
    await terminal.shows('Delete index.mdx?')
    terminal.key('enter')
    await terminal.shows('- index.mdx')
    terminal.type('u')
    await terminal.shows('index.mdx is as on main.')
    expect(await read('index.mdx')).toContain('[guide](/guide#install)')
  })

  it('uploads an image whose path is pasted', async () => {
    const folder = join(writer.home, 'my pictures')
    await mkdir(folder)
    const bytes = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0xff])
    await writeFile(join(folder, 'a diagram.png'), bytes)
    terminal.paste(`'${folder}/a diagram.png' `)
    await terminal.shows('Upload a diagram.png')
    terminal.key('enter')
    await terminal.shows('Uploaded images/a-diagram.png.')
    expect(Buffer.from(await read('images/a-diagram.png'), 'base64')).toEqual(bytes)
  })

  it('lets the assistant work, shows what it changed, and takes that back with a key', async () => {
    terminal.type('a')
    await terminal.shows('Say what to do')
    terminal.type('Be polite')
    terminal.key('enter')
    await terminal.shows(/Saved [0-9a-f]{7}: index.mdx/)
    expect(terminal.screen()).toContain('+ Good day. Read the')
    expect(terminal.screen()).toContain('It greets politely now.')
    expect(await read('index.mdx')).toContain('Good day')
    terminal.key('ctrl+u')
    await terminal.shows('Taken back: index.mdx')
    expect(await read('index.mdx')).toContain('Welcome')
  })

  it('breaks the assistant off with Esc, at any size', async () => {
    terminal.resize(80, 24)
    terminal.type('Please wait')
    terminal.key('enter')
    await terminal.shows('I am')
    terminal.resize(120, 40)
    terminal.key('escape')
    await terminal.shows('Broken off.')
    expect(await read('index.mdx')).toContain('Welcome')
    terminal.key('escape')
    await terminal.shows('docs.json')
  })

  it('creates a key from the palette, and shows it until it is closed', async () => {
    terminal.key('ctrl+p')
    await terminal.shows('Commands')
    terminal.type('api keys')
    terminal.key('enter')
    await terminal.shows('n creates one')
    terminal.type('n')
    await terminal.shows('Create an API key')
    terminal.type('CI')
    terminal.key('enter')
    await terminal.shows('It is shown only now.')
    expect(terminal.screen()).toMatch(/quire_[A-Za-z0-9]{20}/)
    terminal.key('enter')
    await terminal.shows('It was sent to the clipboard.')
    terminal.key('escape')
    await terminal.shows('never used')
    expect(terminal.screen()).not.toMatch(/quire_[A-Za-z0-9]{20}/)
    terminal.key('escape')
    await terminal.shows('▾ start/')
  })

  it('ends, and leaves nothing unsaved', async () => {
    terminal.key('ctrl+q')
    expect(await terminal.ended()).toBe(0)
    expect(terminal.screen()).not.toContain('not saved')
  })
})
