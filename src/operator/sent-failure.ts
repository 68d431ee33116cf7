import { Failure, failureCodes, type FailureCode } from '../contract/failure.ts'

/** A Failure as it goes through the socket. */
export interface SentFailure {
  readonly code: string
  readonly message: string
  readonly hint?: string
}

export function sendableFailure(error: unknown): SentFailure {
  if (!(error instanceof Failure)) {
    return {
      code: 'internal',
      message: 'The service made a mistake',
      hint: 'The log of the service says which.',
    }
  }
  return { code: error.code, message: error.message, ...(error.hint === undefined ? {} : { hint: error.hint }) }
}

export function receivedFailure({ code, message, hint }: SentFailure): Failure {
  const known: FailureCode = Object.hasOwn(failureCodes, code) ? (code as FailureCode) : 'internal'
  return new Failure(known, message, hint === undefined ? {} : { hint })
}
