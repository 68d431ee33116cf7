import { useState, type FormEvent } from 'react'
import { contract } from '../contract/index.ts'
import { client, fieldOf, messageOf } from './api.ts'

/** One form for both: a new account is the same two fields. */
export function SignIn({ onDone }: { onDone: () => void }) {
  const [isNew, setIsNew] = useState(false)
  const [error, setError] = useState<string>()
  const [busy, setBusy] = useState(false)

  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    const form = event.currentTarget
    const body = { email: fieldOf(form, 'email'), password: fieldOf(form, 'password') }
    setBusy(true)
    try {
      await client.call(isNew ? contract.accounts.signup : contract.accounts.login, { body })
      onDone()
    } catch (failure) {
      setError(messageOf(failure))
    } finally {
      setBusy(false)
    }
  }

  return (
    <main className="narrow">
      <h1>{isNew ? 'Create an account' : 'Sign in to Quire'}</h1>
      <form onSubmit={(event) => void submit(event)} className="card stack">
        <label>
          Email
          <input name="email" type="email" autoComplete="email" required autoFocus />
        </label>
        <label>
          Password
          <input
            name="password"
            type="password"
            autoComplete={isNew ? 'new-password' : 'current-password'}
            required
            {...(isNew ? { minLength: 10 } : {})}
          />
        </label>
        {error === undefined ? null : (
          <p className="alert" role="alert">
            {error}
          </p>
        )}
        <button type="submit" disabled={busy}>
          {isNew ? 'Create account' : 'Sign in'}
        </button>
      </form>
      <button type="button" className="quiet" onClick={() => setIsNew(!isNew)}>
        {isNew ? 'I have an account' : 'Create an account'}
      </button>
    </main>
  )
}
