import { deploysSince } from '#authoring/branch-history.ts'
import { Link } from 'react-router'
import type { Branch } from '#contract/branches.ts'
import { paths } from '../../paths.ts'
import { useDeploys } from '../../queries/deploys.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { Time } from '../../ui/time.tsx'
import { titleOf } from '../deploys/deploy-words.ts'
import css from './merge.module.css'

/** Deploys that are named. */
const maxNamedDeploys = 5

/** What became live since a branch left main; nothing where that cannot be told. */
export function Since({ branch }: { readonly branch: Branch }) {
  const { slug } = useProject()
  const deploys = useDeploys(slug)
  const since = deploysSince(deploys.data ?? [], branch.base)
  if (since.length === 0) return null
  return (
    <div className={css['since']}>
      <p className="soft">Went live since the branch left main:</p>
      <ul aria-label="Live since the branch left main">
        {since.slice(0, maxNamedDeploys).map((deploy) => (
          <li key={deploy.id}>
            <Link className="link" to={paths.deploy(slug, deploy.id)}>
              #{deploy.number} {titleOf(deploy)}
            </Link>{' '}
            <span className="soft">
              <Time at={deploy.createdAt} />
            </span>
          </li>
        ))}
        {since.length > maxNamedDeploys ? (
          <li className="soft">and {(since.length - maxNamedDeploys).toLocaleString()} more</li>
        ) : null}
      </ul>
    </div>
  )
}
