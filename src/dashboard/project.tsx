import { useCallback } from 'react'
import { contract } from '../contract/index.ts'
import { Activity } from './activity.tsx'
import { client, messageOf, useLoaded } from './api.ts'
import { Deploys } from './deploys.tsx'
import { Keys } from './keys.tsx'
import { Members } from './members.tsx'
import { useTitle } from './title.ts'
import { Usage } from './usage.tsx'

export function ProjectPage({ slug, me }: { slug: string; /** Account id. */ me: string }) {
  const load = useCallback(() => client.call(contract.projects.read, { params: { slug } }), [slug])
  const { value: project, error, reload } = useLoaded(load)
  useTitle(project?.title ?? slug)
  if (error !== undefined) return <p className="alert">{messageOf(error)}</p>
  if (project === undefined) return null
  return (
    <>
      <p className="soft">
        <a href="/dashboard">Projects</a> / {project.slug}
      </p>
      <h1>{project.title}</h1>
      <dl className="card facts">
        <dt>Site</dt>
        <dd>
          {project.live === undefined ? (
            <span className="soft">
              Not live yet: run <code>quire deploy</code>
            </span>
          ) : (
            <a href={project.url}>{project.url}</a>
          )}
        </dd>
        <dt>Clone</dt>
        <dd>
          <code>git clone {project.cloneUrl}</code>
        </dd>
        <dt>Plan</dt>
        <dd>{project.plan === 'pro' ? 'Pro' : 'Free'}</dd>
      </dl>
      <Usage slug={slug} live={project.live?.id} />
      <Deploys slug={slug} live={project.live?.id} onChange={reload} />
      {project.role === undefined ? null : <Members slug={slug} role={project.role} me={me} onTransfer={reload} />}
      {project.role === 'owner' ? <Keys slug={slug} /> : null}
      {project.role === 'owner' ? <Activity slug={slug} /> : null}
    </>
  )
}
