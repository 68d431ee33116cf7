import { queryOptions } from '@tanstack/react-query'
import type { Account } from '../../contract/accounts.ts'
import { contract } from '../../contract/index.ts'
import { client, isFailure } from '../client.ts'
import { queryClient } from '../query-client.ts'

let last: Account | undefined

/** Whoever was signed in last, and has not signed out: what they typed may still be on the page. */
export function lastAccount(): Account | undefined {
  return last
}

/** Who is signed in; null: nobody. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal }) => {
    try {
      const me = await client.call(contract.accounts.me, { signal })
      // Somebody else signed in in another tab.
      if (last !== undefined && me.account.id !== last.id) queryClient.removeQueries({ predicate: isOfAccount })
      last = me.account
      return me
    } catch (error) {
      if (isFailure(error, 'unauthenticated')) return null
      throw error
    }
  },
  staleTime: 60_000,
})

export const serviceQuery = queryOptions({
  queryKey: ['service'],
  queryFn: ({ signal }) => client.call(contract.service.read, { signal }),
  staleTime: Infinity,
})

/** What would go with the account. */
export const removalQuery = queryOptions({
  queryKey: ['removal'],
  queryFn: ({ signal }) => client.call(contract.accounts.readRemoval, { signal }),
  staleTime: 0,
})

/** What a terminal asks for. @param code as it shows it */
export function deviceRequestQuery(code: string) {
  return queryOptions({
    queryKey: ['device', code],
    queryFn: ({ signal }) => client.call(contract.device.read, { query: { user_code: code }, signal }),
    // Once: a terminal’s address and age are what was approved.
    staleTime: Infinity,
  })
}

/** Reads who is signed in anew. Nothing of whoever was before is shown to somebody else. */
export async function signedIn(): Promise<void> {
  const me = await client.call(contract.accounts.me)
  if (me.account.id === last?.id) void queryClient.invalidateQueries({ predicate: isOfAccount })
  else queryClient.removeQueries({ predicate: isOfAccount })
  last = me.account
  queryClient.setQueryData(meQuery.queryKey, me)
}

/** Forgets all that was read for whoever was signed in: the next person sees nothing of it. */
export async function signOut(): Promise<void> {
  await client.call(contract.accounts.logout).catch((error: unknown) => {
    if (!isFailure(error, 'unauthenticated')) throw error
  })
  forgetAccount()
}

/** Nobody is signed in any more. */
export function forgetAccount(): void {
  last = undefined
  queryClient.setQueryData(meQuery.queryKey, null)
  queryClient.removeQueries({ predicate: isOfAccount })
}

function isOfAccount({ queryKey }: { readonly queryKey: readonly unknown[] }): boolean {
  return queryKey[0] !== meQuery.queryKey[0] && queryKey[0] !== serviceQuery.queryKey[0]
}
