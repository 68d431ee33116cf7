import { useState, type FormEvent } from 'react'
import { passwordLength, isSignInProblem, signInProblem, signInProblems } from '../contract/accounts.ts'
import { Failure } from '../contract/failure.ts'
import { contract } from '../contract/index.ts'
import { client, fieldOf, messageOf, useLoaded, useTitle } from './api.ts'

const loadService = () => client.call(contract.service.read)

/** Why signing in through the identity provider came to nothing, when that led here. */
function problemOfAddress(): string | undefined {
  const code = new URLSearchParams(location.search).get(signInProblem)
  return isSignInProblem(code) ? signInProblems[code] : undefined
}

/** Path and query of this page, which whoever signs in wants to see. */
function pageWithoutProblem(): string {
  const url = new URL(location.href)
  url.searchParams.delete(signInProblem)
  return url.pathname + url.search
}

function refusalOf(failure: unknown): string {
  return failure instanceof Failure && failure.code === 'unauthenticated' ? failure.message : messageOf(failure)
}

function startOf(url: string): string {
  return `${url}?${new URLSearchParams({ return_to: pageWithoutProblem() }).toString()}`
}

/** One form for both: a new account is the same two fields. */
export function SignIn({ onDone }: { onDone: () => void }) {
  const [isNew, setIsNew] = useState(false)
  const [error, setError] = useState(problemOfAddress)
  const { value: service } = useLoaded(loadService)
  const [busy, setBusy] = useState(false)
  useTitle(isNew ? 'Create an account' : 'Sign in')

  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    const form = event.currentTarget
    const body = { email: fieldOf(form, 'email'), password: fieldOf(form, 'password') }
    setBusy(true)
    try {
      await client.call(isNew ? contract.accounts.signup : contract.accounts.login, { body })
      // The code of an invitation is behind #; it stays in the browser.
      history.replaceState(null, '', pageWithoutProblem() + location.hash)
      onDone()
    } catch (failure) {
      setError(refusalOf(failure))
    } finally {
      setBusy(false)
    }
  }

  const turn = (): void => {
    setIsNew(!isNew)
    setError(undefined)
  }

  return (
    <main className="narrow">
      <h1>{isNew ? 'Create an account' : 'Sign in to Quire'}</h1>
      <form onSubmit={(event) => void submit(event)} className="card stack">
        <label>
          Email
          <input name="email" type="email" autoComplete="username" required autoFocus />
        </label>
        <Password isNew={isNew} />
        {error === undefined ? null : (
          <p className="alert" role="alert">
            {error}
          </p>
        )}
        <button type="submit" disabled={busy}>
          {isNew ? 'Create account' : 'Sign in'}
        </button>
      </form>
      <div className="stack">
        {service?.identityProvider === undefined ? null : (
          <a className="button" href={startOf(service.identityProvider.url)}>
            Sign in with {service.identityProvider.name}
          </a>
        )}
        {service?.signup === 'open' ? (
          <button type="button" className="quiet" onClick={turn}>
            {isNew ? 'I have an account' : 'Create an account'}
          </button>
        ) : null}
      </div>
    </main>
  )
}

function Password({ isNew }: { isNew: boolean }) {
  return (
    <label>
      Password
      <input
        name="password"
        type="password"
        autoComplete={isNew ? 'new-password' : 'current-password'}
        required
        {...(isNew ? { minLength: passwordLength.least } : {})}
      />
      <small>
        {isNew
          ? `At least ${passwordLength.least} characters.`
          : 'Forgotten? The operator of the service can give you a new one.'}
      </small>
    </label>
  )
}
