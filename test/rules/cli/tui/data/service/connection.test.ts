import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Connection } from '#cli/tui/data/service/connection.ts'
import { contract } from '#contract/index.ts'
import { refusalOf } from '#test/support/refusal.ts'

const url = 'https://docs.example.com'
const healthy = { status: 'ok', version: '1' }

/** A service that answers as a test says; what it was asked, with the seconds since the beginning. */
class Scripted {
  answer: (path: string, signal: AbortSignal | null | undefined) => Promise<Response> | Response = () => json(healthy)
  readonly asked: string[] = []
  readonly changes: string[] = []
  readonly #began = Date.now()
  readonly connection = new Connection({
    url,
    token: 'token',
    onChange: () => this.changes.push(this.connection.state),
    fetch: async (input, init) => {
      const { pathname } = new URL(input as string)
      this.asked.push(`${Math.round((Date.now() - this.#began) / 1000)} ${pathname}`)
      return this.answer(pathname, init?.signal)
    },
  })
}

function json(value: unknown, status = 200): Response {
  const type = status < 400 ? 'application/json' : 'application/problem+json'
  return new Response(JSON.stringify(value), { status, headers: { 'content-type': type } })
}

function cut(): never {
  throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') })
}

/** An answer that never comes. */
function silent(signal: AbortSignal | null | undefined): Promise<Response> {
  return new Promise((_, reject) => {
    const end = (): void => reject(signal?.reason as Error)
    if (signal?.aborted === true) end()
    else signal?.addEventListener('abort', end)
  })
}

describe('the connection', () => {
  let service: Scripted
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] })
    service = new Scripted()
  })
  afterEach(() => {
    service.connection.close()
    vi.useRealTimers()
  })
  const list = (signal?: AbortSignal) =>
    service.connection.client.call(contract.projects.list, signal === undefined ? {} : { signal })

  it('asks nothing while nothing is asked of it', async () => {
    await vi.advanceTimersByTimeAsync(600_000)
    expect(service.asked).toEqual([])
  })

  it('is lost with a call that fails, looked for seldom and seldom again, and found', async () => {
    service.answer = cut
    expect(await refusalOf(list())).toMatchObject({ code: 'unavailable' })
    expect(service.connection.state).toBe('offline')
    await vi.advanceTimersByTimeAsync(95_000)
    const looks = service.asked.filter((asked) => asked.endsWith('/healthz')).map((asked) => parseInt(asked, 10))
    expect(looks).toEqual([1, 3, 7, 15, 31, 61, 91])
    service.answer = () => json(healthy)
    await vi.advanceTimersByTimeAsync(30_000)
    expect(service.changes).toEqual(['offline', 'online'])
  })

  it('is looked for at once when something is wanted', async () => {
    service.answer = cut
    await refusalOf(list())
    service.answer = (path) => json(path === '/healthz' ? healthy : { items: [] })
    expect(await list()).toEqual({ items: [] })
    expect(service.connection.state).toBe('online')
  })

  it('is lost when a call gets no answer and the service is not there; the call does not wait for ever', async () => {
    service.answer = (_, signal) => silent(signal)
    const refused = refusalOf(list())
    // What looks whether it is there has a real clock of its own.
    service.answer = (path, signal) => (path === '/healthz' ? cut() : silent(signal))
    await vi.advanceTimersByTimeAsync(6_000)
    expect(await refused).toMatchObject({ code: 'unavailable' })
    expect(service.connection.state).toBe('offline')
  })

  it('stays when a call is only slow, which ends after a minute', async () => {
    service.answer = (path, signal) => (path === '/healthz' ? json(healthy) : silent(signal))
    const refused = refusalOf(list())
    await vi.advanceTimersByTimeAsync(61_000)
    expect((await refused).message).toContain('took too long')
    expect([service.connection.state, service.changes]).toEqual(['online', []])
  })

  it('waits longer for what builds a site', async () => {
    service.answer = (path, signal) => (path === '/healthz' ? json(healthy) : silent(signal))
    let ended = false
    const publish = service.connection.client.call(contract.branches.publish, { params: { slug: 'docs' }, body: {} })
    const settled = refusalOf(publish).finally(() => (ended = true))
    await vi.advanceTimersByTimeAsync(10 * 60_000)
    expect(ended).toBe(false)
    await vi.advanceTimersByTimeAsync(6 * 60_000)
    await settled
  })

  it('is not lost by a refusal, nor by a service that says it is busy', async () => {
    service.answer = () => json({ code: 'forbidden', detail: 'no' }, 403)
    expect(await refusalOf(list())).toMatchObject({ code: 'forbidden' })
    service.answer = (path) =>
      path === '/healthz' ? json(healthy) : json({ code: 'unavailable', detail: 'full' }, 503)
    expect(await refusalOf(list())).toMatchObject({ code: 'unavailable', message: 'full' })
    expect(service.changes).toEqual([])
  })

  it('is lost behind a proxy whose service is gone, and in a network that answers for everybody', async () => {
    service.answer = () => new Response('<h1>Bad gateway</h1>', { status: 502 })
    await refusalOf(list())
    expect(service.connection.state).toBe('offline')
    service.answer = () => new Response('<h1>Welcome to our hotel</h1>', { headers: { 'content-type': 'text/html' } })
    expect(await refusalOf(list())).toMatchObject({ code: 'unavailable' })
    expect(service.connection.state).toBe('offline')
  })

  it('leaves what the caller breaks off as it is', async () => {
    service.answer = (_, signal) => silent(signal)
    const controller = new AbortController()
    const called = list(controller.signal)
    controller.abort()
    await expect(called).rejects.toThrow('aborted')
    expect(service.changes).toEqual([])
  })
})
