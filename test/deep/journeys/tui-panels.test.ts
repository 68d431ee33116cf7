import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contract } from '#contract/index.ts'
import { startModelServer, type ModelReply, type ModelServer, type WireMessage } from '#test/support/model-server.ts'
import type { Pty } from '#test/support/pty.ts'
import { freePort } from '#test/support/service-process.ts'
import { Writer } from '#test/support/writer.ts'

/** What a model may write that wants the terminal: a clear screen, a title, another background, a line turned around. */
const hostile = 'Done\u001B[2J\u001B]0;taken\u0007\u009B41m \u202Ethis\r.'

const long = Array.from({ length: 60 }, (_, index) => `Step ${index + 1}.`).join('\n\n')

/** What the model says to the last message of the user, by how many calls it has made for it. */
function answer(messages: readonly WireMessage[]): ModelReply {
  const at = messages.findLastIndex(({ role }) => role === 'user')
  const asked = messages[at]?.content ?? ''
  const made = messages.slice(at).filter(({ role }) => role === 'tool').length
  if (asked.includes('at length'))
    return { chunks: Array.from({ length: 400 }, (_, word) => `word${word} `), chunkDelayMs: 50 }
  if (asked.includes('refuse')) return { status: 400, body: { error: { message: 'No such request.' } } }
  if (made > 0) return { chunks: ['I mended it. ', hostile], chunkDelayMs: 20 }
  if (asked.includes('steps'))
    return { calls: [{ name: 'write_file', arguments: { path: 'steps.mdx', content: long } }] }
  const edit = { name: 'edit_file', arguments: { path: 'index.mdx', find: 'Welcom.', replace: 'Welcome!' } }
  return {
    chunks: ['Looking.'],
    calls: [{ name: 'read_file', arguments: { path: 'index.mdx' } }, edit],
    chunkDelayMs: 20,
  }
}

let writer: Writer
let model: ModelServer
let receiver: Server
let hook: string
const arrived: string[] = []

beforeAll(async () => {
  model = await startModelServer(({ body }) => answer(body.messages))
  const port = await freePort()
  receiver = createServer((request, response) => {
    arrived.push(String(request.headers['webhook-signature']))
    response.end('\u001B[2Jthanks')
  }).listen(port, '127.0.0.1')
  await once(receiver, 'listening')
  hook = `http://127.0.0.1:${port}/hook`
  writer = await Writer.start([{ path: 'index.mdx', content: '# Home\n\nWelcom.\n' }], {
    ...model.settings,
    WEBHOOK_ALLOW_HOSTS: `127.0.0.1:${port}`,
  })
  const params = { slug: writer.slug }
  await writer.client.call(contract.branches.create, { params, body: { name: 'words' } })
})
afterAll(async () => {
  await writer.leaves()
  await model.close()
  receiver.close()
})

/** Nothing of others has moved the cursor, cleared the screen or set a title. */
function expectUnharmed(terminal: Pty): void {
  expect(terminal.output).not.toContain('\u001B]0;taken')
  expect(terminal.output).not.toContain('\u009B')
  expect(terminal.output).not.toContain('\u202E')
}

async function openPanel(terminal: Pty, words: string): Promise<void> {
  await terminal.shows('what readers see')
  terminal.key('ctrl+p')
  await terminal.shows('Commands')
  terminal.type(words)
  await terminal.shows(new RegExp(`Commands[^]+│  ${words}[^]+│  ${words}`))
  terminal.key('enter')
}

async function opensAssistant(): Promise<Pty> {
  const terminal = await writer.opens()
  await terminal.shows('words')
  terminal.type('/words')
  terminal.key('enter')
  await terminal.shows('index.mdx')
  terminal.key('a')
  await terminal.shows('The assistant works on words alone')
  return terminal
}

