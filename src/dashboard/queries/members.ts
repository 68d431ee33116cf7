import { queryOptions } from '@tanstack/react-query'
import { contract } from '../../contract/index.ts'
import { client } from '../client.ts'

export function membersQuery(slug: string) {
  return queryOptions({
    queryKey: ['project', slug, 'members'],
    queryFn: ({ signal }) => client.call(contract.members.list, { params: { slug }, signal }),
  })
}

/** Open invitations to a project. */
export function projectInvitationsQuery(slug: string) {
  return queryOptions({
    queryKey: ['project', slug, 'invitations'],
    queryFn: ({ signal }) => client.call(contract.invitations.list, { params: { slug }, signal }),
  })
}
