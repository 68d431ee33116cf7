import { useCallback, useState, type FormEvent } from 'react'
import { passwordLength, type Account, type Session } from '../contract/accounts.ts'
import { contract } from '../contract/index.ts'
import { client, fieldOf, messageOf, useAttempt, useLoaded, useTitle } from './api.ts'

const loadMe = () => client.call(contract.accounts.me)

/** `/dashboard/account`: the password, and where the account is signed in. */
export function AccountPage({ account }: { account: Account }) {
  useTitle('Your account')
  const { value: me } = useLoaded(loadMe)
  const load = useCallback(() => client.call(contract.sessions.list), [])
  const { value: sessions, error, reload } = useLoaded(load)
  return (
    <>
      <p className="soft">
        <a href="/dashboard">Projects</a> / Account
      </p>
      <h1>Your account</h1>
      <p className="soft">{account.email}</p>
      {me?.hasPassword === true ? <Password email={account.email} onChange={reload} /> : null}
      {me?.hasPassword === false ? (
        <p className="soft">You sign in through an identity provider; the account has no password.</p>
      ) : null}
      {error === undefined ? null : <p className="alert">{messageOf(error)}</p>}
      {sessions === undefined ? null : <Sessions sessions={sessions.items} onChange={reload} />}
    </>
  )
}

function Password({ email, onChange }: { email: string; onChange: () => void }) {
  const { failed, attempt } = useAttempt()
  const [done, setDone] = useState(false)
  const [busy, setBusy] = useState(false)
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    const form = event.currentTarget
    const body = { currentPassword: fieldOf(form, 'current'), newPassword: fieldOf(form, 'new') }
    setBusy(true)
    setDone(false)
    await attempt(
      () => client.call(contract.accounts.changePassword, { body }),
      () => {
        setDone(true)
        form.reset()
        onChange()
      },
    )
    setBusy(false)
  }
  return (
    <section aria-labelledby="password">
      <h2 id="password">Password</h2>
      <form onSubmit={(event) => void submit(event)} className="card stack">
        {/* Tells password managers whose password it is. */}
        <input name="email" type="email" autoComplete="username" value={email} readOnly hidden />
        <label>
          Current password
          <input name="current" type="password" autoComplete="current-password" required />
        </label>
        <label>
          New password
          <input name="new" type="password" autoComplete="new-password" required minLength={passwordLength.least} />
          <small>
            At least {passwordLength.least} characters. All your other browsers and terminals are signed out.
          </small>
        </label>
        {failed === undefined ? null : (
          <p className="alert" role="alert">
            {failed}
          </p>
        )}
        {done ? <p role="status">The password is changed.</p> : null}
        <button type="submit" disabled={busy}>
          Change password
        </button>
      </form>
    </section>
  )
}

function Sessions({ sessions, onChange }: { sessions: readonly Session[]; onChange: () => void }) {
  const { failed, attempt } = useAttempt()
  const end = (id: string) => attempt(() => client.call(contract.sessions.revoke, { query: { id } }), onChange)
  const endOthers = () => attempt(() => client.call(contract.sessions.revokeOthers), onChange)
  return (
    <section aria-labelledby="sessions">
      <h2 id="sessions">Where you are signed in</h2>
      {failed === undefined ? null : (
        <p className="alert" role="alert">
          {failed}
        </p>
      )}
      <ul className="rows">
        {sessions.map((session) => (
          <SessionRow key={session.id} session={session} onEnd={() => void end(session.id)} />
        ))}
      </ul>
      {sessions.length < 2 ? null : (
        <button type="button" className="quiet" onClick={() => void endOthers()}>
          Sign out everywhere else
        </button>
      )}
    </section>
  )
}

function SessionRow({ session, onEnd }: { session: Session; onEnd: () => void }) {
  const { kind, client: program, address, createdAt, usedAt, current } = session
  const name = clientName(session)
  return (
    <li className="card line">
      <strong title={program}>{name}</strong>
      <span className="soft">{kind}</span>
      {current ? <span className="status is-live">this one</span> : null}
      <span className="grow" />
      <span className="soft">
        {address === '' ? '' : `from ${address}, `}last used{' '}
        <time dateTime={usedAt} title={`Signed in ${new Date(createdAt).toLocaleString()}`}>
          {new Date(usedAt).toLocaleString()}
        </time>
      </span>
      {current ? null : (
        <button type="button" className="quiet" aria-label={`Sign out ${name}`} onClick={onEnd}>
          Sign out
        </button>
      )}
    </li>
  )
}

/** In the order in which they must be looked for: each also says the names that come after it. */
const browsers = [
  ['Edge', /\bEdgA?\//],
  ['Opera', /\bOPR\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Headless)?(?:Chrome|CriOS)\//],
  ['Safari', /\bSafari\//],
] as const

const systems = [
  ['Windows', /\bWindows\b/],
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['macOS', /\bMac OS X\b/],
  ['Android', /\bAndroid\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
] as const

/** What a person would call the browser or terminal of a session. */
function clientName({ kind, client: program }: Pick<Session, 'kind' | 'client'>): string {
  if (kind === 'terminal') return program === '' ? 'A terminal' : program
  const browser = browsers.find(([, pattern]) => pattern.test(program))?.[0]
  const system = systems.find(([, pattern]) => pattern.test(program))?.[0]
  // A script says only what it is, such as curl/8.5.
  if (browser === undefined) return program === '' ? 'A browser' : program.slice(0, 60)
  return system === undefined ? browser : `${browser} on ${system}`
}
