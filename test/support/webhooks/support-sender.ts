import { once } from 'node:events'
import type { AddressInfo, Server, Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { Guard, publicLookup } from '#webhooks/guard.ts'
import { createSender } from '#webhooks/sender.ts'
import type { Send } from '#webhooks/send.ts'
import { startDns, type Zone } from '#test/support/dns-stub.ts'

/** A sender whose names all come from a real name server on loopback, those of allowed hosts as well. */
export async function openSender(zone: Zone = () => ['127.0.0.1'], options: { timeoutMs?: number; ca?: string } = {}) {
  const dns = await startDns(zone)
  const lookup = publicLookup(() => dns.resolver)
  const guard = new Guard({
    allowHosts: ['hook.localhost', '127.0.0.1'],
    ownHost: 'platform.example',
    previewDomain: 'preview.example',
    lookup,
    systemLookup: lookup,
  })
  return { dns, guard, send: createSender({ guard, userAgent: 'Test/1', ...options }) }
}

/** Sends an empty object. */
export const sending = (send: Send, url: string, signal?: AbortSignal) =>
  send({
    url,
    headers: { 'content-type': 'application/json' },
    body: '{}',
    ...(signal === undefined ? {} : { signal }),
  })

/** Listens until the test is over, on a port of its own. */
export async function listen(server: Server, host = '127.0.0.1', port = 0): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => sockets.add(socket))
  server.listen(port, host)
  await once(server, 'listening')
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  })
  return (server.address() as AddressInfo).port
}
