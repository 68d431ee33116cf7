import { createClient } from '../client/client.ts'
import { Failure } from '../contract/failure.ts'

/** The service that this page came from; the browser's cookie is the credential. */
export const client = createClient({ baseUrl: location.origin })

/** 128 random bits. `crypto.randomUUID` is only there over HTTPS. */
export function idempotencyKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

export function isFailure(error: unknown, ...codes: readonly Failure['code'][]): error is Failure {
  return error instanceof Failure && codes.includes(error.code)
}

/** What went wrong, and what to do next, for people. What is no Failure is a bug, and says so. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Failure)) {
    console.error(error)
    return 'This page made a mistake. Reload it; what you have typed in the editor is kept.'
  }
  // It has a cause where no answer came; what the service says of itself is its own to say.
  if (error.code === 'unavailable' && error.cause !== undefined) {
    return navigator.onLine
      ? 'The service cannot be reached. Check your connection and try again.'
      : 'You are offline: nothing was sent. Try again when you are back.'
  }
  if (error.code === 'unavailable' && error.hint === undefined) return `${error.message} Try again in a moment.`
  return error.hint === undefined ? error.message : `${error.message} ${error.hint}`
}
