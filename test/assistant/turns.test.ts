import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../src/contract/index.ts'
import { AssistantWorld, call, says } from './world.ts'

let world: AssistantWorld

beforeAll(async () => {
  world = await AssistantWorld.open()
})
afterAll(() => world.close())

describe('a turn', () => {
  test('that edits two files becomes one commit of who asked, with its preview', async () => {
    const branch = await world.branch('two-files')
    const before = await world.history(branch)
    world.answers(
      call('read_file', { path: 'guide.mdx' }),
      {
        chunks: ['I will ', 'change it.'],
        calls: [
          { name: 'edit_file', arguments: { path: 'guide.mdx', find: 'First step.', replace: 'The first step.' } },
          { name: 'write_file', arguments: { path: 'more.mdx', content: '# More\n\nText.\n' } },
        ],
      },
      says('Done.'),
    )
    const { events, turn } = await world.ask(branch, 'Mend the guide')
    expect(turn).toMatchObject({
      question: 'Mend the guide',
      answer: 'I will change it.\n\nDone.',
      status: 'done',
      files: ['guide.mdx', 'more.mdx'],
    })
    expect(turn.steps.map(({ tool, about, outcome }) => [tool, about, outcome])).toEqual([
      ['read_file', 'guide.mdx', 'done'],
      ['edit_file', 'guide.mdx', 'done'],
      ['write_file', 'more.mdx', 'done'],
      ['check_site', 'before it is committed', 'done'],
    ])
    expect(events.map(({ type }) => type)).toEqual([
      'started',
      ...['step', 'step'],
      ...['delta', 'delta', 'step', 'step', 'step', 'step'],
      ...['delta', 'step', 'step', 'done'],
    ])
    const history = await world.history(branch)
    expect(history).toHaveLength(before.length + 1)
    expect(history[0]).toMatchObject({ oid: turn.commit, author: { email: 'ada@example.com' } })
    expect(history[0]?.message).toMatch(/^Mend the guide\n\nWritten by the assistant\.\n\nAssistant-Turn: t\w+\n?$/)
    expect(await world.file(branch, 'guide.mdx')).toContain('The first step.')
    await expect
      .poll(async () => {
        const params = { slug: world.slug, id: branch.id }
        return (await world.owner.client.call(contract.branches.read, { params })).preview.served
      })
      .toBe(turn.commit)
  })
})
