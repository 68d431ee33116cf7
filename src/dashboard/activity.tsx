import { useState, useEffect } from 'react'
import type { AuditEntry } from '../contract/audit.ts'
import { Failure } from '../contract/failure.ts'
import { contract } from '../contract/index.ts'
import { client, messageOf } from './api.ts'

const pageSize = 20

/** The audit log: who changed what, from where. Only owners may read it; to others it is not shown. */
export function Activity({ slug }: { slug: string }) {
  const [entries, setEntries] = useState<readonly AuditEntry[]>()
  const [next, setNext] = useState<string>()
  const [error, setError] = useState<unknown>()

  const read = async (cursor?: string): Promise<void> => {
    try {
      const query = { limit: pageSize, ...(cursor === undefined ? {} : { cursor }) }
      const page = await client.call(contract.audit.list, { params: { slug }, query })
      setEntries((before) => (cursor === undefined ? page.items : [...(before ?? []), ...page.items]))
      setNext(page.nextCursor)
      setError(undefined)
    } catch (failure) {
      setError(failure)
    }
  }
  useEffect(() => void read(), [slug])

  if (error instanceof Failure && error.code === 'forbidden') return null
  return (
    <section aria-labelledby="activity">
      <h2 id="activity">Activity</h2>
      {error === undefined ? null : (
        <p className="alert" role="alert">
          {messageOf(error)}
        </p>
      )}
      {entries?.length === 0 ? <p className="soft">Nothing has been changed yet.</p> : null}
      {entries === undefined || entries.length === 0 ? null : (
        <ol className="card log">
          {entries.map((entry) => (
            <Entry key={entry.id} entry={entry} />
          ))}
        </ol>
      )}
      {next === undefined ? null : (
        <button type="button" className="quiet" onClick={() => void read(next)}>
          Show older
        </button>
      )}
    </section>
  )
}

function Entry({ entry }: { entry: AuditEntry }) {
  const { action, at, client: program, target, detail } = entry
  return (
    <li>
      <div>
        <strong>{wordsOf(action)}</strong> {detail === undefined ? null : <span>{detail} </span>}
        {target === undefined ? null : <code className="soft">{target}</code>}
      </div>
      <div className="soft" title={program}>
        {whoOf(entry)}, <time dateTime={at}>{new Date(at).toLocaleString()}</time>
      </div>
    </li>
  )
}

function whoOf({ actor, address }: AuditEntry): string {
  if (actor.kind === 'operator') return 'the operator of the service'
  return `${actor.kind === 'key' ? `key “${actor.name}”` : actor.name} from ${address}`
}

/** `branches.saveFile` as people read it: `branches: save file`. */
function wordsOf(action: string): string {
  const [noun = '', verb = ''] = action.split('.')
  return `${noun}: ${verb.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`
}
