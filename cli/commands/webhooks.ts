import type { Command } from 'commander'
import { Failure, exitCodes } from '../../src/contract/failure.ts'
import { contract } from '../../src/contract/index.ts'
import { WebhookEventType, type Webhook } from '../../src/contract/webhooks.ts'
import { confirmed } from '../terminal.ts'
import type { Output } from '../output.ts'
import { openProject } from '../project.ts'
import { withRetry } from '../retry.ts'
import { run } from '../program.ts'
import { defineDeliveries } from './webhooks-deliveries.ts'
import { defineListen } from './webhooks-listen.ts'

/** Names between commas, in one option or in several. */
const names = (value: string, before: string[] = []): string[] => [...before, ...value.split(',')]

export function define(webhooks: Command): void {
  webhooks.showHelpAfterError('Run quire webhooks --help to see its commands.').addHelpText(
    'before',
    `Examples
  $ quire webhooks add https://example.com/hook                         of deploys
  $ quire webhooks add https://example.com/hook --events deploy.failed  of those that fail
  $ quire webhooks listen                                               receive deliveries here
`,
  )

  webhooks
    .command('list', { isDefault: true })
    .description('list the webhooks with their events and how they are')
    .action(() => run((output, url) => listWebhooks({ url }, output)))

  webhooks
    .command('add')
    .description('add a webhook; prints the secret that signs its deliveries, once')
    .argument('<address>', 'an https URL; Slack and Discord are recognised')
    .option('--events <names>', 'such as deploy.failed,preview.failed (default: deploy.success,deploy.failed)', names)
    .action((address: string, options: { events?: string[] }) =>
      run((output, url) => addWebhook(address, { ...options, url }, output)),
    )

  webhooks
    .command('remove')
    .description('remove a webhook; what waits for it is not delivered')
    .argument('<id>', 'id of the webhook')
    .option('--yes', 'do not ask')
    .action((id: string, options: { yes?: boolean }) =>
      run((output, url) => removeWebhook(id, { ...options, url }, output)),
    )

  webhooks
    .command('enable')
    .description('enable a webhook that was disabled; what waits for it is delivered')
    .argument('<id>', 'id of the webhook')
    .action((id: string) => run((output, url) => enableWebhook(id, { url }, output)))

  webhooks
    .command('rotate-secret')
    .description('replace the secret of a webhook; the previous one signs as well for a day')
    .argument('<id>', 'id of the webhook')
    .action((id: string) => run((output, url) => rotateSecret(id, { url }, output)))

  defineDeliveries(webhooks)
  defineListen(webhooks)
}

interface Options {
  readonly url: string
}

function lineOf(webhook: Webhook, output: Output): string {
  const { id, url, kind, events, enabled, disabledReason, failingSince } = webhook
  const dim = (text: string): string => output.paint('dim', text)
  const lines = [`${stateOf(webhook, output)}  ${url}`, `          ${dim([id, kind, events.join(',')].join('  '))}`]
  if (!enabled && disabledReason !== undefined) lines.push(`          ${disabledReason}`)
  if (enabled && failingSince !== undefined) lines.push(`          nothing has arrived since ${failingSince}`)
  return lines.join('\n')
}

function stateOf({ enabled, failingSince }: Webhook, output: Output): string {
  if (!enabled) return output.paint('red', 'disabled')
  return failingSince === undefined ? output.paint('green', 'enabled ') : output.paint('yellow', 'failing ')
}

/** `quire webhooks list`. */
async function listWebhooks(options: Options, output: Output): Promise<number> {
  const { client, slug, policy } = await openProject(options.url, output)
  const { items } = await withRetry(
    () => client.call(contract.webhooks.list, { params: { slug }, query: { limit: 200 } }),
    policy,
  )
  const lines = items.map((webhook) => lineOf(webhook, output))
  output.result({ items }, items.length === 0 ? `${slug} has no webhooks.` : lines.join('\n'))
  return exitCodes.ok
}

/** `quire webhooks add <url>`: the secret goes to standard output, so that it can be piped to where it is kept. */
async function addWebhook(
  address: string,
  options: Options & { readonly events?: readonly string[] },
  output: Output,
): Promise<number> {
  const events = options.events?.map(eventOf)
  const { client, slug } = await openProject(options.url, output)
  const body = { url: address, ...(events === undefined ? {} : { events }) }
  const webhook = await client.call(contract.webhooks.create, { params: { slug }, body })
  output.note(lineOf(webhook, output))
  if (webhook.kind === 'generic')
    output.note('Deliveries are signed (Standard Webhooks) with this secret, which is shown only now:')
  output.result(webhook, webhook.secret)
  return exitCodes.ok
}

function eventOf(name: string): WebhookEventType {
  const known = WebhookEventType.anyOf.map((schema) => schema.const)
  const event = known.find((type) => type === name.trim())
  if (event !== undefined) return event
  throw new Failure('invalid_request', `There is no event ${name}.`, { hint: `There are ${known.join(', ')}.` })
}

/** `quire webhooks remove <id>`. */
async function removeWebhook(
  id: string,
  options: Options & { readonly yes?: boolean },
  output: Output,
): Promise<number> {
  const { client, slug, policy } = await openProject(options.url, output)
  const webhook = await withRetry(() => client.call(contract.webhooks.read, { params: { slug, id } }), policy)
  if (!(await confirmed(`Removing the webhook ${webhook.url}`, options, output))) {
    output.note(`${webhook.url} stays.`)
    return exitCodes.failed
  }
  await withRetry(() => client.call(contract.webhooks.remove, { params: { slug }, query: { id } }), policy)
  output.result({ removed: id }, `removed ${webhook.url}`)
  return exitCodes.ok
}

/** `quire webhooks enable <id>`. */
async function enableWebhook(id: string, options: Options, output: Output): Promise<number> {
  const { client, slug, policy } = await openProject(options.url, output)
  const webhook = await withRetry(
    () => client.call(contract.webhooks.update, { params: { slug, id }, body: { enabled: true } }),
    policy,
  )
  output.result(webhook, lineOf(webhook, output))
  return exitCodes.ok
}

/** `quire webhooks rotate-secret <id>`. Not tried again: a lost answer would be a lost secret either way. */
async function rotateSecret(id: string, options: Options, output: Output): Promise<number> {
  const { client, slug } = await openProject(options.url, output)
  const rotated = await client.call(contract.webhooks.rotate, { params: { slug, id } })
  output.note(`The new secret, shown only now. Until ${rotated.previousExpiresAt} the previous one signs as well.`)
  output.result(rotated, rotated.secret)
  return exitCodes.ok
}
