import { queryOptions } from '@tanstack/react-query'
import { contract } from '../../contract/index.ts'
import { client } from '../client.ts'

/** Invitations to whoever is signed in. */
export const receivedInvitationsQuery = queryOptions({
  queryKey: ['invitations'],
  queryFn: ({ signal }) => client.call(contract.invitations.received, { signal }),
})

/** What the link of an invitation has behind its #: there it stays in the browser. */
export interface InvitationLink {
  readonly id: string
  readonly code: string
}

/** @param hash of the address, with its # */
export function invitationLink(hash: string): InvitationLink | null {
  const [, id, code] = /^#invitation=([^.]+)\.(.+)$/.exec(hash) ?? []
  return id === undefined || code === undefined ? null : { id, code }
}
