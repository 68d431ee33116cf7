import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { describeInDepth, inDepth } from '#test/support/depth.ts'
import { createClient } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import type { Desk } from '#test/support/branching/support.ts'
import { FakeDns } from '#test/support/domains/support.ts'
import { getSite } from '#test/support/site.ts'
import {
  ask,
  doneOf,
  openSite,
  settings,
  shownText,
  site,
  startAskedService,
  type AskedService,
} from '#test/support/http/support-ask.ts'

let asked: AskedService
const dns = new FakeDns()
beforeAll(async () => {
  asked = await startAskedService({}, { lookupTxt: dns.lookup })
})
afterAll(() => asked.close())
beforeEach(() => {
  asked.script = () => ({ chunks: ['It is so [1].'] })
})

const promptOf = (index = -1): string =>
  asked.model.calls
    .at(index)
    ?.body.messages.map(({ content }) => content)
    .join('\n') ?? ''
const usage = (desk: Desk) => desk.client.call(contract.usage.read, { params: { slug: desk.slug } })

describe('a question to a site', () => {
  it('is answered from its sections, word by word, with links to those that the answer rests on', async () => {
    const desk = await openSite(asked)
    asked.script = () => ({ chunks: ['Run `quire keys', ' revoke` [', '1]. See [Keys](/guide/keys).'] })
    const reply = await ask(desk, 'How do I revoke a key?')
    expect(reply.status).toBe(200)
    expect(reply.headers).toMatchObject({ 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    expect(shownText(reply)).toBe('Run `quire keys revoke` [1]. See {"label":"Keys","href":"/guide/keys"}.')
    expect(doneOf(reply)).toEqual({
      outcome: 'answered',
      isCut: false,
      sources: [{ number: 1, title: 'Keys › Revoke a key', href: '/guide/keys#revoke-a-key' }],
    })
    expect(promptOf()).toContain('the key is dead at once')
    expect(promptOf()).toContain('How do I revoke a key?')
    expect((await getSite(desk.port, `${desk.slug}.localhost`, '/guide/keys')).text).toContain('id="revoke-a-key"')
  })

  it('that its pages do not say is answered so, with the nearest pages', async () => {
    const desk = await openSite(asked)
    asked.script = () => ({ chunks: ['NOT_', 'IN_DOCS', ' but I guess that …'] })
    const reply = await ask(desk, 'Does a key expire?')
    expect(reply.events.map(({ event }) => event)).toEqual(['done'])
    expect(doneOf(reply)).toMatchObject({
      outcome: 'not-in-docs',
      sources: [{ number: 1 }, { number: 2 }, { number: 3 }],
    })
  })

  it('of which no page has a word asks no model and costs nothing', async () => {
    const desk = await openSite(asked)
    const before = asked.model.calls.length
    const reply = await ask(desk, 'How do I bake sourdough?')
    expect(doneOf(reply)).toEqual({ outcome: 'not-in-docs', isCut: false, sources: [] })
    expect(asked.model.calls.length).toBe(before)
    expect((await usage(desk)).answers).toMatchObject({ used: 0, today: { used: 0, limit: 100 } })
  })

  it('is answered from the release that is live, and from the version that the reader looks at', async () => {
    const desk = await openSite(asked, {
      'docs.json': settings(
        { enabled: true },
        {
          navigation: {
            versions: [
              { version: 'v1', pages: ['v1/limits'] },
              { version: 'v2', pages: ['v2/limits'] },
            ],
          },
        },
      ),
      'v1/limits.mdx': '---\ntitle: Limits\n---\n\nTen widgets.',
      'v2/limits.mdx': '---\ntitle: Limits\n---\n\nTwenty widgets.',
    })
    await ask(desk, '', { body: JSON.stringify({ question: 'How many widgets?', path: '/v1/limits' }) })
    expect(promptOf()).toContain('Ten widgets')
    expect(promptOf()).not.toContain('Twenty widgets')
    await desk.deploy({ ...site, 'index.mdx': '---\ntitle: W\n---\n\nForty widgets.' })
    await ask(desk, 'How many widgets?')
    expect(promptOf()).toContain('Forty widgets')
    expect(promptOf()).not.toContain('Twenty widgets')
  })

  it('is never answered from what is hidden, not to be indexed, in no navigation, or on a branch', async () => {
    const page = (text: string, more = ''): string => `---\ntitle: Widgets\n${more}---\n\n${text} widgets.\n`
    const pages = {
      'shown.mdx': page('Shown'),
      'hidden.mdx': page('Hidden', 'hidden: true\n'),
      'unlisted.mdx': page('Unlisted', 'noindex: true\n'),
      'loose.mdx': page('Loose'),
    }
    const navigation = { pages: ['shown', 'hidden', 'unlisted'] }
    const desk = await openSite(asked, { 'docs.json': settings({ enabled: true }, { navigation }), ...pages })
    const branch = await desk.branch('draft')
    await desk.save(branch, 'shown.mdx', page('Drafted'))
    await desk.previewed(branch)
    await ask(desk, 'widgets?')
    expect(promptOf()).toContain('Shown widgets')
    for (const word of ['Hidden', 'Unlisted', 'Loose', 'Drafted']) expect(promptOf()).not.toContain(word)
    await desk.deploy({
      'docs.json': settings({ enabled: true }, { navigation, seo: { indexing: 'all' } }),
      ...pages,
    })
    await ask(desk, 'widgets?')
    expect(promptOf()).toContain('Loose widgets')
    for (const word of ['Hidden', 'Unlisted']) expect(promptOf()).not.toContain(word)
  })
})

describeInDepth('where a site does not switch it on', () => {
  it('a question is refused as every request to a path without a page', async () => {
    for (const off of [undefined, { enabled: false }]) {
      const desk = await openSite(asked, { ...site, 'docs.json': settings(off) })
      const [posted, other] = [await ask(desk, 'key?'), await ask(desk, 'key?', { path: '/nowhere' })]
      expect({ status: posted.status, text: posted.text }).toEqual({ status: other.status, text: other.text })
      expect((await ask(desk, '', { method: 'GET', body: '' })).status).toBe(404)
      expect((await usage(desk)).answers.today).toBeUndefined()
    }
  })

  it('its pages are the same bytes as if there were no such thing', async () => {
    const desk = await openSite(asked, { ...site, 'docs.json': settings(undefined) })
    const pageOf = async (): Promise<string> => (await getSite(desk.port, `${desk.slug}.localhost`, '/')).text
    const without = await pageOf()
    expect(without).not.toContain('/_quire/ask')
    await desk.deploy({ ...site, 'docs.json': settings({ enabled: true }) })
    const script = /<script type="module" src="\/_quire\/ask-[\w-]+\.js" data-ask="[^"]*"><\/script>/
    expect(await pageOf()).toMatch(script)
    expect((await pageOf()).replace(script, '')).toBe(without)
  })

  it('neither a preview nor the host of the service takes questions', async () => {
    const desk = await openSite(asked)
    const branch = await desk.branch('draft')
    await desk.save(branch, 'index.mdx', 'two')
    await desk.previewed(branch)
    expect((await desk.preview(branch, '/')).text).not.toContain('/_quire/ask')
    const [label = ''] = new URL(branch.previewUrl).hostname.split('.')
    expect((await ask({ slug: label, port: desk.port }, 'key?')).status).toBe(405)
    expect((await fetch(`${asked.service.url}/_quire/ask`, { method: 'POST' })).status).toBe(404)
  })
})

describe('a question is refused', () => {
  inDepth('that is empty, too long, no JSON, or comes from another site', async () => {
    const desk = await openSite(asked)
    const before = asked.model.calls.length
    const own = `http://${desk.slug}.localhost:${desk.port}`
    const post = async (sending: Parameters<typeof ask>[2]): Promise<number> =>
      (await ask(desk, 'key?', sending)).status
    expect((await ask(desk, ' ')).status).toBe(400)
    expect((await ask(desk, 'k'.repeat(501))).status).toBe(400)
    expect(await post({ body: '{"question":1}' })).toBe(400)
    expect(await post({ body: JSON.stringify({ question: 'key?', path: 'x'.repeat(20_000) }) })).toBe(413)
    expect(await post({ headers: { 'content-type': 'text/plain' } })).toBe(415)
    expect(await post({ headers: { 'content-type': 'application/x-www-form-urlencoded' } })).toBe(415)
    expect(await post({ headers: { origin: 'https://evil.example' } })).toBe(403)
    expect(await post({ headers: { origin: own, 'sec-fetch-site': 'cross-site' } })).toBe(403)
    expect(asked.model.calls.length).toBe(before)
    expect(await post({ headers: { origin: own, 'sec-fetch-site': 'same-origin' } })).toBe(200)
    expect((await ask(desk, `🔑 key? ${'🔑'.repeat(490)}`)).status).toBe(200)
  })

  it('that comes from the site’s own address to a domain of its project, and the other way round', async () => {
    const desk = await openSite(asked)
    const owner = createClient({ baseUrl: asked.service.url, token: desk.session })
    const domain = 'docs.example.com'
    const params = { slug: desk.slug }
    dns.enter(await owner.call(contract.domains.create, { params, body: { domain } }))
    await owner.call(contract.domains.verify, { params: { ...params, domain } })
    const [here, there] = [`${desk.slug}.localhost:${desk.port}`, `${domain}:${desk.port}`]
    const post = async (host: string, from: string): Promise<number> =>
      (await ask(desk, 'key?', { headers: { host, origin: `http://${from}` } })).status
    expect([await post(there, there), await post(here, here)]).toEqual([200, 200])
    expect([await post(there, here), await post(here, there), await post(there, 'evil.example')]).toEqual([
      403, 403, 403,
    ])
  })

  it('beyond the day’s answers, in words that say nothing of the plan; the owner sees how many there were', async () => {
    const desk = await openSite(asked, { ...site, 'docs.json': settings({ enabled: true, dailyLimit: 2 }) })
    const replies = await Promise.all(Array.from({ length: 6 }, () => ask(desk, 'key?')))
    expect(replies.map(({ status }) => status).sort((one, other) => one - other)).toEqual([
      200, 200, 429, 429, 429, 429,
    ])
    const refused = replies.find(({ status }) => status === 429)
    expect(JSON.parse(refused?.text ?? '')).toEqual({
      type: '/api/docs#rate_limited',
      title: 'Too many requests',
      status: 429,
      code: 'rate_limited',
      detail: 'This site’s answers for today are used up.',
      hint: 'Ask again tomorrow, or look through the pages.',
    })
    expect((await usage(desk)).answers).toMatchObject({ used: 2, today: { used: 2, limit: 2 } })
    await asked.service.restart()
    expect((await ask(desk, 'key?')).status).toBe(429)
  })

  inDepth('in the same words when the plan of the owner has no more', async () => {
    const free = await startAskedService({ DEFAULT_PLAN: 'free' })
    try {
      const desk = await openSite(free)
      expect((await ask(desk, 'key?')).status).toBe(200)
      const refused = await ask(desk, 'key?')
      expect(refused.status).toBe(429)
      expect(refused.text).toContain('used up')
      expect(refused.text + JSON.stringify(refused.headers)).not.toMatch(/plan|free|month|quota|retry-after/i)
      expect((await usage(desk)).answers.today).toEqual({ used: 1, limit: 100 })
    } finally {
      await free.close()
    }
  })

  it('of a network that asks too often, before anything is looked up', async () => {
    const slow = await startAskedService({ RATE_ASK: '3' })
    try {
      const desk = await openSite(slow)
      const statuses: number[] = []
      for (let asks = 0; asks < 5; asks += 1) statuses.push((await ask(desk, 'key?')).status)
      expect(statuses).toEqual([200, 200, 200, 429, 429])
      expect(slow.model.calls.length).toBe(3)
    } finally {
      await slow.close()
    }
  })

  it('where the service has no model, in words for readers', async () => {
    const without = await startAskedService({ MODEL_ROUTER_URL: '', MODEL_ROUTER_KEY: '' })
    try {
      const desk = await openSite(without)
      const reply = await ask(desk, 'key?')
      expect(reply.status).toBe(503)
      expect(reply.text).toContain('The answer could not be written.')
      expect(reply.text).not.toContain('MODEL_ROUTER')
    } finally {
      await without.close()
    }
  })
})

describe('when an answer does not come to its end', () => {
  it('before its first word nothing is charged, after it the reader hears of it', async () => {
    const desk = await openSite(asked)
    asked.script = () => ({ status: 503 })
    expect((await ask(desk, 'key?')).status).toBe(503)
    expect((await usage(desk)).answers).toMatchObject({ used: 0, today: { used: 0 } })
    asked.script = () => ({ chunks: ['It is', ' so'], failAfter: { chunks: 1, how: 'reset' } })
    const reply = await ask(desk, 'key?')
    expect(reply.events.at(-1)).toMatchObject({ event: 'error', data: { detail: 'The answer could not be written.' } })
    expect((await usage(desk)).answers).toMatchObject({ used: 1, today: { used: 1 } })
  })

  inDepth('because the reader leaves, the model is told to stop, and the day’s answer is used', async () => {
    const desk = await openSite(asked)
    const before = asked.model.calls.length
    asked.script = () => ({ chunks: ['It is', ' so'], failAfter: { chunks: 0, how: 'hang' } })
    let leave = (): void => undefined
    const left = ask(desk, 'key?', { onSent: (sent) => (leave = () => void sent.destroy()) }).catch(String)
    await expect.poll(() => asked.model.calls.length).toBe(before + 1)
    leave()
    expect(await left).toContain('socket hang up')
    await expect.poll(() => asked.model.calls.at(-1)?.aborted).toBe(true)
    await expect.poll(async () => (await usage(desk)).answers).toMatchObject({ used: 0, today: { used: 1 } })
  })

  inDepth('because it has none, it is cut off and the model told to stop', async () => {
    const desk = await openSite(asked)
    asked.script = () => ({ chunks: Array.from({ length: 2000 }, () => 'and so on '), chunkDelayMs: 0 })
    const reply = await ask(desk, 'key?')
    expect(shownText(reply).length).toBeLessThanOrEqual(6000)
    expect(doneOf(reply)).toMatchObject({ isCut: true })
  })

  inDepth('because the service ends, it has its end first', async () => {
    const desk = await openSite(asked)
    const before = asked.model.calls.length
    asked.script = () => ({ chunks: ['a ', 'b ', 'c [1]'], chunkDelayMs: 100 })
    const reply = ask(desk, 'key?')
    await expect.poll(() => asked.model.calls.length).toBe(before + 1)
    await sleep(20)
    const [told] = await Promise.all([reply, asked.service.restart()])
    expect(shownText(told)).toBe('a b c [1]')
  })
})
