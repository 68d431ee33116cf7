import { once } from 'node:events'
import type { Command } from 'commander'
import { Failure, exitCodes } from '../../src/contract/failure.ts'
import { Lasting } from '../lasting.ts'
import { type Output, printable } from '../output.ts'
import { runHere } from '../program.ts'
import { createReceiver, type Receipt } from '../webhook-receiver.ts'

export function defineListen(webhooks: Command): void {
  webhooks
    .command('listen')
    .description('receive deliveries on this machine, check their signatures and print them')
    .option('-p, --port <number>', 'port of loopback', Number, 4400)
    .option('--secret-stdin', 'take the secret from standard input (else QUIRE_WEBHOOK_SECRET)')
    .option('--forward <address>', 'pass deliveries on, and their answers back')
    .action((options: Options) => runHere((output) => listen(options, output)))
}

interface Options {
  readonly port: number
  readonly secretStdin?: boolean
  readonly forward?: string
}

/** `quire webhooks listen`: until it is interrupted. */
async function listen(options: Options, output: Output): Promise<number> {
  const { port, forward } = options
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Failure('invalid_request', '--port takes a whole number up to 65535.')
  if (forward !== undefined && !/^https?:\/\/./.test(forward))
    throw new Failure('invalid_request', '--forward takes an http or https URL.')
  const secret = options.secretStdin === true ? await secretOfInput() : output.environment.webhookSecret
  if (secret !== undefined && !/^whsec_[A-Za-z0-9+/]+={0,2}$/.test(secret))
    throw new Failure('invalid_request', 'The secret is not one of a webhook: it begins with whsec_.')
  const server = createReceiver({ secret, forward, onReceipt: (receipt) => tell(receipt, output) })
  server.listen(port, '127.0.0.1')
  await listening(server, port)
  const address = server.address()
  const host = `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : port}`
  output.note(`Listening on http://${host}/ (Ctrl-C ends it).`)
  output.note(output.paint('dim', `Add it with: quire webhooks add http://${host}/`))
  output.note(output.paint('dim', `The service must allow this host: WEBHOOK_ALLOW_HOSTS=${host} in its environment.`))
  if (secret === undefined)
    output.note(output.paint('yellow', 'Signatures are not checked: set QUIRE_WEBHOOK_SECRET, or use --secret-stdin.'))
  await once(server, 'close')
  return exitCodes.ok
}

async function listening(server: ReturnType<typeof createReceiver>, port: number): Promise<void> {
  try {
    await once(server, 'listening')
  } catch (cause) {
    throw new Lasting(`Nothing can listen on port ${port} of this machine.`, {
      hint: 'Choose another one with --port.',
      cause,
    })
  }
}

function tell(receipt: Receipt, output: Output): void {
  const { headers, body, fault, status, error } = receipt
  const text = body.toString('utf8')
  const payload = parse(text)
  const id = headers['webhook-id']
  const signature = fault === undefined ? 'unchecked' : fault === null ? 'genuine' : 'refused'
  const color = { unchecked: 'yellow', genuine: 'green', refused: 'red' } as const
  const why = fault ?? error
  const head = [
    output.paint('dim', new Date().toLocaleTimeString('en', { hour12: false })),
    output.paint(color[signature], signature),
    typeof payload?.event === 'string' ? printable(payload.event) : 'delivery',
    String(status),
    output.paint('dim', printable(String(id ?? ''))),
  ].join('  ')
  const document = { id, signature, status, ...(why === undefined ? {} : { why }), payload: payload ?? text }
  output.result(document, [head, ...(why === undefined ? [] : [`  ${why}`]), `  ${printable(text)}`].join('\n'))
}

function parse(text: string): { readonly event?: unknown } | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : null
  } catch {
    // Shown as it is.
    return null
  }
}

/** One line, so that the secret is neither in the list of processes nor in the history of a shell. */
async function secretOfInput(): Promise<string> {
  process.stdin.setEncoding('utf8')
  let text = ''
  for await (const chunk of process.stdin as AsyncIterable<string>) {
    text += chunk
    if (text.includes('\n') || text.length > 1000) break
  }
  return text.split('\n')[0]?.trim() ?? ''
}