describe('beside the pages', () => {
  it('has the assistant change a page, shows the words that differ, and takes it back with one key', async () => {
    const terminal = await opensAssistant()
    terminal.type('Mend the typo')
    terminal.key('enter')
    terminal.resize(80, 24)
    await terminal.shows(/Saved [0-9a-f]{7}: index\.mdx/)
    terminal.resize(120, 40)
    await terminal.shows(/− +Welcom\.[^]*\+ +Welcome!/)
    await terminal.shows('I mended it. Done')
    expect(await writer.reads('words', 'index.mdx')).toContain('Welcome!')
    terminal.key('ctrl+u')
    await terminal.shows('Taken back: index.mdx')
    expect(await writer.reads('words', 'index.mdx')).toBe('# Home\n\nWelcom.\n')

    terminal.type('Write the steps')
    terminal.key('enter')
    await terminal.shows(/Saved [0-9a-f]{7}: steps\.mdx/)
    terminal.key('ctrl+d')
    await terminal.shows('What it changed')
    terminal.resize(60, 20)
    await terminal.settled()
    terminal.key('end')
    await terminal.shows('Step 60.')
    terminal.key('escape')
    await terminal.shows('Message')
    expectUnharmed(terminal)
    terminal.key('ctrl+q')
    expect(await terminal.ended()).toBe(0)
  })

  it('tells of a turn that did not come to its end, and keeps the question', async () => {
    const terminal = await opensAssistant()

    terminal.type('Answer at length')
    terminal.key('enter')
    await terminal.shows('word20')
    terminal.resize(80, 24)
    await terminal.shows('word30')
    terminal.resize(120, 40)
    terminal.key('escape')
    await terminal.shows('Broken off.')
    await terminal.shows('Message')

    terminal.key('ctrl+n')
    terminal.type('Do refuse')
    terminal.key('enter')
    await terminal.shows(/The model does not take the request[^]+Message[^]+Do refuse/)

    terminal.key('ctrl+n')
    await terminal.lacks('› Do refuse')
    terminal.key(...Array.from({ length: 'Do refuse'.length }, () => 'backspace'))
    terminal.type('Once more at length')
    terminal.key('enter')
    await terminal.shows('word10')
    await writer.killService()
    await terminal.shows('It may have gone on all the same')
    await writer.restartService()
    await terminal.lacks('offline', 60_000)
    terminal.key('ctrl+o')
    await terminal.shows('Conversations')
    terminal.key('enter')
    await terminal.lacks('It may have gone on')
    await terminal.shows(/› Once more at length *\n/)
    await terminal.shows('The service stopped before the answer was there. Nothing was committed.')
    await terminal.shows(/Message[^]+Once more at length/)
    terminal.key(...Array.from({ length: 'Once more at length'.length }, () => 'backspace'))
    await terminal.lacks(/Message[^]+Once more/)
    terminal.key('ctrl+q')
    expect(await terminal.ended()).toBe(0)
  })

  it('shows a key that is made once, and never again', async () => {
    const terminal = await writer.opens()
    await openPanel(terminal, 'API keys')
    await terminal.shows('There are no keys yet')
    terminal.key('n')
    await terminal.shows('Create an API key')
    terminal.type('CI')
    terminal.resize(80, 24)
    terminal.key('enter', 'enter', 'enter')
    await terminal.shows('It is shown only now')
    const [secret = ''] = /qk_\w+|[A-Za-z]+_[A-Za-z0-9_-]{20,}/.exec(terminal.screen()) ?? []
    expect(secret).not.toBe('')
    terminal.resize(60, 20)
    await terminal.shows('It is shown only now')
    terminal.key('escape')
    await terminal.shows('Close without copying it?')
    terminal.key('y')
    await terminal.shows(/CI.+never used/)
    expect(terminal.screen()).not.toContain(secret)
    const { items } = await writer.client.call(contract.keys.list, { params: { slug: writer.slug }, query: {} })
    expect(items).toMatchObject([{ name: 'CI' }])
  })

  it('adds a webhook, shows its secret, tests it, and shows what was answered', async () => {
    const terminal = await writer.opens()
    await openPanel(terminal, 'Webhooks')
    await terminal.shows('Nobody is told')
    terminal.key('n')
    await terminal.shows('Add a webhook')
    terminal.type(hook)
    terminal.key('enter', 'enter')
    await terminal.shows('The secret of the webhook')
    terminal.resize(80, 24)
    terminal.key('escape')
    await terminal.shows('Close without copying it?')
    terminal.key('y')
    await terminal.shows(/enabled +http/)
    terminal.key('t')
    await terminal.shows(/It arrived: 200/)
    expect(arrived).toHaveLength(1)
    terminal.key('enter')
    await terminal.shows(/succeeded +\S*test/)
    terminal.resize(120, 40)
    terminal.key('enter')
    await terminal.shows('[2Jthanks')
    expect(terminal.output).not.toContain('\u001B[2Jthanks')
    expectUnharmed(terminal)
  })
})
