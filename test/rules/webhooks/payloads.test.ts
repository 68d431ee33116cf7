import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import type { WebhookKind } from '#contract/webhooks.ts'
import type { WebhookEvent } from '#webhooks/events.ts'
import { kindOf, targetOf, render, cut, mintSecret, sign } from '#webhooks/payloads.ts'
import { eventOf } from './support-events.ts'

const kinds: readonly WebhookKind[] = ['generic', 'slack', 'discord']
const deploy = { id: '0mi3k2x9q4f8a1c07', kind: 'deploy', commit: 'a'.repeat(40), durationMs: 812 }
const success = eventOf(1, { data: { message: 'Deploy 1 is live: 3 pages.', url: 'https://docs.example.net', deploy } })
const failure = eventOf(2, {
  type: 'deploy.failed',
  data: { message: 'a.mdx:3: <Card> is not closed & more', url: 'https://docs.example.net/?a=1&b=2', deploy },
})

const bodyOf = (kind: WebhookKind, event: WebhookEvent): unknown => JSON.parse(render(kind, event).body)

/** Of the fields that have limits. */
interface Chat {
  readonly text: string
  readonly attachments: readonly { readonly fields: readonly { readonly value: string }[] }[]
  readonly content: string
  readonly embeds: readonly { readonly title: string; readonly description: string }[]
  readonly message: string
  readonly title: string
}

const saying = (message: string, title = 'Docs'): WebhookEvent =>
  eventOf(1, { project: { slug: 'docs', title }, data: { message, url: 'https://docs.example.net' } })
const chat = (kind: WebhookKind, event: WebhookEvent): Chat => bodyOf(kind, event) as Chat
const points = (text: string | undefined): number => Array.from(text ?? '').length

describe('the payload', () => {
  it('of a generic webhook', () => {
    expect(bodyOf('generic', success)).toEqual({
      event: 'deploy.success',
      message: 'Deploy 1 is live: 3 pages.',
      title: 'Docs',
      url: 'https://docs.example.net',
      id: 'evt_1',
      timestamp: '2026-11-21T12:00:00.001Z',
      project: { slug: 'docs', title: 'Docs' },
      deploy,
    })
    expect(bodyOf('generic', failure)).toMatchObject({ event: 'deploy.failed', message: failure.data.message })
  })

  it('for Slack: green or red, and nothing in it becomes a link or a mention', () => {
    expect(bodyOf('slack', success)).toEqual({
      text: 'deploy.success: Deploy 1 is live: 3 pages.',
      attachments: [
        {
          color: '#36a64f',
          fields: [
            { title: 'message', value: 'Deploy 1 is live: 3 pages.', short: true },
            { title: 'url', value: 'https://docs.example.net', short: true },
          ],
        },
      ],
    })
    expect(bodyOf('slack', failure)).toEqual({
      text: 'deploy.failed: a.mdx:3: &lt;Card&gt; is not closed &amp; more',
      attachments: [
        {
          color: '#d32f2f',
          fields: [
            { title: 'message', value: 'a.mdx:3: &lt;Card&gt; is not closed &amp; more', short: true },
            { title: 'url', value: 'https://docs.example.net/?a=1&amp;b=2', short: true },
          ],
        },
      ],
    })
  })

  it('for Discord: green or red, and nobody is called', () => {
    expect(bodyOf('discord', success)).toEqual({
      content: '**deploy.success**',
      embeds: [{ title: 'Docs', description: 'Deploy 1 is live: 3 pages.', color: 3581519 }],
      allowed_mentions: { parse: [] },
    })
    expect(bodyOf('discord', failure)).toEqual({
      content: '**deploy.failed**',
      embeds: [{ title: 'Docs', description: failure.data.message, color: 13840175 }],
      allowed_mentions: { parse: [] },
    })
  })

  it('keeps texts that are just as long as they may be, and cuts longer ones', () => {
    const rows: readonly (readonly [WebhookKind, number, (payload: Chat) => string | undefined])[] = [
      ['discord', 4096, ({ embeds }) => embeds[0]?.description],
      ['slack', 2000, ({ attachments }) => attachments[0]?.fields[0]?.value],
      ['slack', 4000 - 'deploy.success: '.length, ({ text }) => text.slice('deploy.success: '.length)],
      ['generic', 10_000, ({ message }) => message],
    ]
    for (const [kind, limit, pick] of rows) {
      expect(pick(chat(kind, saying('a'.repeat(limit))))).toBe('a'.repeat(limit))
      expect(pick(chat(kind, saying('a'.repeat(limit + 1))))).toBe(`${'a'.repeat(limit - 1)}…`)
    }
    expect(chat('discord', saying('x', 'é'.repeat(256))).embeds[0]?.title).toBe('é'.repeat(256))
    expect(chat('discord', saying('x', '😀'.repeat(257))).embeds[0]?.title).toBe(`${'😀'.repeat(255)}…`)
    expect(chat('slack', saying('<'.repeat(5000))).text).toMatch(/^deploy\.success: (?:&lt;)+…$/)
  })

  it('holds every limit for any text', () => {
    const odd = fc.constantFrom('&', '<', '"', '\u0000', '\uD800', '😀', '👩‍👩‍👧', 'e\u0301', '\n', 'a')
    const text = fc
      .tuple(fc.array(odd, { minLength: 1, maxLength: 5 }), fc.integer({ min: 0, max: 8000 }), fc.string())
      .map(([parts, times, rest]) => parts.join('').repeat(times) + rest)
    fc.assert(
      fc.property(text, text, fc.constantFrom(...kinds), (message, title, kind) => {
        const { body } = render(kind, saying(message, title))
        const payload = JSON.parse(body) as Partial<Chat>
        expect(Buffer.byteLength(body)).toBeLessThan(20_000)
        expect(/\\ud[89a-f]/i.test(body)).toBe(false)
        const [embed] = payload.embeds ?? []
        expect(points(embed?.title)).toBeLessThanOrEqual(256)
        expect(points(embed?.description)).toBeLessThanOrEqual(4096)
        expect(points(payload.text)).toBeLessThanOrEqual(4000)
        for (const { value } of payload.attachments?.[0]?.fields ?? []) {
          expect(points(value)).toBeLessThanOrEqual(2000)
          expect(/&(?!(?:amp|lt|gt);)|[<>]/.test(value)).toBe(false)
        }
      }),
    )
  })
})

