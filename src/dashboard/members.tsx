import { useCallback } from 'react'
import { contract } from '../contract/index.ts'
import type { Member, Role } from '../contract/members.ts'
import { client, messageOf, useAttempt, useLoaded } from './api.ts'
import { Invitations } from './invitations.tsx'

interface Props {
  readonly slug: string
  /** The part of who looks at the page. */
  readonly role: Role
  /** Account id of who looks at the page. */
  readonly me: string
}

/** Who works on a project. Owners invite, remove and hand over; a writer may leave. */
export function Members({ slug, role, me }: Props) {
  const load = useCallback(() => client.call(contract.members.list, { params: { slug } }), [slug])
  const { value, error, reload } = useLoaded(load)
  const { failed, attempt } = useAttempt()
  const params = { slug }

  const remove = ({ id, email, name }: Member): void => {
    const question = id === me ? `Leave the project ${slug}?` : `Remove ${email ?? name} from the project?`
    if (!confirm(question)) return
    const after = id === me ? () => location.assign('/dashboard') : reload
    void attempt(() => client.call(contract.members.remove, { params, query: { id } }), after)
  }
  return (
    <section aria-labelledby="members">
      <h2 id="members">Members</h2>
      {error === undefined ? null : <p className="alert">{messageOf(error)}</p>}
      {failed === undefined ? null : (
        <p className="alert" role="alert">
          {failed}
        </p>
      )}
      <ul className="rows">
        {value?.items.map((member) => (
          <MemberRow
            key={member.id}
            member={member}
            isMe={member.id === me}
            role={role}
            onRemove={() => remove(member)}
          />
        ))}
      </ul>
      {role === 'owner' ? <Invitations slug={slug} /> : null}
    </section>
  )
}

interface MemberRowProps {
  readonly member: Member
  readonly isMe: boolean
  /** The part of who looks at the page. */
  readonly role: Role
  readonly onRemove: () => void
}

function MemberRow({ member, isMe, role, onRemove }: MemberRowProps) {
  const isWriter = member.role === 'writer'
  return (
    <li className="card line">
      <strong className="name">{member.email ?? member.name}</strong>
      <span className="soft">{member.role}</span>
      <span className="grow" />
      <span className="line">
        {isWriter && (role === 'owner' || isMe) ? (
          <button type="button" className="quiet" onClick={onRemove}>
            {isMe ? 'Leave' : 'Remove'}
          </button>
        ) : null}
      </span>
    </li>
  )
}
