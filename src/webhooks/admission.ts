import { Failure, type FailureCode } from '../contract/failure.ts'
import type { Guard } from './guard.ts'
import { Blocked, SendFailed, type BlockRule } from './sending.ts'
import type { Target } from './url.ts'

const codes: Readonly<Record<BlockRule, FailureCode>> = {
  malformed: 'webhook_url_invalid',
  not_https: 'webhook_url_not_https',
  credentials: 'webhook_url_invalid',
  port: 'webhook_url_invalid',
  own_host: 'webhook_url_private',
  local_name: 'webhook_url_private',
  no_address: 'webhook_url_invalid',
  private_address: 'webhook_url_private',
}

const hints: Partial<Readonly<Record<BlockRule, string>>> = {
  not_https: 'Use a URL that begins with `https://`.',
  credentials: 'Check the signature of deliveries instead, or put a token into the path.',
  no_address: 'Check the host for a typing mistake.',
}
const publicHint = 'Use a receiver that is reachable from the internet.'

/**
 * The URL of a webhook that is to be created or changed. A name that cannot be looked up is let in: that says nothing
 * about the URL, and every delivery looks again. Throws Failure `webhook_url_not_https`, `webhook_url_private` or
 * `webhook_url_invalid`.
 */
export async function admitUrl(guard: Guard, text: string): Promise<URL> {
  try {
    const target = guard.parse(text)
    await lookUp(guard, target)
    return target.url
  } catch (error) {
    if (!(error instanceof Blocked)) throw error
    throw new Failure(codes[error.rule], error.message, {
      hint: hints[error.rule] ?? publicHint,
      errors: [{ pointer: '/url', message: error.message }],
      extra: { rule: error.rule },
      cause: error,
    })
  }
}

async function lookUp(guard: Guard, target: Target): Promise<void> {
  try {
    await guard.addresses(target)
  } catch (error) {
    if (!(error instanceof SendFailed)) throw error
  }
}
