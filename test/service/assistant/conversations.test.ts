import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inDepth } from '#test/support/depth.ts'
import type { AssistantEvent } from '#contract/assistant.ts'
import { contract } from '#contract/index.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { join } from '#test/support/members.ts'
import { AssistantWorld, call, says } from '#test/support/assistant/world.ts'

const openWorld = (settings: Record<string, string> = {}): Promise<AssistantWorld> =>
  AssistantWorld.open(settings, { builder: new FakeBuilder() })

let world: AssistantWorld

beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const write = call('write_file', { path: 'more.mdx', content: '# More\n' })
const held = { chunks: ['So ', 'far'], failAfter: { chunks: 2, how: 'hang' } } as const

/** A turn that waits for its model; resolves when the model was asked. */
async function waiting(branch: { readonly id: string }, options: { readonly conversation?: string } = {}) {
  const asked = new EventTarget()
  const heard = once(asked, 'asked')
  world.answers(() => {
    asked.dispatchEvent(new Event('asked'))
    return held
  })
  const leave = new AbortController()
  const answer = world.stream(branch, 'Wait', { ...options, signal: leave.signal })
  answer.catch(() => undefined)
  await heard
  return { leave, answer }
}

const list = (branch: { readonly id: string }, query: { limit?: number; cursor?: string } = {}) =>
  world.owner.client.call(contract.assistant.list, { params: { slug: world.slug, id: branch.id }, query })

const messages = async () =>
  (await world.owner.client.call(contract.usage.read, { params: { slug: world.slug } })).agentMessages.used

