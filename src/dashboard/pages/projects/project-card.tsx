import { Link } from 'react-router'
import type { Project } from '#contract/projects.ts'
import { paths } from '../../paths.ts'
import { Badge } from '../../ui/badge.tsx'
import { Time } from '../../ui/time.tsx'
import css from './projects.module.css'

/** A project in a list: what it is called, where it is, and how it is. */
export function ProjectCard({ project }: { readonly project: Project }) {
  const { slug, title, url, plan, role, live } = project
  return (
    <li className={css['card']}>
      <div className={css['head']}>
        <h2>
          <Link to={paths.project(slug)}>{title}</Link>
        </h2>
        <State project={project} />
      </div>
      {live === undefined ? (
        <p className="soft">Nothing deployed yet</p>
      ) : (
        <a className={css['address']} href={url} rel="noreferrer">
          {new URL(url).host}
        </a>
      )}
      <p className={css['foot']}>
        <span>{role === 'writer' ? 'You are a writer' : `${plan === 'pro' ? 'Pro' : 'Free'} plan`}</span>
        {live === undefined ? (
          <span>
            Created <Time at={project.createdAt} />
          </span>
        ) : (
          <span>
            Live since <Time at={live.finishedAt ?? live.createdAt} />
          </span>
        )}
      </p>
    </li>
  )
}

function State({ project: { live, latest, suspended } }: { readonly project: Project }) {
  if (suspended !== undefined) return <Badge tone="warning">Suspended</Badge>
  if (latest?.status === 'failed') return <Badge tone="danger">Last deploy failed</Badge>
  if (latest?.status === 'building' || latest?.status === 'queued')
    return (
      <Badge tone="note" pulse>
        Deploying
      </Badge>
    )
  return live === undefined ? <Badge>New</Badge> : <Badge tone="success">Live</Badge>
}
