import type { Command } from 'commander'
import { Failure, exitCodes } from '../../src/contract/failure.ts'
import { contract } from '../../src/contract/index.ts'
import type { Delivery, DeliveryStatus, DeliverySummary } from '../../src/contract/webhooks.ts'
import type { Output } from '../output.ts'
import { firstItems, openProject } from '../project.ts'
import { printable } from '../format.ts'
import { withRetry } from '../retry.ts'
import { run } from '../program.ts'

export function defineDeliveries(webhooks: Command): void {
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

interface Options {
  readonly url: string
}

const colors = { succeeded: 'green', failed: 'red', skipped: 'yellow' } as const
const statuses = ['succeeded', 'failed', 'skipped'] as const satisfies DeliveryStatus[]

function lineOf(delivery: DeliverySummary, output: Output): string {
  const { id, event, trigger, attempt, status, at, durationMs, responseStatus, error, nextAttemptAt } = delivery
  const first = [
    output.paint(colors[status], status.padEnd('succeeded'.length)),
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

function exchangeOf({ url, request, response }: Delivery, output: Output): string {
  const headersOf = (headers: Readonly<Record<string, string>>): string[] =>
    Object.entries(headers).map(([name, value]) => `${output.paint('dim', `${printable(name)}:`)} ${printable(value)}`)
  const sent = [`POST ${printable(url)}`, ...headersOf(request.headers), '', printable(request.body)]
  if (response === undefined) return sent.join('\n')
  const { status, headers, body, truncated } = response
  const more = truncated ? [output.paint('dim', '(there was more)')] : []
  return [...sent, '', String(status), ...headersOf(headers), '', printable(body), ...more].join('\n')
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
  const lines = items.map((delivery) => lineOf(delivery, output))
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
  output.result(shown, `${lineOf(shown, output)}\n\n${exchangeOf(shown, output)}`)
  return exitCodes.ok
}

/** `quire webhooks test <id>`. */
async function testWebhook(id: string, options: Options, output: Output): Promise<number> {
  const { client, slug } = await openProject(options.url, output)
  return report(await client.call(contract.webhooks.test, { params: { slug, id } }), output)
}

/** `quire webhooks redeliver <id> <delivery>`. */
async function redeliver(id: string, delivery: string, options: Options, output: Output): Promise<number> {
  const { client, slug } = await openProject(options.url, output)
  return report(await client.call(contract.webhooks.redeliver, { params: { slug, id, delivery } }), output)
}

/** A delivery that did not arrive is a failure of the command, too. */
function report(delivery: Delivery, output: Output): number {
  output.result(delivery, lineOf(delivery, output))
  return delivery.status === 'succeeded' ? exitCodes.ok : exitCodes.failed
}