describe('conversations', () => {
  test('of a branch are listed newest first, by pages', async () => {
    const branch = await world.branch('listed')
    world.answers(says('Yes.'))
    const ids = []
    for (const text of ['One\nand more', 'Two', 'Three']) ids.push((await world.ask(branch, text)).conversation)
    await world.ask(branch, 'Again', { conversation: ids[0] ?? '' })
    const first = await list(branch, { limit: 2 })
    const { nextCursor = '' } = first
    const second = await list(branch, { limit: 2, cursor: nextCursor })
    expect([...first.items, ...second.items].map(({ id, title, turns }) => [id, title, turns])).toEqual([
      [ids[0], 'One', 2],
      [ids[2], 'Three', 1],
      [ids[1], 'Two', 1],
    ])
    expect(second).not.toHaveProperty('nextCursor')
  })

  test('survive a restart', async () => {
    const branch = await world.branch('restarted')
    world.answers(write, says('Done.'))
    const { conversation, turn } = await world.ask(branch, 'Write')
    await world.service.restart()
    expect((await world.read(branch, conversation)).turns).toEqual([turn])
    world.answers(says('Yes.'))
    await world.ask(branch, 'And?', { conversation })
    expect((await world.read(branch, conversation)).turns).toHaveLength(2)
    expect(world.lastMessages()).toHaveLength(4)
  })

  test('are known on their own branch alone', async () => {
    const [branch, other] = [await world.branch('own'), await world.branch('other')]
    world.answers(says('Yes.'))
    const { conversation, turn } = await world.ask(branch, 'One')
    await expect(world.read(other, conversation)).rejects.toMatchObject({ code: 'not_found' })
    await expect(world.ask(other, 'Two', { conversation })).rejects.toMatchObject({ code: 'not_found' })
    await expect(world.undo(other, { conversation, turn })).rejects.toMatchObject({ code: 'not_found' })
    const params = { slug: world.slug, id: other.id, conversation }
    await expect(world.owner.client.call(contract.assistant.remove, { params })).rejects.toMatchObject({
      code: 'not_found',
    })
    expect((await list(other)).items).toEqual([])
  })

  test('that are forgotten are gone, with their commits left', async () => {
    const branch = await world.branch('forgotten')
    world.answers(write, says('Done.'))
    const { conversation } = await world.ask(branch, 'Write')
    const params = { slug: world.slug, id: branch.id, conversation }
    await world.owner.client.call(contract.assistant.remove, { params })
    await expect(world.read(branch, conversation)).rejects.toMatchObject({ code: 'not_found' })
    expect(await world.history(branch)).toHaveLength(2)
  })

  test('go with their branch, and what is under way in them ends', async () => {
    const branch = await world.branch('gone')
    const { answer } = await waiting(branch)
    const { slug } = world
    await world.owner.client.call(contract.branches.remove, { params: { slug }, query: { id: branch.id } })
    expect((await answer).at(-1)).toMatchObject({ type: 'error', problem: { code: 'not_found' } })
    await expect.poll(() => world.server.calls.at(-1)?.aborted).toBe(true)
    await expect(list(branch)).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('a message', () => {
  test('is counted once, however many requests it took', async () => {
    const branch = await world.branch('counted')
    const before = await messages()
    world.answers(write, says('Done.'))
    await world.ask(branch, 'Write')
    expect(await messages()).toBe(before + 1)
  })

  test('of which nothing came is not counted', async () => {
    const branch = await world.branch('not-counted')
    const before = await messages()
    world.answers({ status: 400 })
    expect((await world.ask(branch, 'Write')).turn.status).toBe('failed')
    expect(await messages()).toBe(before)
  })

  test('waits for no other of its conversation: it is refused', async () => {
    const branch = await world.branch('busy')
    world.answers(says('Yes.'))
    const { conversation } = await world.ask(branch, 'One')
    const { leave, answer } = await waiting(branch, { conversation })
    await expect(world.ask(branch, 'Two', { conversation })).rejects.toMatchObject({ code: 'rate_limited' })
    expect((await world.read(branch, conversation)).turns.at(-1)?.status).toBe('running')
    leave.abort()
    await expect(answer).rejects.toThrow('aborted')
  })

  test('whose sender goes away is cancelled, upstream too, and commits nothing', async () => {
    const branch = await world.branch('cancelled')
    const { leave, answer } = await waiting(branch)
    leave.abort()
    await expect(answer).rejects.toThrow('aborted')
    await expect.poll(() => world.server.calls.at(-1)?.aborted).toBe(true)
    const [conversation] = (await list(branch)).items
    const turnsOf = async () => (await world.read(branch, conversation?.id ?? '')).turns
    await expect.poll(async () => (await turnsOf())[0]?.status).toBe('cancelled')
    expect(await turnsOf()).toMatchObject([{ answer: 'So far', files: [] }])
    expect(await world.history(branch)).toHaveLength(1)
  })

  inDepth('is cut off by the end of the service, and on record', async () => {
    const branch = await world.branch('stopped')
    const { answer } = await waiting(branch)
    await world.service.restart()
    const cutOff = { answer: 'So far', status: 'failed', problem: { code: 'unavailable' }, files: [] }
    const { events, turn } = await world.answered(branch, await answer)
    expect(events.at(-1)).toMatchObject({ type: 'error', problem: { code: 'unavailable' } })
    expect(turn).toMatchObject(cutOff)
  })
})

describe('two people', () => {
  test('with conversations of their own: of two edits of one file the first one stands', async () => {
    const grace = await world.person('grace')
    await join(world.owner.client, world.slug, { client: grace.client, email: grace.email })
    const branch = await world.branch('two-people')
    const edit = (replace: string) => call('edit_file', { path: 'guide.mdx', find: 'First', replace })
    let release = (): void => undefined
    const both = new Promise<void>((resolve) => (release = resolve))
    let begun = 0
    let edits = 0
    // Each edits first, however their requests meet; neither ends before both have.
    world.answers(async ({ body }) => {
      if (!body.messages.some(({ role }) => role === 'tool')) return edit(`Edit ${(begun += 1)}`)
      edits += 1
      if (edits === 2) release()
      await both
      return says('Done.')
    })
    const turns = await Promise.all([
      world.ask(branch, 'Edit', { client: grace.client }),
      world.ask(branch, 'Edit', { client: world.owner.client }),
    ])
    expect(turns.map(({ turn }) => turn.problem?.code ?? turn.status).sort()).toEqual(['done', 'stale_file'])
    expect(await world.history(branch)).toHaveLength(2)
    const stream: AssistantEvent[] = turns.flatMap(({ events }) => events)
    expect(stream.filter(({ type }) => type === 'done')).toHaveLength(2)
  })
})

describe('without', () => {
  test('a router nothing is asked, and the refusal is a problem', async () => {
    const bare = await openWorld({ MODEL_ROUTER_URL: '', MODEL_ROUTER_KEY: '' })
    try {
      const branch = await bare.branch('none')
      await expect(bare.ask(branch, 'Hello')).rejects.toMatchObject({ code: 'generation_not_configured', status: 503 })
      expect(bare.server.calls).toEqual([])
    } finally {
      await bare.close()
    }
  })

  test('an allowance the message is refused before anything is streamed', async () => {
    const free = await openWorld({ DEFAULT_PLAN: 'free' })
    try {
      const branch = await free.branch('spent')
      await expect(free.ask(branch, 'Hello')).rejects.toMatchObject({ code: 'quota_exceeded', status: 429 })
      expect(free.server.calls).toEqual([])
    } finally {
      await free.close()
    }
  })
})
