import type { Client } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import type { Member, Role } from '#contract/members.ts'

/** The owner of a project invites somebody, who accepts. */
export async function join(
  owner: Client,
  slug: string,
  person: { readonly client: Client; readonly email: string; readonly role?: Role },
): Promise<Member> {
  const { email, client, role = 'writer' } = person
  const { id, code } = await owner.call(contract.invitations.create, { params: { slug }, body: { email, role } })
  return (await client.call(contract.invitations.accept, { params: { id }, body: { code } })).member
}
