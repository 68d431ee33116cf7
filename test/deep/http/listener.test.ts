import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { exitCodes } from '#contract/failure.ts'
import { Listener } from '#http/listener.ts'

const open = (): Listener => new Listener({ most: 10, ofAddress: 10, trustProxy: false })
const at = { host: '127.0.0.1', port: 0, socket: undefined }

it('asks to be tried again where another program has the port', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  onTestFinished(() => void taken.close())
  const { port } = taken.address() as AddressInfo
  await expect(open().listen({ ...at, port })).rejects.toMatchObject({
    message: `The service cannot listen at 127.0.0.1, port ${port} (EADDRINUSE).`,
    hint: expect.stringContaining('Stop the program that listens there') as string,
    exitCode: exitCodes.temporary,
  })
})

it('does not where the address is of no network of this machine', async () => {
  await expect(open().listen({ ...at, host: '203.0.113.1' })).rejects.toMatchObject({
    hint: 'Set HOST to an address of this machine.',
    exitCode: exitCodes.failed,
  })
})

it('does not where its user may not have the port, which no other program has', async () => {
  const listener = open()
  // As root, which tests may be run by, any port is had.
  listener.server.listen = () => {
    const refused = Object.assign(new Error('listen EACCES'), { code: 'EACCES' })
    setImmediate(() => listener.server.emit('error', refused))
    return listener.server
  }
  await expect(listener.listen({ ...at, port: 80 })).rejects.toMatchObject({
    message: 'The service cannot listen at 127.0.0.1, port 80 (EACCES).',
    hint: expect.stringMatching(/^Ports below 1024 are for root/) as string,
    exitCode: exitCodes.failed,
  })
})
