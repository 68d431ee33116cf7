import { program, run } from '../program.ts'

const load = () => import('../commands/webhooks.ts')
const loadDeliveries = () => import('../commands/deliveries.ts')
/** Names between commas, in one option or in several. */
const names = (value: string, before: string[] = []): string[] => [...before, ...value.split(',')]

const webhooks = program
  .command('webhooks')
  .description('tell other services of deploys, previews and changelog entries')
  .showHelpAfterError('Run quire webhooks --help to see its commands.')
  .addHelpText(
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
  .action(() => run(async (output, url) => (await load()).listWebhooks({ url }, output)))

webhooks
  .command('add')
  .description('add a webhook; prints the secret that signs its deliveries, once')
  .argument('<address>', 'an https URL; Slack and Discord are recognised')
  .option('--events <names>', 'such as deploy.failed,preview.failed (default: deploy.success,deploy.failed)', names)
  .action((address: string, options: { events?: string[] }) =>
    run(async (output, url) => (await load()).addWebhook(address, { ...options, url }, output)),
  )

webhooks
  .command('remove')
  .description('remove a webhook; what waits for it is not delivered')
  .argument('<id>', 'id of the webhook')
  .option('--yes', 'do not ask')
  .action((id: string, options: { yes?: boolean }) =>
    run(async (output, url) => (await load()).removeWebhook(id, { ...options, url }, output)),
  )

webhooks
  .command('enable')
  .description('enable a webhook that was disabled; what waits for it is delivered')
  .argument('<id>', 'id of the webhook')
  .action((id: string) => run(async (output, url) => (await load()).enableWebhook(id, { url }, output)))

webhooks
  .command('rotate-secret')
  .description('replace the secret of a webhook; the previous one signs as well for a day')
  .argument('<id>', 'id of the webhook')
  .action((id: string) => run(async (output, url) => (await load()).rotateSecret(id, { url }, output)))

webhooks
  .command('test')
  .description('send a test event and print what was answered')
  .argument('<id>', 'id of the webhook')
  .action((id: string) => run(async (output, url) => (await loadDeliveries()).testWebhook(id, { url }, output)))

webhooks
  .command('deliveries')
  .description('list the deliveries of a webhook, newest first, or show one with request and response')
  .argument('<id>', 'id of the webhook')
  .argument('[delivery]', 'id of a delivery')
  .option('-n, --limit <number>', 'how many', Number, 20)
  .option('--status <status>', 'only succeeded, failed or skipped ones')
  .action((id: string, delivery: string | undefined, options: { limit: number; status?: string }) =>
    run(async (output, url) => {
      const commands = await loadDeliveries()
      if (delivery !== undefined) return commands.showDelivery(id, delivery, { url }, output)
      return commands.listDeliveries(id, { ...options, url }, output)
    }),
  )

webhooks
  .command('redeliver')
  .description('deliver the event of a delivery again, with the same id')
  .argument('<id>', 'id of the webhook')
  .argument('<delivery>', 'id of a delivery')
  .action((id: string, delivery: string) =>
    run(async (output, url) => (await loadDeliveries()).redeliver(id, delivery, { url }, output)),
  )

webhooks
  .command('listen')
  .description('receive deliveries on this machine, check their signatures and print them')
  .option('-p, --port <number>', 'port of loopback', Number, 4400)
  .option('--secret-stdin', 'take the secret from standard input (else QUIRE_WEBHOOK_SECRET)')
  .option('--forward <address>', 'pass deliveries on, and their answers back')
  .action((options: { port: number; secretStdin?: boolean; forward?: string }) =>
    run(async (output) => (await import('../commands/webhooks-listen.ts')).listen(options, output)),
  )
