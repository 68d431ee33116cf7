import type { Logger } from 'pino'
import { Failure, type FailureOptions } from '../contract/failure.ts'
import { Broken, type BreakKind } from './upstream.ts'

type Log = Pick<Logger, 'warn' | 'error'>

/** Seconds to wait where a router does not say: the first and the longest of what is passed on. */
const [usualWait, longestWait] = [30, 3600]

const later = 'Try again later. If it stays so, tell whoever runs this service.'

const unavailable = (options: FailureOptions = {}): Failure =>
  new Failure('generation_unavailable', 'The language model is not available at the moment.', {
    hint: later,
    ...options,
  })

const failed = (detail: string): Failure => new Failure('generation_failed', detail, { hint: 'Try again in a moment.' })

/** What is the matter with the operator’s account or settings, which nobody else can mend. */
const operatorsOwn: Readonly<Record<number, string>> = {
  401: 'the model router refuses the key: check MODEL_ROUTER_KEY',
  402: 'the model router’s account has no credit left',
  404: 'the model router does not know the model, or nothing is at its address: check MODEL_ROUTER_URL and the models',
}

/**
 * What an error status of a router is to the user. What the router says beside it stays unread: it may hold what it was
 * asked, or the key.
 */
export function failureOfStatus(status: number, retryAfter: number | undefined, log: Log): Failure {
  const own = operatorsOwn[status]
  if (own !== undefined) {
    log.error({ status }, own)
    return unavailable()
  }
  if (status >= 300 && status < 400) {
    log.error(
      { status },
      'the model router redirects, which is not followed: MODEL_ROUTER_URL must be its final address',
    )
    return failed('The language model could not be reached.')
  }
  log.warn({ status }, 'the model router answered with an error')
  return failureOfCode(status, retryAfter)
}

function failureOfCode(status: number | string | undefined, retryAfter?: number): Failure {
  switch (status) {
    case 400:
    case 422:
      return new Failure('generation_rejected', 'The model does not take the request.', {
        hint: 'Shorten the messages, or choose another model.',
      })
    case 403:
      return new Failure('generation_rejected', 'The model’s provider refuses what the messages are about.', {
        hint: 'Leave out what it could object to, or choose another model.',
      })
    case 408:
      return failed('The model did not answer in time.')
    case 413:
      return new Failure('generation_rejected', 'The messages are too long for the model.', {
        hint: 'Shorten them, or choose a model with a larger context.',
      })
    case 429:
    case 503:
      return unavailable({ retryAfter: Math.min(Math.max(1, retryAfter ?? usualWait), longestWait) })
    case 401:
    case 402:
      return unavailable()
    default:
      return failed('The model failed to answer.')
  }
}

const breaks: Readonly<Record<Exclude<BreakKind, 'upstream'>, string>> = {
  timeout: 'The model did not answer in time.',
  connection: 'The connection to the model broke off.',
  protocol: 'The model’s answer cannot be understood.',
  'too much': 'The model answered with more than an answer may have.',
}

/** What the end of an exchange is to the user; what is no Broken, as it is: a bug, or the reason of a signal. */
export function failureOfBreak(error: unknown, isBegun: boolean, log: Log): unknown {
  if (!(error instanceof Broken)) return error
  const { kind, reason } = error
  log.warn({ kind, reason, isBegun }, 'an exchange with the model router broke off')
  return kind === 'upstream' ? failureOfCode(reason) : failed(breaks[kind])
}
