import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { AssistantTurn } from '#contract/assistant.ts'
import { contract } from '#contract/index.ts'
import { quire as run, type Finished } from '#test/support/command-line.ts'
import { startModelServer, type ModelReply, type ModelServer, type WireMessage } from '#test/support/model-server.ts'
import { createProject, startService, type ProjectAccess, type ServiceProcess } from '#test/support/service-process.ts'
import { removeDirectory } from '#test/support/temporary.ts'
import { Terminal } from '#test/support/terminal.ts'

const edit = { name: 'edit_file', arguments: { path: 'index.mdx', find: 'Welcom', replace: 'Welcome' } }

/** What the model says to the last message of the user, by how many calls it has made for it. */
function answer(messages: readonly WireMessage[]): ModelReply {
  const at = messages.findLastIndex(({ role }) => role === 'user')
  const asked = messages[at]?.content ?? ''
  const made = messages.slice(at).filter(({ role }) => role === 'tool').length
  if (asked.includes('quarrel')) return { status: 402 }
  if (asked.includes('wait')) return { chunks: ['I am ', 'at it'], failAfter: { chunks: 1, how: 'hang' } }
  if (asked.includes('typos') && made === 0)
    return { chunks: ['Looking.'], calls: [{ name: 'read_file', arguments: { path: 'index.mdx' } }, edit] }
  if (asked.includes('unfinished') && made === 0)
    return { calls: [{ name: 'write_file', arguments: { path: 'more.mdx', content: '# More\n\n<Card>\n' } }] }
  return { chunks: ['I changed ', '**the heading**', ' of `index.mdx`.'] }
}

describe('quire assistant', () => {
  let directory: string
  let model: ModelServer
  let service: ServiceProcess
  let project: ProjectAccess
  let branches = 0
  let name: string
  const environment = () => ({ SERVICE_API_KEY: project.key, QUIRE_URL: service.url })
  const quire = (...words: string[]): Promise<Finished> => run(['assistant', ...words], environment(), directory)
  const branch = async () => {
    const query = { name }
    return (await project.client.call(contract.branches.list, { params: project, query })).items[0]
  }
  const text = async (path: string): Promise<string> => {
    const params = { slug: project.slug, id: (await branch())?.id ?? '', path }
    return (await project.client.call(contract.branches.readFile, { params })).content
  }

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'quire-assistant-'))
    model = await startModelServer(({ body }) => answer(body.messages))
    service = await startService(join(directory, 'data'), { ...model.settings })
    project = await createProject(service.url, 'docs')
    const files = [{ path: 'index.mdx', content: '# Welcom\n' }]
    await project.client.call(contract.deploys.create, { body: { files } })
  })
  beforeEach(async () => {
    branches += 1
    name = `branch-${branches}`
    await project.client.call(contract.branches.create, { params: project, body: { name } })
  })
  afterAll(async () => {
    await service.stop()
    await model.close()
    await removeDirectory(directory)
  })

  it('does what it is told in one turn: the answer is the result, steps and commit are told beside it', async () => {
    const { code, stdout, stderr } = await quire(name, 'Fix the typos')
    expect(code, stderr).toBe(0)
    expect(stdout).toBe('Looking.\nI changed **the heading** of `index.mdx`.\n')
    expect(stderr).toContain('  read index.mdx')
    expect(stderr).toContain('  edit index.mdx')
    const found = await branch()
    expect(stderr).toContain(`saved ${found?.head.slice(0, 7)}  index.mdx\n${found?.previewUrl}\n`)
    expect(await text('index.mdx')).toBe('# Welcome\n')
  })

  it('is one document with --json, and goes on with a conversation', async () => {
    const first = JSON.parse((await quire(name, 'Fix the typos', '--json')).stdout) as Answered
    expect(first).toMatchObject({ branch: name, turn: { status: 'done', files: ['index.mdx'] } })
    const next = JSON.parse((await quire(name, 'And now?', '--continue', '--json')).stdout) as Answered
    expect(next.conversation).toBe(first.conversation)
    const named = await quire(name, 'And now?', '--conversation', first.conversation, '--json')
    expect((JSON.parse(named.stdout) as Answered).conversation).toBe(first.conversation)
    const other = JSON.parse((await quire(name, 'Hello', '--json')).stdout) as Answered
    expect(other.conversation).not.toBe(first.conversation)
    expect(model.calls.at(-2)?.body.messages.filter(({ content }) => content === 'Fix the typos')).toHaveLength(1)
  })

  it('says what refused it, and what to do', async () => {
    expect(await quire(name, 'Hello', '--continue')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no conversation'),
    })
    const failed = await quire(name, 'quarrel')
    expect([failed.code, failed.stdout]).toEqual([75, ''])
    expect(failed.stderr).toMatch(/^error {2}.+\nnext {3}.+$/m)
    expect(JSON.parse((await quire(name, 'quarrel', '--json')).stdout)).toMatchObject({
      error: { code: 'generation_unavailable', next: [expect.any(String)] },
    })
    expect(await quire('none', 'Hello')).toMatchObject({ code: 1, stderr: expect.stringContaining('no branch none') })
    expect(await quire(name)).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no message') })
    expect(await quire(name, 'Hello', '--conversation', 'none')).toMatchObject({ code: 1 })
  })

  it('says why nothing was committed', async () => {
    const { code, stderr } = await quire(name, 'Write something unfinished')
    expect(stderr).toContain(`failed  Nothing was changed on ${name}.`)
    expect(stderr).toMatch(
      /^error {2}With the assistant’s changes the site would not build.+\n {2}more\.mdx:3:1 {2}.+$/m,
    )
    expect(code).toBe(3)
    const { code: same, stdout } = await quire(name, 'Write something unfinished', '--json')
    expect(JSON.parse(stdout)).toMatchObject({ turn: { status: 'failed', problem: { code: 'build_failed' } } })
    expect(same).toBe(3)
  })

  it('is a conversation at a terminal: /diff, /undo, Ctrl-C for a turn and twice to leave', async () => {
    const terminal = new Terminal(['assistant', name], { ...environment(), NO_COLOR: '1' })
    onTestFinished(() => terminal.kill())
    await terminal.shows(`${name} › `)
    terminal.types('Fix the typos\r')
    await terminal.shows('saved ')
    await terminal.shows(`${name} › `)
    terminal.types('/diff\r')
    await terminal.shows('-# Welcom\r\n+# Welcome')
    await terminal.shows(`${name} › `)
    terminal.types('/undo\r')
    await terminal.shows('undone ')
    expect(await text('index.mdx')).toBe('# Welcom\n')
    await terminal.shows(`${name} › `)
    terminal.types('wait\r')
    await terminal.shows('I am')
    terminal.types('\u0003')
    await terminal.shows(`cancelled  Nothing was changed on ${name}.`)
    await terminal.shows(`${name} › `)
    terminal.types('quarrel\r')
    await terminal.shows('next   ')
    await terminal.shows(`${name} › `)
    terminal.types('\u0003')
    await terminal.shows('Ctrl-C again leaves.')
    await terminal.shows(`${name} › `)
    terminal.types('\u0003')
    expect(await terminal.end()).toBe(0)
  })
})

interface Answered {
  readonly conversation: string
  readonly turn: AssistantTurn
}
