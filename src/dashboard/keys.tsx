import { useCallback, useState, type FormEvent } from 'react'
import { contract } from '../contract/index.ts'
import { client, fieldOf, messageOf, useLoaded } from './api.ts'

export function Keys({ slug }: { slug: string }) {
  const load = useCallback(() => client.call(contract.keys.list, { params: { slug }, query: { limit: 200 } }), [slug])
  const { value, error, reload } = useLoaded(load)
  const [created, setCreated] = useState<string>()
  const [failed, setFailed] = useState<string>()

  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work()
      setFailed(undefined)
      reload()
    } catch (failure) {
      setFailed(messageOf(failure))
    }
  }
  const create = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const form = event.currentTarget
    const name = fieldOf(form, 'name')
    void attempt(async () => {
      const { key } = await client.call(contract.keys.create, { params: { slug }, body: { name } })
      setCreated(key)
      form.reset()
    })
  }
  const revoke = (id: string, name: string): void => {
    if (!confirm(`Revoke the key “${name}”? Whatever uses it stops working at once.`)) return
    void attempt(() => client.call(contract.keys.revoke, { params: { slug }, query: { id } }))
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
          <li key={key.id} className="card line">
            <strong>{key.name}</strong> <code>{key.prefix}…</code>
            <span className="soft">{key.scopes.join(', ')}</span>
            <span className="grow" />
            <span className="soft">
              {key.last_used_at === undefined
                ? 'never used'
                : `last used ${new Date(key.last_used_at).toLocaleString()}`}
            </span>
            <button type="button" className="quiet" onClick={() => revoke(key.id, key.name)}>
              Revoke
            </button>
          </li>
        ))}
      </ul>
      <form onSubmit={create} className="line">
        <input name="name" required maxLength={100} placeholder="Name, such as “CI”" aria-label="Name of the new key" />
        <button type="submit">Create key</button>
      </form>
    </section>
  )
}
