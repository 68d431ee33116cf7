import type { WebhookKind } from '../contract/webhooks.ts'
import { isFailure, type WebhookEvent } from './events.ts'
import { clean, cut } from './truncate.ts'

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
  // Nobody is called by a message that quotes what somebody wrote.
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
