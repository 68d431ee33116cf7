import { program, run } from '../program.ts'

const load = () => import('../commands/webhooks.ts')
const loadDeliveries = () => import('../commands/deliveries.ts')
const collect = (value: string, before: string[] = []): string[] => [...before, ...value.split(',')]

const webhooks = program.command('webhooks').description('tell other services of deploys and what went wrong with them')

webhooks
  .command('list', { isDefault: true })
  .description('list the webhooks with their events and how they are')
  .action(() => run(async (output, url) => (await load()).listWebhooks({ url }, output)))

webhooks
  .command('add')
  .description('add a webhook; prints the secret that signs its deliveries, once')
  .argument('<address>', 'an https URL; Slack and Discord are recognised')
  .option('--events <names>', 'such as deploy.failed,preview.failed (default: deploy.success,deploy.failed)', collect)
  .action((address: string, options: { events?: string[] }) =>
    run(async (output, url) => (await load()).addWebhook(address, { ...options, url }, output)),
  )

webhooks
  .command('remove')
  .description('remove a webhook; what waits for it is not delivered')
  .argument('<id>')
  .option('--yes', 'do not ask')
  .action((id: string, options: { yes?: boolean }) =>
    run(async (output, url) => (await load()).removeWebhook(id, { ...options, url }, output)),
  )

webhooks
  .command('enable')
  .description('enable a webhook that was disabled; what waits for it is delivered')
  .argument('<id>')
  .action((id: string) => run(async (output, url) => (await load()).enableWebhook(id, { url }, output)))

webhooks
  .command('rotate-secret')
  .description('replace the secret of a webhook; the previous one signs as well for a day')
  .argument('<id>')
  .action((id: string) => run(async (output, url) => (await load()).rotateSecret(id, { url }, output)))

webhooks
  .command('test')
  .description('send a test event and print what was answered')
  .argument('<id>')
  .action((id: string) => run(async (output, url) => (await loadDeliveries()).testWebhook(id, { url }, output)))

webhooks
  .command('deliveries')
  .description('list the deliveries of a webhook, newest first, or show one with request and response')
  .argument('<id>')
  .argument('[delivery]')
  .option('-n, --limit <number>', 'how many', '20')
  .option('--status <status>', 'only succeeded, failed or skipped ones')
  .action((id: string, delivery: string | undefined, options: { limit: string; status?: string }) =>
    run(async (output, url) => {
      const commands = await loadDeliveries()
      if (delivery !== undefined) return commands.showDelivery(id, delivery, { url }, output)
      return commands.listDeliveries(id, { ...options, url, limit: Number(options.limit) }, output)
    }),
  )

webhooks
  .command('redeliver')
  .description('deliver the event of a delivery again, with the same id')
  .argument('<id>')
  .argument('<delivery>')
  .action((id: string, delivery: string) =>
    run(async (output, url) => (await loadDeliveries()).redeliver(id, delivery, { url }, output)),
  )

webhooks
  .command('listen')
  .description('receive deliveries on this machine, check their signatures and print them')
  .option('-p, --port <number>', 'port of loopback', '4400')
  .option('--secret-stdin', 'take the secret from standard input (else QUIRE_WEBHOOK_SECRET)')
  .option('--forward <address>', 'pass deliveries on, and their answers back')
  .action((options: { port: string; secretStdin?: boolean; forward?: string }) =>
    run(async (output) =>
      (await import('../commands/webhooks-listen.ts')).listen({ ...options, port: Number(options.port) }, output),
    ),
  )
