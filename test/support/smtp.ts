import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { onTestFinished } from 'vitest'

/** A letter that arrived. */
export interface ArrivedLetter {
  readonly from: string
  readonly to: readonly string[]
  /** Headers and body as they came. */
  readonly source: string
  /** The parts without their encoding, one after the other. */
  readonly text: string
}

/** Takes letters on loopback until the test ends. */
export interface TestSmtp {
  /** For SMTP_URL. */
  readonly url: string
  readonly arrived: ArrivedLetter[]
  /** What recipients are answered from now on; 250 takes them. */
  status: number
  /** Recipients that came, refused ones included. */
  attempts: number
}

export async function startSmtp(user?: { readonly name: string; readonly password: string }): Promise<TestSmtp> {
  const server = new SMTPServer({
    disabledCommands: user === undefined ? ['STARTTLS', 'AUTH'] : ['STARTTLS'],
    authOptional: user === undefined,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    logger: false,
    onAuth: ({ username, password }, _session, done) =>
      username === user?.name && password === user?.password
        ? done(null, { user: username })
        : done(new Error('who is that?')),
    onRcptTo: (_address, _session, done) => {
      smtp.attempts += 1
      if (smtp.status === 250) return done()
      done(Object.assign(new Error('not now'), { responseCode: smtp.status }))
    },
    onData: (stream, { envelope }, done) => {
      let source = ''
      stream.on('data', (chunk: Buffer) => (source += chunk.toString('latin1')))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = envelope
        const from = mailFrom === false ? '' : mailFrom.address
        smtp.arrived.push({ from, to: rcptTo.map(({ address }) => address), source, text: decoded(source) })
        done()
      })
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  // What a client that is cut off leaves behind.
  server.on('error', () => undefined)
  const { port } = server.server.address() as AddressInfo
  const login = user === undefined ? '' : `${user.name}:${user.password}@`
  const smtp: TestSmtp = { url: `smtp://${login}127.0.0.1:${port}`, arrived: [], status: 250, attempts: 0 }
  onTestFinished(() => new Promise<void>((resolve) => server.close(resolve)))
  return smtp
}

/** Quoted-printable undone (RFC 2045, 6.7). */
function decoded(source: string): string {
  const bytes = source
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8').replaceAll('\r\n', '\n')
}
