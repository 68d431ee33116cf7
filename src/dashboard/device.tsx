import { useCallback, useEffect, useRef, useState, type FormEvent, type ReactNode } from 'react'
import type { Account } from '../contract/accounts.ts'
import type { DeviceRequest } from '../contract/device-login.ts'
import { contract } from '../contract/index.ts'
import { client, fieldOf, messageOf, useAttempt, useLoaded, useTitle } from './api.ts'
import './device.css'

type Decision = 'approve' | 'deny'

/** `/dashboard/device`: whether a terminal may sign in to the account of this browser. */
export function DevicePage({ account }: { account: Account }) {
  useTitle('Sign in a terminal')
  const [code, setCode] = useState(() => new URLSearchParams(location.search).get('user_code'))
  const enter = (typed: string | null): void => {
    // So that reloading the page asks about the same code.
    history.replaceState(null, '', typed === null ? '?' : `?${new URLSearchParams({ user_code: typed }).toString()}`)
    setCode(typed)
  }
  return code === null ? (
    <CodeForm onCode={enter} />
  ) : (
    <Request key={code} code={code} account={account} onAgain={() => enter(null)} />
  )
}

function CodeForm({ onCode }: { onCode: (code: string) => void }) {
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    onCode(fieldOf(event.currentTarget, 'code'))
  }
  return (
    <>
      <Title>Sign in a terminal</Title>
      <form onSubmit={submit} className="card stack">
        <label>
          Code
          <input
            name="code"
            required
            autoFocus
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            className="code-field"
          />
          <small>
            <code>quire login</code> shows it in your terminal: eight letters, such as BCDF-GHJK.
          </small>
        </label>
        <button type="submit">Continue</button>
      </form>
    </>
  )
}

function Request({ code, account, onAgain }: { code: string; account: Account; onAgain: () => void }) {
  const load = useCallback(() => client.call(contract.device.read, { query: { user_code: code } }), [code])
  const { value: request, error } = useLoaded(load)
  const [decided, setDecided] = useState<Decision>()
  const [busy, setBusy] = useState(false)
  const { failed, attempt } = useAttempt()
  const decide = async (decision: Decision): Promise<void> => {
    setBusy(true)
    await attempt(
      () => client.call(contract.device[decision], { body: { user_code: code } }),
      () => setDecided(decision),
    )
    setBusy(false)
  }

  if (decided !== undefined) return <Result decision={decided} email={account.email} />
  const problem = failed ?? (error === undefined ? undefined : messageOf(error))
  if (problem !== undefined) return <Problem text={problem} onAgain={onAgain} />
  if (request === undefined) return null
  return (
    <>
      <Title>Does your terminal show this code?</Title>
      <p className="device-code">{request.user_code}</p>
      <Facts request={request} email={account.email} />
      <p className="soft">
        Approve only if you have just run <code>quire login</code> yourself and see this code there. If somebody sent
        you here, deny.
      </p>
      <div className="decision">
        <button type="button" disabled={busy} onClick={() => void decide('approve')}>
          Approve
        </button>
        <button type="button" className="quiet" disabled={busy} onClick={() => void decide('deny')}>
          Deny
        </button>
      </div>
    </>
  )
}

function Facts({ request, email }: { request: DeviceRequest; email: string }) {
  const { client: program, hostName, address, sameAddress, createdAt } = request
  return (
    <dl className="card facts">
      <dt>Program</dt>
      <dd>{program}</dd>
      {hostName === undefined ? null : (
        <>
          <dt>Machine</dt>
          <dd>
            {hostName} <small>by its own account</small>
          </dd>
        </>
      )}
      <dt>Address</dt>
      <dd>
        {address}{' '}
        <small className={sameAddress ? undefined : 'caution'}>
          {sameAddress ? 'the same as yours here' : 'not the one of this browser'}
        </small>
      </dd>
      <dt>Asked</dt>
      <dd>
        <Age since={createdAt} />
      </dd>
      <dt>Account</dt>
      <dd>{email}</dd>
      <dt>May do</dt>
      <dd>all that you may: read, change, deploy and administer your projects, until it signs out</dd>
    </dl>
  )
}

/** How long ago, kept true while the page is open. */
function Age({ since }: { since: string }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.max(0, Math.round((now - Date.parse(since)) / 1000))
  const text = seconds < 60 ? plural(seconds, 'second') : plural(Math.floor(seconds / 60), 'minute')
  return <time dateTime={since}>{text} ago</time>
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

function Result({ decision, email }: { decision: Decision; email: string }) {
  return decision === 'approve' ? (
    <>
      <Title>Signed in as {email}</Title>
      <p>Your terminal goes on by itself. You can close this page.</p>
    </>
  ) : (
    <>
      <Title>Denied</Title>
      <p>The terminal was not signed in. You can close this page.</p>
    </>
  )
}

function Problem({ text, onAgain }: { text: string; onAgain: () => void }) {
  return (
    <>
      <Title>This code cannot be used</Title>
      <p className="alert" role="alert">
        {text}
      </p>
      <p>
        <button type="button" className="quiet" onClick={onAgain}>
          Enter another code
        </button>
      </p>
    </>
  )
}

/** Takes the focus: each step replaces the page, and neither Approve nor Deny is to be one stray Enter away. */
function Title({ children }: { children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (document.activeElement === null || document.activeElement === document.body) heading.current?.focus()
  }, [])
  return (
    <h1 ref={heading} tabIndex={-1} className="step">
      {children}
    </h1>
  )
}
