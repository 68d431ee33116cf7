import { RotateCcw } from 'lucide-react'
import { Link } from 'react-router'
import type { Deploy } from '#contract/deploys.ts'
import type { Project } from '#contract/projects.ts'
import { paths } from '../../paths.ts'
import { isUnderWay } from '../../queries/branches.ts'
import { useDeployProgress } from '../../queries/deploys.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Row } from '../../ui/card.tsx'
import { Time } from '../../ui/time.tsx'
import { count, durationWords } from '../../ui/words.ts'
import { kindOf, makerOf, statusWords, titleOf } from './deploy-words.ts'
import { useServeAgain, whyNotServed } from './serve-again.ts'
import css from './deploys.module.css'

export function DeployBadge({ deploy }: { readonly deploy: Pick<Deploy, 'status'> }) {
  const { label, ...looks } = statusWords[deploy.status]
  return <Badge {...looks}>{label}</Badge>
}

/** A deploy in a list. One that is under way tells how far it is. */
export function DeployRow({ deploy, project }: { readonly deploy: Deploy; readonly project: Project }) {
  const serveAgain = useServeAgain(project)
  const { number, id, counts } = deploy
  return (
    <Row
      title={
        <span>
          <span className={css['number']}>#{number}</span>{' '}
          <Link to={paths.deploy(project.slug, id)} className={css['title']}>
            {titleOf(deploy)}
          </Link>
        </span>
      }
      detail={<Detail deploy={deploy} />}
    >
      {counts.errors === 0 ? null : <span className={css['errors']}>{count(counts.errors, 'error')}</span>}
      {counts.warnings === 0 ? null : <span className={css['warnings']}>{count(counts.warnings, 'warning')}</span>}
      {serveAgain.isPending ? (
        <Badge tone="note" pulse>
          Going live
        </Badge>
      ) : (
        <DeployBadge deploy={deploy} />
      )}
      {whyNotServed(project, deploy) === null ? (
        <Button size="small" icon={RotateCcw} busy={serveAgain.isPending} onClick={() => serveAgain.mutate(deploy)}>
          <span>
            Serve<span className="visually-hidden"> deploy {number}</span> again
          </span>
        </Button>
      ) : null}
    </Row>
  )
}

function Detail({ deploy }: { readonly deploy: Deploy }) {
  if (isUnderWay(deploy)) return <Running deploy={deploy} />
  const { durationMs, pages, createdAt, status } = deploy
  const facts = [
    titleOf(deploy) === kindOf(deploy) ? '' : kindOf(deploy),
    makerOf(deploy) ?? '',
    status === 'failed' ? '' : count(pages.total, 'page'),
    durationMs === undefined ? '' : durationWords(durationMs),
  ].filter((fact) => fact !== '')
  return (
    <span className={css['facts']}>
      {facts.map((fact) => (
        <span key={fact}>{fact}</span>
      ))}
      <Time at={createdAt} />
    </span>
  )
}

function Running({ deploy }: { readonly deploy: Deploy }) {
  const { pages } = useDeployProgress(deploy.project, deploy)
  return (
    <span className={css['facts']}>
      <span>{pages === undefined ? kindOf(deploy) : `${pages.done} of ${count(pages.total, 'page')}`}</span>
      <Time at={deploy.createdAt} />
    </span>
  )
}
