import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { Mailer } from '../mail/mailer.ts'
import { MailQueue } from '../mail/queue.ts'
import { smtpDelivery } from '../mail/smtp.ts'
import type { Closers } from './closers.ts'

/** Milliseconds that letters under way have at the end. */
const longestLetter = 5000

/** Sends letters where the settings name a server of mail; undefined where they do not. */
export function openMail({ mail, drainSeconds }: Config, logger: Logger, closers: Closers): Mailer | undefined {
  if (mail === undefined) return undefined
  const queue = new MailQueue({ deliver: smtpDelivery(mail), log: logger })
  closers.addReader(() => queue.close(Math.min(drainSeconds * 1000, longestLetter)))
  return queue
}
