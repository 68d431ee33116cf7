import { useCallback, useState, type FormEvent } from 'react'
import { contract } from '../contract/index.ts'
import type { Member, Role } from '../contract/members.ts'
import { client, fieldOf, messageOf, useLoaded } from './api.ts'

interface Props {
  readonly slug: string
  /** The part of who looks at the page. */
  readonly role: Role
  /** Account id of who looks at the page. */
  readonly me: string
  readonly onTransfer: () => void
}

/** Who works on a project. Owners add, remove and hand over; a writer may leave. */
export function Members({ slug, role, me, onTransfer }: Props) {
  const load = useCallback(() => client.call(contract.members.list, { params: { slug } }), [slug])
  const { value, error, reload } = useLoaded(load)
  const [failed, setFailed] = useState<string>()
  const params = { slug }

  const attempt = async (work: () => Promise<unknown>, then: () => void): Promise<void> => {
    try {
      await work()
      setFailed(undefined)
      then()
    } catch (failure) {
      setFailed(messageOf(failure))
    }
  }
  const remove = ({ id, email }: Member): void => {
    const question = id === me ? `Leave the project ${slug}?` : `Remove ${email} from the project?`
    if (!confirm(question)) return
    const after = id === me ? () => location.assign('/dashboard') : reload
    void attempt(() => client.call(contract.members.remove, { params, query: { id } }), after)
  }
  const give = ({ id, email }: Member): void => {
    const question = `Give the project to ${email}? You become a writer, the plan of ${email} counts, and API keys with the scope admin are revoked.`
    if (!confirm(question)) return
    const transfer = () => client.call(contract.members.update, { params, body: { id, role: 'owner' } })
    void attempt(transfer, () => {
      reload()
      onTransfer()
    })
  }
  const add = (email: string, form: HTMLFormElement): void => {
    const work = () => client.call(contract.members.add, { params, body: { email } })
    void attempt(work, () => {
      form.reset()
      reload()
    })
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
            onGive={() => give(member)}
            onRemove={() => remove(member)}
          />
        ))}
      </ul>
      {role === 'owner' ? <AddWriter onAdd={add} /> : null}
    </section>
  )
}

interface MemberRowProps {
  readonly member: Member
  readonly isMe: boolean
  /** The part of who looks at the page. */
  readonly role: Role
  readonly onGive: () => void
  readonly onRemove: () => void
}

function MemberRow({ member, isMe, role, onGive, onRemove }: MemberRowProps) {
  const isWriter = member.role === 'writer'
  return (
    <li className="card line">
      <strong className="name">{member.email}</strong>
      <span className="soft">{member.role}</span>
      <span className="grow" />
      <span className="line">
        {isWriter && role === 'owner' ? (
          <button type="button" className="quiet" onClick={onGive}>
            Make owner
          </button>
        ) : null}
        {isWriter && (role === 'owner' || isMe) ? (
          <button type="button" className="quiet" onClick={onRemove}>
            {isMe ? 'Leave' : 'Remove'}
          </button>
        ) : null}
      </span>
    </li>
  )
}

function AddWriter({ onAdd }: { onAdd: (email: string, form: HTMLFormElement) => void }) {
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    onAdd(fieldOf(event.currentTarget, 'email'), event.currentTarget)
  }
  return (
    <form onSubmit={submit} className="line">
      <input
        name="email"
        type="email"
        autoComplete="off"
        required
        placeholder="Email of their account"
        aria-label="Email address of the new writer"
      />
      <button type="submit">Add writer</button>
    </form>
  )
}
