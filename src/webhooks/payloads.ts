import { createHmac, randomBytes } from 'node:crypto'
import type { WebhookKind } from '../contract/webhooks.ts'
import { isFailure, type WebhookEvent } from './events.ts'

/** The body of a request. */
export interface Payload {
  readonly body: string
  readonly contentType: string
}

/** Characters are code points. What services publish, and for Slack’s text what it advises. */
const limits = {
  /** Standard Webhooks: payloads stay under 20 KB. Bytes of the body. */
  bytes: 20_000,
  message: 10_000,
  title: 256,
  slackText: 4000,
  slackValue: 2000,
  discordTitle: 256,
  discordDescription: 4096,
} as const

const green = 0x36a64f
const red = 0xd32f2f
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
/** What a reader takes for one character may be any number of code points; beyond this it is cut as well. */
const longestGrapheme = 64
const secretPrefix = 'whsec_'
const secretBytes = 32

/** The body for one kind of receiver. Texts are cut so that every limit of the receiver holds. */
export function render(kind: WebhookKind, event: WebhookEvent): Payload {
  const shape = shapes[kind]
  const message = clean(event.data.message)
  // Bytes depend on what the characters are, so the text is shortened until they fit.
  for (let room: number = limits.message; ; room = Math.floor(room * 0.8)) {
    const body = JSON.stringify(shape(event, cut(message, room)))
    if (room === 0 || Buffer.byteLength(body) < limits.bytes) return { body, contentType: 'application/json' }
  }
}

type Shape = (event: WebhookEvent, message: string) => object

const generic: Shape = ({ id, type, at, project, data }, message) => {
  const title = cut(clean(project.title), limits.title)
  const { deploy, entry } = data
  return {
    event: type,
    message,
    title,
    url: data.url,
    id,
    timestamp: at,
    project: { slug: project.slug, title },
    ...(deploy === undefined ? {} : { deploy }),
    ...(entry === undefined ? {} : { entry: { ...entry, title: cut(clean(entry.title), limits.title) } }),
  }
}

const slack: Shape = (event, message) => ({
  text: slackText(`${event.type}: ${message}`, limits.slackText),
  attachments: [
    {
      color: `#${colorOf(event).toString(16).padStart(6, '0')}`,
      fields: [
        { title: 'message', value: slackText(message, limits.slackValue), short: true },
        { title: 'url', value: slackText(event.data.url, limits.slackValue), short: true },
      ],
    },
  ],
})

const discord: Shape = (event, message) => ({
  content: `**${event.type}**`,
  embeds: [
    {
      title: cut(clean(event.project.title), limits.discordTitle),
      description: cut(message, limits.discordDescription),
      color: colorOf(event),
    },
  ],
  // Messages quote what people wrote: an `@everyone` in it must not notify anybody.
  allowed_mentions: { parse: [] },
})

const shapes: Readonly<Record<WebhookKind, Shape>> = { generic, slack, discord }

function colorOf(event: WebhookEvent): number {
  return isFailure(event) ? red : green
}

/** Slack’s three control characters escaped, so that nothing becomes a link or a mention; no escape is cut in two. */
function slackText(text: string, limit: number): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return cut(escaped, limit).replace(/&[a-z]*…$/, '…')
}

const slackHosts = new Set(['hooks.slack.com', 'hooks.slack-gov.com'])
const discordHost = /^(?:(?:ptb|canary)\.)?discord(?:app)?\.com$/
const discordPath = /^\/api\/(?:v\d+\/)?webhooks\/./

/** Which service a URL belongs to, by its host and path. */
export function kindOf({ hostname, pathname }: URL): WebhookKind {
  const host = hostname.replace(/\.$/, '')
  if (slackHosts.has(host)) return 'slack'
  return discordHost.test(host) && discordPath.test(pathname) ? 'discord' : 'generic'
}

/** Where a request for a webhook goes. Discord says what became of a message only when it is asked to wait for it. */
export function targetOf({ kind, url }: { readonly kind: WebhookKind; readonly url: string }): string {
  if (kind !== 'discord') return url
  const target = new URL(url)
  target.searchParams.set('wait', 'true')
  return target.href
}

/** Index of the code unit behind `count` code points, or null where the text has no more than that. */
function indexAfter(text: string, count: number): number | null {
  let index = 0
  for (let counted = 0; counted < count; counted++) {
    if (index >= text.length) return null
    index += (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1
  }
  return index < text.length ? index : null
}

/**
 * The text with at most `limit` code points: a longer one ends in an ellipsis, which counts. Neither a surrogate pair
 * nor what readers take for one character (a flag, a letter with its accents) is cut in two.
 */
export function cut(text: string, limit: number): string {
  if (indexAfter(text, limit) === null) return text
  const end = indexAfter(text, Math.max(0, limit - 1)) ?? 0
  if (limit < 1) return ''
  const start = graphemes.segment(text.slice(0, end + longestGrapheme)).containing(end)?.index ?? end
  const whole = start > 0 && end - start <= longestGrapheme ? start : end
  return `${text.slice(0, whole)}…`
}

/** Without halves of surrogate pairs and control characters, which receivers refuse; tabs and line ends stay. */
export function clean(text: string): string {
  return text.replace(/(?![\t\n\r])[\p{Cc}\p{Surrogate}]/gu, '\uFFFD')
}

/** A new secret: `whsec_` and 32 random bytes in Base64. */
export function mintSecret(): string {
  return secretPrefix + randomBytes(secretBytes).toString('base64')
}

/** What is signed. */
export interface Message {
  /** Header `webhook-id`. */
  readonly id: string
  /** Header `webhook-timestamp`: seconds since 1970. */
  readonly timestamp: number
  readonly body: string
}

/**
 * The header `webhook-signature`: `v1,` and the HMAC-SHA256 of `id.timestamp.body` in Base64, once for every secret,
 * separated by spaces (Standard Webhooks 1.0).
 */
export function sign(secrets: readonly string[], { id, timestamp, body }: Message): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(secretPrefix.length), 'base64')
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
    })
    .join(' ')
}
