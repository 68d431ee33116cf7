import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contract } from '../../src/contract/index.ts'
import { Writer } from '../support/writer.ts'

let writer: Writer

beforeAll(async () => {
  writer = await Writer.start([{ path: 'index.mdx', content: '# Home\n' }])
})
afterAll(() => writer.leaves())

const entries = async () => {
  const options = { params: { slug: writer.slug }, query: {} }
  return (await writer.client.call(contract.changelog.list, options)).items
}

describe('the changelog at a terminal', () => {
  it('loses nothing of what was on the screen for a second when it is killed in mid-sentence', async () => {
    const terminal = await writer.opens()
    await terminal.shows('what readers see')
    terminal.key('c')
    await terminal.shows('Nothing is written here yet')
    terminal.key('n')
    await terminal.shows('What is new, in a line')
    terminal.type('Faster search')
    terminal.key('enter')
    terminal.type('It takes 50 ms, 😀 in 日本')
    await terminal.shows('in 日本')
    await sleep(1000)
    terminal.kill('SIGKILL')
    await terminal.ended()

    const again = await writer.opens()
    await again.shows(/Faster search +.*handbook › the changelog/)
    again.key('enter')
    await again.shows(/draft +Faster search +not saved/)
    again.key('enter')
    await again.shows(/It takes 50 ms.+ in 日本/)
    again.resize(80, 24)
    await again.shows('not saved, kept here')
    again.key('ctrl+s')
    await again.shows('draft · saved')
    expect(await entries()).toMatchObject([
      { title: 'Faster search', content: 'It takes 50 ms, 😀 in 日本', status: 'draft' },
    ])
    again.key('ctrl+q')
    expect(await again.ended()).toBe(0)
    expect(again.screen()).not.toContain('not saved')
  })

  it('saves when the service is back that was killed in mid-edit, and publishes', async () => {
    const terminal = await writer.opens()
    await terminal.shows('what readers see')
    terminal.key('c')
    await terminal.shows('Faster search')
    terminal.key('enter')
    await terminal.shows('draft · saved')
    await writer.killService()
    terminal.type('Now: ')
    terminal.key('ctrl+s')
    await terminal.shows('waits for the connection')
    await writer.restartService()
    await terminal.shows('draft · saved', 60_000)
    expect(await entries()).toMatchObject([{ content: 'Now: It takes 50 ms, 😀 in 日本', status: 'draft' }])
    terminal.key('f7')
    await terminal.shows(/│ +Now: It takes/)
    terminal.resize(200, 50)
    terminal.key('alt+p')
    await terminal.shows('Publish the entry?')
    terminal.key('enter')
    await terminal.shows('is published')
    const feed = await fetch(`${writer.url}/api/projects/${writer.slug}/changelog/feed.json`)
    expect(await feed.json()).toMatchObject({ items: [{ title: 'Faster search' }] })
    terminal.key('escape')
    await terminal.shows(/published +Faster search/)
  })

  it('schedules and withdraws, and deletes what is confirmed only', async () => {
    const body = { title: 'Later', content: 'To come.' }
    await writer.client.call(contract.changelog.create, { params: { slug: writer.slug }, body })
    const terminal = await writer.opens({ width: 80, height: 24 })
    await terminal.shows('what readers see')
    terminal.key('c')
    await terminal.shows('Later')
    terminal.type('/Later')
    terminal.key('enter')
    await terminal.shows('draft · saved')
    terminal.key('alt+s')
    await terminal.shows('Publish it later')
    terminal.type('tomorrow 9:00')
    await terminal.shows(/at 09:00 \(.*UTC.*\), in/)
    terminal.resize(120, 40)
    terminal.key('enter')
    await terminal.shows('scheduled · saved')
    terminal.key('escape')
    await terminal.shows(/scheduled +Later/)
    terminal.key('w')
    await terminal.shows('Do not publish it then?')
    terminal.key('enter')
    await terminal.shows(/draft +Later/)
    terminal.key('x')
    await terminal.shows('Delete the entry?')
    terminal.key('escape')
    await terminal.lacks('Delete the entry?')
    expect(await entries()).toHaveLength(2)
  })
})
