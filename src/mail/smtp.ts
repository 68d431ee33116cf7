import { createTransport } from 'nodemailer'
import { isLoopback } from '../lib/settings-reader.ts'
import type { Letter } from './mailer.ts'

/** Hands a letter over, once; throws when it could not. */
export type Deliver = (letter: Letter) => Promise<void>

/** How a server of mail is reached. */
export interface SmtpSettings {
  /** `smtp:` or `smtps:`, with user and password where the server wants them. */
  readonly url: string
  /** Address of the service, with a name before it or without. */
  readonly from: string
}

const longestConnect = 10_000
/** Milliseconds for which a server may say nothing. */
const longestSilence = 20_000

/** Hands letters to a server of mail. A password is sent to another machine over TLS only. */
export function smtpDelivery({ url, from }: SmtpSettings): Deliver {
  const { protocol, username } = new URL(url)
  const isLocal = isLoopback(url)
  const transport = createTransport({
    url,
    requireTLS: protocol === 'smtp:' && username !== '' && !isLocal,
    // A server on this machine often has a certificate that nobody signed.
    ...(isLocal ? { tls: { rejectUnauthorized: false } } : {}),
    connectionTimeout: longestConnect,
    greetingTimeout: longestConnect,
    dnsTimeout: longestConnect,
    socketTimeout: longestSilence,
    // A letter is text that we made: nothing in it may name a file or an address to be fetched.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return async ({ to, subject, text, html }) => {
    // Nobody’s “out of office” is wanted (RFC 3834, 5).
    const headers = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' }
    await transport.sendMail({ from, to: { name: '', address: to }, subject, text, html, headers })
  }
}

/** Whether another attempt is of no use: the server refused for good (RFC 5321, 4.2.1). */
export function isRefusal(error: unknown): boolean {
  const { responseCode } = error as { readonly responseCode?: unknown }
  return typeof responseCode === 'number' && responseCode >= 500
}