describe('a text that is cut', () => {
  it.each([
    ['👩‍👩‍👧👩‍👩‍👧', 9, '👩‍👩‍👧…'],
    ['ae\u0301bc', 3, 'a…'],
    ['🇩🇪🇫🇷', 3, '🇩🇪…'],
    ['😀😀', 1, '…'],
    ['abc', 0, ''],
    ['abc', 3, 'abc'],
  ])('%s at %i is %s: no character is halved', (text, limit, expected) => expect(cut(text, limit)).toBe(expected))

  it('is cut all the same where one character has no end', () => {
    expect(points(cut(`e${'\u0301'.repeat(5000)}`, 256))).toBe(256)
  })
})

describe('the kind', () => {
  it.each([
    ['https://hooks.slack.com/services/T0/B0/x', 'slack'],
    ['https://hooks.slack-gov.com/services/T0', 'slack'],
    ['https://hooks.slack.com/workflows/T0/A0/x', 'slack'],
    ['https://HOOKS.slack.com./services/T0', 'slack'],
    ['https://discord.com/api/webhooks/1/x', 'discord'],
    ['https://discordapp.com/api/webhooks/1/x', 'discord'],
    ['https://ptb.discord.com/api/webhooks/1/x', 'discord'],
    ['https://canary.discord.com/api/v10/webhooks/1/x', 'discord'],
    ['https://discord.com/channels/1', 'generic'],
    ['https://hooks.slack.com.evil.example/services', 'generic'],
    ['https://evil.example/hooks.slack.com/', 'generic'],
    ['https://notdiscord.com/api/webhooks/1/x', 'generic'],
  ])('of %s is %s', (url, kind) => expect(kindOf(new URL(url))).toBe(kind))

  it('of Discord makes it say what became of a message', () => {
    const url = 'https://discord.com/api/webhooks/1/x?thread_id=2'
    expect(targetOf({ kind: 'discord', url })).toBe(`${url}&wait=true`)
    expect(targetOf({ kind: 'generic', url })).toBe(url)
  })
})

describe('a signature', () => {
  it('is what receivers with either secret of a rotation accept, and nobody else', () => {
    const [current, previous, other] = [mintSecret(), mintSecret(), mintSecret()]
    const { body } = render('generic', success)
    const timestamp = Math.floor(Date.now() / 1000)
    const headers = {
      'webhook-id': success.id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': sign([current, previous], { id: success.id, timestamp, body }),
    }
    for (const secret of [current, previous])
      expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body))
    expect(() => new Webhook(other).verify(body, headers)).toThrow('No matching signature')
    expect(() => new Webhook(current).verify(`${body} `, headers)).toThrow('No matching signature')
    expect(current).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  })
})
