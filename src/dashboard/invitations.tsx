import { useCallback, useState, type FormEvent } from 'react'
import { contract } from '../contract/index.ts'
import type { CreatedInvitation, ReceivedInvitation } from '../contract/invitations.ts'
import { client, fieldOf, messageOf, useAttempt, useLoaded } from './api.ts'

/** Who is invited to a project; the owner invites and takes back. */
export function Invitations({ slug }: { readonly slug: string }) {
  const load = useCallback(() => client.call(contract.invitations.list, { params: { slug } }), [slug])
  const { value, error, reload } = useLoaded(load)
  const [created, setCreated] = useState<CreatedInvitation>()
  const { failed, attempt } = useAttempt()
  const params = { slug }

  const invite = (form: HTMLFormElement): void => {
    const role = fieldOf(form, 'role') === 'owner' ? 'owner' : 'writer'
    const email = fieldOf(form, 'email')
    const question = `Give the project to ${email}? When they accept, you become a writer, their plan counts, and API keys with the scope admin are revoked.`
    if (role === 'owner' && !confirm(question)) return
    void attempt(async () => {
      setCreated(await client.call(contract.invitations.create, { params, body: { email, role } }))
      form.reset()
    }, reload)
  }
  const revoke = (id: string): void =>
    void attempt(async () => {
      await client.call(contract.invitations.revoke, { params, query: { id } })
      setCreated(undefined)
    }, reload)

  return (
    <>
      {error === undefined ? null : <p className="alert">{messageOf(error)}</p>}
      {failed === undefined ? null : (
        <p className="alert" role="alert">
          {failed}
        </p>
      )}
      {created === undefined ? null : (
        <p className="card secret" role="status">
          Give this link to {created.email}, it is shown only once: <code>{created.url}</code>
        </p>
      )}
      <ul className="rows">
        {value?.items.map(({ id, email, role, expiresAt }) => (
          <li key={id} className="card line">
            <strong className="name">{email}</strong>
            <span className="soft">
              invited as {role}, until {new Date(expiresAt).toLocaleDateString()}
            </span>
            <span className="grow" />
            <button type="button" className="quiet" onClick={() => revoke(id)}>
              Take back
            </button>
          </li>
        ))}
      </ul>
      <InviteForm onInvite={invite} />
    </>
  )
}

function InviteForm({ onInvite }: { readonly onInvite: (form: HTMLFormElement) => void }) {
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    onInvite(event.currentTarget)
  }
  return (
    <form onSubmit={submit} className="line">
      <input
        name="email"
        type="email"
        autoComplete="off"
        required
        placeholder="Email address"
        aria-label="Email address of whom you invite"
      />
      <select name="role" aria-label="As">
        <option value="writer">as writer</option>
        <option value="owner">as new owner</option>
      </select>
      <button type="submit">Invite</button>
    </form>
  )
}

const loadReceived = () => client.call(contract.invitations.received)

/** The code of an invitation, where the link of whoever invited led here. */
function codeOf(id: string): string | undefined {
  const [, named, code] = /^#invitation=([^.]+)\.(.+)$/.exec(location.hash) ?? []
  return named === id ? code : undefined
}

/** Invitations to whoever is signed in; nothing where there are none. */
export function ReceivedInvitations({ onJoin }: { readonly onJoin: () => void }) {
  const { value, error, reload } = useLoaded(loadReceived)
  const { failed, attempt } = useAttempt()
  const settle = async (work: () => Promise<unknown>): Promise<void> => {
    await attempt(work, () => {
      history.replaceState(null, '', location.pathname + location.search)
      onJoin()
    })
    reload()
  }
  const accept = ({ id }: ReceivedInvitation): void => {
    const code = codeOf(id)
    void settle(() =>
      client.call(contract.invitations.accept, { params: { id }, body: code === undefined ? {} : { code } }),
    )
  }
  const decline = ({ id }: ReceivedInvitation): void =>
    void settle(() => client.call(contract.invitations.decline, { params: { id } }))

  if (error !== undefined) return <p className="alert">{messageOf(error)}</p>
  const linked = location.hash.startsWith('#invitation=')
  const isHere = value?.items.some(({ id }) => codeOf(id) !== undefined) === true
  return (
    <>
      {failed === undefined ? null : (
        <p className="alert" role="alert">
          {failed}
        </p>
      )}
      {linked && value !== undefined && !isHere ? (
        <p className="alert">
          The invitation of this link is not for your address, or it is over. Ask for another one.
        </p>
      ) : null}
      <ul className="rows">
        {value?.items.map((invitation) => (
          <li key={invitation.id} className="card line">
            <span>
              You are invited to <strong className="name">{invitation.title}</strong> as {invitation.role}
            </span>
            <span className="grow" />
            {invitation.needsCode && codeOf(invitation.id) === undefined ? (
              <span className="soft">Open the link that you were given to accept.</span>
            ) : (
              <button type="button" onClick={() => accept(invitation)}>
                Accept
              </button>
            )}
            <button type="button" className="quiet" onClick={() => decline(invitation)}>
              Decline
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}
