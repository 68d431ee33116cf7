import { useCallback } from 'react'
import type { ErrorDetail } from '../contract/common.ts'
import type { Deploy } from '../contract/deploys.ts'
import { contract } from '../contract/index.ts'
import { client, messageOf, useAttempt, useLoaded } from './api.ts'

interface Props {
  readonly slug: string
  /** Id of the live deploy. */
  readonly live: string | undefined
  readonly onChange: () => void
}

export function Deploys({ slug, live, onChange }: Props) {
  const load = useCallback(() => client.call(contract.deploys.list, { params: { slug }, query: { limit: 20 } }), [slug])
  const { value, error, reload } = useLoaded(load)
  const { failed, attempt } = useAttempt()
  const rollback = (deployId: string): Promise<void> =>
    attempt(
      () => client.call(contract.deploys.rollback, { params: { slug }, body: { deployId } }),
      () => {
        reload()
        onChange()
      },
    )
  return (
    <section>
      <h2>Deploys</h2>
      {error === undefined ? null : <p className="alert">{messageOf(error)}</p>}
      {failed === undefined ? null : (
        <p className="alert" role="alert">
          {failed}
        </p>
      )}
      {value?.items.length === 0 ? <p className="soft">None yet.</p> : null}
      <ol className="rows">
        {value?.items.map((deploy) => (
          <DeployRow
            key={deploy.id}
            deploy={deploy}
            isLive={deploy.id === live}
            onRollback={() => void rollback(deploy.id)}
          />
        ))}
      </ol>
    </section>
  )
}

function DeployRow({ deploy, isLive, onRollback }: { deploy: Deploy; isLive: boolean; onRollback: () => void }) {
  const seconds = ((deploy.durationMs ?? 0) / 1000).toFixed(2)
  return (
    <li className="card">
      <div className="line">
        <span className={`status ${isLive ? 'is-live' : `is-${deploy.status}`}`}>
          {isLive ? 'live now' : deploy.status === 'superseded' ? 'was live' : deploy.status}
        </span>
        <strong>#{deploy.number}</strong>
        <span>{deploy.message ?? deploy.kind}</span>
        <span className="grow" />
        <span className="soft">
          {deploy.pages.total === 1 ? '1 page' : `${deploy.pages.total} pages`}, {seconds} s,{' '}
          <time dateTime={deploy.createdAt}>{new Date(deploy.createdAt).toLocaleString()}</time>
        </span>
        {deploy.status === 'superseded' ? (
          <button type="button" className="quiet" onClick={onRollback}>
            Serve again
          </button>
        ) : null}
      </div>
      <Details title="error" details={deploy.errors} count={deploy.counts.errors} />
      <Details title="warning" details={deploy.warnings} count={deploy.counts.warnings} />
    </li>
  )
}

function Details({ title, details, count }: { title: string; details: readonly ErrorDetail[]; count: number }) {
  if (count === 0) return null
  return (
    <details>
      <summary>
        {count} {title}
        {count === 1 ? '' : 's'}
      </summary>
      <ul>
        {details.map((detail) => (
          <li key={`${detail.path}:${detail.line}:${detail.column}:${detail.message}`}>
            <code>{[detail.path, detail.line, detail.column].filter((part) => part !== undefined).join(':')}</code>{' '}
            {detail.message}
          </li>
        ))}
        {count > details.length ? <li className="soft">… and {count - details.length} more</li> : null}
      </ul>
    </details>
  )
}
