import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { contract } from '#contract/index.ts'
import { startTestService, type TestService } from '#test/support/service.ts'
import { HeldBuilder } from '#test/support/held-builder.ts'
import { openDesk, type Desk } from '#test/support/branching/support.ts'

const builder = new HeldBuilder()
let service: TestService
let desk: Desk

beforeAll(async () => {
  service = await startTestService({}, { builder })
})
afterAll(() => service.close())
beforeEach(async () => {
  desk = await openDesk(service)
  await desk.deploy({ 'index.md': 'main' })
})
afterEach(() => builder.release())

describe('a preview', () => {
  it('shows each save at its own address, which no search engine lists', async () => {
    const branch = await desk.branch('intro')
    expect(branch.previewUrl).toBe(`http://${desk.slug}--intro.localhost:${service.port}`)
    await desk.save(branch, 'index.md', 'two')
    const shown = await desk.previewed(branch)
    expect(shown.preview).toMatchObject({
      status: 'live',
      served: shown.head,
      commit: shown.head,
      url: branch.previewUrl,
    })
    const reply = await desk.preview(branch, '/index.md')
    expect(reply.text).toBe('two')
    expect(reply.headers['x-robots-tag']).toBe('noindex')
    expect(reply.headers['set-cookie']).toBeUndefined()
    expect((await desk.preview(branch, '/missing.md')).headers['x-robots-tag']).toBe('noindex')
    const site = await desk.site('/index.md')
    expect(site.text).toBe('main')
    expect(site.headers['x-robots-tag']).toBeUndefined()
  })

  it('that never built says so in the place of the site', async () => {
    const empty = await openDesk(service)
    builder.holding = true
    const branch = await empty.branch('first')
    const waiting = await empty.preview(branch, '/')
    expect(waiting.status).toBe(503)
    expect(waiting.headers).toMatchObject({
      'retry-after': '2',
      'x-robots-tag': 'noindex',
      'cache-control': 'no-store',
    })
    builder.release()
    await empty.previewed(branch)
    await empty.save(branch, 'broken.md', 'x')
    await empty.previewed(branch)
  })

  it('goes with its project', async () => {
    const branch = await desk.branch('project')
    await desk.save(branch, 'index.md', 'x')
    await desk.previewed(branch)
    const headers = { authorization: `Bearer ${desk.session}` }
    const removed = await fetch(`${service.url}/api/projects/${desk.slug}`, { method: 'DELETE', headers })
    expect(removed.status).toBe(204)
    expect((await desk.preview(branch, '/index.md')).status).toBe(404)
  })
})

describe('open pages of a preview', () => {
  const open = async (url: string): Promise<{ response: IncomingMessage; events: string[]; close(): void }> => {
    const sent = request({
      host: '127.0.0.1',
      port: service.port,
      path: '/_quire/preview-events',
      headers: { host: new URL(url).host },
    }).end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    const events: string[] = []
    response.setEncoding('utf8').on('data', (chunk: string) => {
      for (const [, name = ''] of chunk.matchAll(/^event: (.*)$/gm)) events.push(name)
    })
    return { response, events, close: () => sent.destroy() }
  }

  it('are told of each new release, of failures and of the end', async () => {
    const branch = await desk.previewed(await desk.branch('watched'))
    const { response, events } = await open(branch.previewUrl)
    expect(response.headers).toMatchObject({ 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    await expect.poll(() => events).toEqual(['release'])
    await desk.save(branch, 'index.md', 'new')
    await expect.poll(() => events).toEqual(['release', 'release'])
    await desk.save(branch, 'broken.md', 'x')
    await expect.poll(() => events).toEqual(['release', 'release', 'failed'])
    await desk.client.call(contract.branches.remove, { params: { slug: desk.slug }, query: { id: branch.id } })
    await expect.poll(() => events.at(-1)).toBe('gone')
    await expect.poll(() => response.complete).toBe(true)
  })

  it('are only those of previews: a live site has no such address', async () => {
    const { headers } = await desk.site('/_quire/preview-events')
    expect(headers['content-type']).not.toContain('event-stream')
  })

  it('cannot take more than their share of connections', async () => {
    const branch = await desk.previewed(await desk.branch('crowd'))
    const streams = await Promise.all(Array.from({ length: 101 }, () => open(branch.previewUrl)))
    expect(streams.filter(({ response }) => response.statusCode === 200)).toHaveLength(100)
    expect(streams.filter(({ response }) => response.statusCode === 503)).toHaveLength(1)
    for (const stream of streams) stream.close()
    await expect
      .poll(async () => {
        const one = await open(branch.previewUrl)
        one.close()
        return one.response.statusCode
      })
      .toBe(200)
  })
})
