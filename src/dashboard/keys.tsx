import { useCallback, useState, type FormEvent } from 'react'
import { scopes, type Scope } from '../contract/endpoint.ts'
import { contract } from '../contract/index.ts'
import { defaultScopes, type Key } from '../contract/keys.ts'
import { client, fieldOf, messageOf, useAttempt, useLoaded } from './api.ts'

const dayMs = 24 * 60 * 60 * 1000

/** What each scope lets a key do. */
const meanings: Readonly<Record<Scope, string>> = {
  read: 'see the project, clone',
  write: 'edit branches, entries and webhooks',
  deploy: 'deploy and publish',
  generate: 'ask the language model, on your plan',
  admin: 'everything that the owner may do',
}

/** Days until a key expires. */
const lifetimes = [30, 90, 365] as const

export function Keys({ slug }: { slug: string }) {
  const load = useCallback(() => client.call(contract.keys.list, { params: { slug }, query: { limit: 200 } }), [slug])
  const { value, error, reload } = useLoaded(load)
  const [created, setCreated] = useState<string>()
  const { failed, setFailed, attempt } = useAttempt()

  const create = (form: HTMLFormElement): void => {
    const body = keyOf(form)
    if (body.scopes.length === 0) return setFailed('A key needs a scope: choose at least one.')
    void attempt(async () => {
      const { key } = await client.call(contract.keys.create, { params: { slug }, body })
      setCreated(key)
      form.reset()
    }, reload)
  }
  const rename = (id: string, before: string): void => {
    const name = prompt('New name of the key', before)?.trim()
    if (name === undefined || name === '' || name === before) return
    void attempt(() => client.call(contract.keys.rename, { params: { slug }, body: { id, name } }), reload)
  }
  const revoke = (id: string, name: string): void => {
    if (!confirm(`Revoke the key “${name}”? Whatever uses it stops working at once.`)) return
    void attempt(() => client.call(contract.keys.revoke, { params: { slug }, query: { id } }), reload)
  }

  return (
    <section>
      <h2>API keys</h2>
      {error === undefined ? null : <p className="alert">{messageOf(error)}</p>}
      {failed === undefined ? null : (
        <p className="alert" role="alert">
          {failed}
        </p>
      )}
      {created === undefined ? null : (
        <p className="card secret" role="status">
          Copy the key now, it is shown only once: <code>{created}</code>
        </p>
      )}
      <ul className="rows">
        {value?.items.map((key) => (
          <KeyRow
            key={key.id}
            apiKey={key}
            onRename={() => rename(key.id, key.name)}
            onRevoke={() => revoke(key.id, key.name)}
          />
        ))}
      </ul>
      <NewKey onCreate={create} />
    </section>
  )
}

function KeyRow({ apiKey, onRename, onRevoke }: { apiKey: Key; onRename: () => void; onRevoke: () => void }) {
  const { name, prefix, scopes: granted, expiresAt, last_used_at: usedAt } = apiKey
  return (
    <li className="card line">
      <strong>{name}</strong> <code>{prefix}…</code>
      <span className="soft">
        {granted.join(', ')}
        {expiresAt === undefined ? '' : `, ${expiryOf(expiresAt)}`}
      </span>
      <span className="grow" />
      <span className="soft">
        {usedAt === undefined ? 'never used' : `last used ${new Date(usedAt).toLocaleString()}`}
      </span>
      <button type="button" className="quiet" onClick={onRename}>
        Rename
      </button>
      <button type="button" className="quiet" onClick={onRevoke}>
        Revoke
      </button>
    </li>
  )
}

function NewKey({ onCreate }: { onCreate: (form: HTMLFormElement) => void }) {
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    onCreate(event.currentTarget)
  }
  return (
    <form onSubmit={submit} className="card stack">
      <label>
        Name of the new key
        <input name="name" autoComplete="off" required maxLength={100} placeholder="CI" />
      </label>
      <fieldset>
        <legend>Scopes</legend>
        {scopes.map((scope) => (
          <label key={scope} className="line">
            <input type="checkbox" name="scope" value={scope} defaultChecked={defaultScopes.includes(scope)} />
            {scope} <small>{meanings[scope]}</small>
          </label>
        ))}
      </fieldset>
      <label>
        Expires
        <select name="days">
          <option value="">never</option>
          {lifetimes.map((days) => (
            <option key={days} value={days}>
              in {days} days
            </option>
          ))}
        </select>
      </label>
      <button type="submit">Create key</button>
    </form>
  )
}

/** What the form asks for. */
function keyOf(form: HTMLFormElement): { name: string; scopes: Scope[]; expiresAt?: string } {
  const chosen = new FormData(form).getAll('scope')
  const days = Number(fieldOf(form, 'days'))
  return {
    name: fieldOf(form, 'name'),
    scopes: scopes.filter((scope) => chosen.includes(scope)),
    ...(days === 0 ? {} : { expiresAt: new Date(Date.now() + days * dayMs).toISOString() }),
  }
}

function expiryOf(expiresAt: string): string {
  const at = new Date(expiresAt)
  return `${at.getTime() <= Date.now() ? 'expired' : 'expires'} ${at.toLocaleDateString()}`
}
