import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { Failure } from '../contract/failure.ts'
import { isFailure } from './client.ts'

/** Keys begin with what they are about: `['project', slug, 'branches']`, so that a whole noun can be told to be old. */
export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: signedOut }),
  mutationCache: new MutationCache({ onError: signedOut }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // A refusal stays one; what could not be reached may be reachable in a moment.
      retry: (count, error) => count < 2 && (!(error instanceof Failure) || error.code === 'unavailable'),
      retryDelay: (count) => 500 * 2 ** count,
    },
    // Without a connection a press fails at once and is told: done minutes later, it would surprise.
    mutations: { networkMode: 'always' },
  },
})

/** A session that has ended elsewhere, or 30 days after its last use: the shell asks again who is signed in. */
export function signedOut(error: unknown): void {
  if (isFailure(error, 'unauthenticated')) void queryClient.invalidateQueries({ queryKey: ['me'] })
}
