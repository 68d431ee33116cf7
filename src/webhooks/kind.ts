import type { WebhookKind } from '../contract/webhooks.ts'

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
