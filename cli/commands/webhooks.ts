import type { Command } from 'commander'
import { Failure, exitCodes } from '../../src/contract/failure.ts'
import { contract } from '../../src/contract/index.ts'
import type { Delivery, DeliveryStatus, DeliverySummary, Webhook } from '../../src/contract/webhooks.ts'
import { addExamples } from '../help.ts'
import { type Output, printable } from '../output.ts'
import { run } from '../program.ts'
import { openProject, firstItems } from '../service/project.ts'
import { withRetry } from '../service/retry.ts'
import { confirmed } from '../terminal.ts'
import { eventOf, exchangeOf, webhookState, webhookTrouble } from '../webhook-words.ts'
import { defineListen } from './webhooks-listen.ts'

/** Names between commas, in one option or in several. */
const names = (value: string, before: string[] = []): string[] => [...before, ...value.split(',')]

export function defineWebhooks(webhooks: Command): void {
  addExamples(webhooks, [
    ['webhooks add https://example.com/hook'],
    ['webhooks add https://example.com/hook --events deploy.failed'],
    ['webhooks listen', 'receive them here'],
  ])

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

function webhookLine(webhook: Webhook, output: Output): string {
  const { id, url, kind, events } = webhook
  const state = webhookState(webhook)
  const trouble = webhookTrouble(webhook)
  const lines = [
    `${output.paint(stateColors[state], state.padEnd('disabled'.length))}  ${url}`,
    `          ${output.paint('dim', [id, kind, events.join(',')].join('  '))}`,
    ...(trouble === undefined ? [] : [`          ${trouble}`]),
  ]
  return lines.join('\n')
}

const stateColors = { disabled: 'red', enabled: 'green', failing: 'yellow' } as const

/** `quire webhooks list`. */
async function listWebhooks(options: Options, output: Output): Promise<number> {
  const { client, slug, policy } = await openProject(options.url, output)
  const { items } = await withRetry(
    () => client.call(contract.webhooks.list, { params: { slug }, query: { limit: 200 } }),
    policy,
  )
  const lines = items.map((webhook) => webhookLine(webhook, output))
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
  output.note(webhookLine(webhook, output))
  if (webhook.kind === 'generic')
    output.note('Deliveries are signed (Standard Webhooks) with this secret, which is shown only now:')
  output.result(webhook, webhook.secret)
  return exitCodes.ok
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
  output.result(webhook, webhookLine(webhook, output))
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

function defineDeliveries(webhooks: Command): void {
  webhooks
    .command('test')
    .description('send a test event and print what was answered')
    .argument('<id>', 'id of the webhook')
    .action((id: string) => run((output, url) => testWebhook(id, { url }, output)))

  webhooks
    .command('deliveries')
    .description('list the deliveries of a webhook, newest first, or show one with request and response')
    .argument('<id>', 'id of the webhook')
    .argument('[delivery]', 'id of a delivery')
    .option('-n, --limit <number>', 'how many', Number, 20)
    .option('--status <status>', 'only succeeded, failed or skipped ones')
    .action((id: string, delivery: string | undefined, options: { limit: number; status?: string }) =>
      run((output, url) =>
        delivery === undefined
          ? listDeliveries(id, { ...options, url }, output)
          : showDelivery(id, delivery, { url }, output),
      ),
    )

  webhooks
    .command('redeliver')
    .description('deliver the event of a delivery again, with the same id')
    .argument('<id>', 'id of the webhook')
    .argument('<delivery>', 'id of a delivery')
    .action((id: string, delivery: string) => run((output, url) => redeliver(id, delivery, { url }, output)))
}

const statusColors = { succeeded: 'green', failed: 'red', skipped: 'yellow' } as const
const statuses = ['succeeded', 'failed', 'skipped'] as const satisfies DeliveryStatus[]

function deliveryLine(delivery: DeliverySummary, output: Output): string {
  const { id, event, trigger, attempt, status, at, durationMs, responseStatus, error, nextAttemptAt } = delivery
  const first = [
    output.paint(statusColors[status], status.padEnd('succeeded'.length)),
    at.slice(0, 19).replace('T', ' '),
    event.type.padEnd('changelog.published'.length),
    String(responseStatus ?? '–').padStart(3),
    `${Math.round(durationMs)} ms`.padStart(8),
    trigger === 'event' ? `attempt ${attempt}` : trigger,
  ]
  const lines = [first.join('  '), `           ${output.paint('dim', `${id}  ${event.id}`)}`]
  if (error !== undefined) lines.push(`           ${error}`)
  if (nextAttemptAt !== undefined) lines.push(`           next attempt ${nextAttemptAt.slice(0, 19).replace('T', ' ')}`)
  return lines.join('\n')
}

function exchangeText(delivery: Delivery, output: Output): string {
  return exchangeOf(delivery)
    .map(({ name, text, remark }) => {
      if (name !== undefined) return `${output.paint('dim', `${printable(name)}:`)} ${printable(text)}`
      return remark === true ? output.paint('dim', text) : printable(text)
    })
    .join('\n')
}

/** `quire webhooks deliveries <id>`. */
async function listDeliveries(
  id: string,
  options: Options & { readonly limit: number; readonly status?: string },
  output: Output,
): Promise<number> {
  const { limit } = options
  const status = statuses.find((known) => known === options.status)
  if (options.status !== undefined && status === undefined)
    throw new Failure('invalid_request', `--status takes one of ${statuses.join(', ')}.`)
  const { client, slug, policy } = await openProject(options.url, output)
  const items = await firstItems((page) => {
    const query = { ...page, ...(status === undefined ? {} : { status }) }
    return withRetry(() => client.call(contract.webhooks.deliveries, { params: { slug, id }, query }), policy)
  }, limit)
  const lines = items.map((delivery) => deliveryLine(delivery, output))
  output.result({ items }, items.length === 0 ? `${id} has no such deliveries.` : lines.join('\n'))
  return exitCodes.ok
}

/** `quire webhooks deliveries <id> <delivery>`. */
async function showDelivery(id: string, delivery: string, options: Options, output: Output): Promise<number> {
  const { client, slug, policy } = await openProject(options.url, output)
  const shown = await withRetry(
    () => client.call(contract.webhooks.delivery, { params: { slug, id, delivery } }),
    policy,
  )
  output.result(shown, `${deliveryLine(shown, output)}\n\n${exchangeText(shown, output)}`)
  return exitCodes.ok
}

/** `quire webhooks test <id>`. */
async function testWebhook(id: string, options: Options, output: Output): Promise<number> {
  const { client, slug } = await openProject(options.url, output)
  return reportDelivery(await client.call(contract.webhooks.test, { params: { slug, id } }), output)
}

/** `quire webhooks redeliver <id> <delivery>`. */
async function redeliver(id: string, delivery: string, options: Options, output: Output): Promise<number> {
  const { client, slug } = await openProject(options.url, output)
  return reportDelivery(await client.call(contract.webhooks.redeliver, { params: { slug, id, delivery } }), output)
}

/** A delivery that did not arrive is a failure of the command, too. */
function reportDelivery(delivery: Delivery, output: Output): number {
  output.result(delivery, deliveryLine(delivery, output))
  return delivery.status === 'succeeded' ? exitCodes.ok : exitCodes.failed
}
