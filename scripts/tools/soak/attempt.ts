import { Failure } from '#contract/failure.ts'

/** How a request ended for the client: `unknown` is a connection that broke, or an error of the service. */
export type Outcome<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'refused'; readonly failure: Failure }
  | { readonly kind: 'unknown'; readonly error: unknown; readonly status: number | undefined }

/** Sends a request once. A refusal below 500 is an answer; after anything else nobody knows whether it happened. */
export async function attempt<T>(request: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { kind: 'done', value: await request() }
  } catch (error) {
    const status = error instanceof Failure ? error.extra['httpStatus'] : undefined
    if (error instanceof Failure && typeof status === 'number' && status < 500)
      return { kind: 'refused', failure: error }
    return { kind: 'unknown', error, status: typeof status === 'number' ? status : undefined }
  }
}
