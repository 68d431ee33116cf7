import { useQuery } from '@tanstack/react-query'
import { ExternalLink, FileDiff, RotateCcw, SearchX } from 'lucide-react'
import { useParams } from 'react-router'
import type { Deploy } from '#contract/deploys.ts'
import type { Project } from '#contract/projects.ts'
import { isFailure } from '../../client.ts'
import { paths, type Spot } from '../../paths.ts'
import { branchByNameQuery } from '../../queries/branches.ts'
import { isUnderWay } from '../../queries/branches.ts'
import { deployQuery, useDeployProgress } from '../../queries/deploys.ts'
import { may } from '../../queries/projects.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Loaded, Skeleton } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { Problems } from '../../ui/problems.tsx'
import { Time } from '../../ui/time.tsx'
import { count } from '../../ui/words.ts'
import { EditInBranch } from '../branches/edit-in-branch.tsx'
import { ChangedFiles } from './changed-files.tsx'
import { DeployFacts } from './deploy-facts.tsx'
import { DeployBadge } from './deploy-row.tsx'
import { kindOf, titleOf } from './deploy-words.ts'
import { useServeAgain, whyNotServed } from './serve-again.ts'
import { Stages } from './stages.tsx'
import css from './deploys.module.css'

export function Component() {
  const project = useProject()
  const { deploy: id = '' } = useParams()
  const query = useQuery(deployQuery(project.slug, id))
  if (isFailure(query.error, 'not_found')) return <NoDeploy slug={project.slug} />
  if (query.data === undefined) {
    return (
      <Page title="Deploy">
        <Loaded query={query} pending={<Skeleton lines={5} />}>
          {() => null}
        </Loaded>
      </Page>
    )
  }
  return <DeployPage key={id} deploy={query.data} project={project} />
}

function NoDeploy({ slug }: { readonly slug: string }) {
  return (
    <Page title="No such deploy">
      <Empty
        icon={SearchX}
        title="This project has no such deploy"
        action={<LinkButton to={paths.deploys(slug)}>All deploys</LinkButton>}
      >
        The address may be of another project, or the deploy is so old that its record is no longer kept.
      </Empty>
    </Page>
  )
}

function DeployPage({ deploy, project }: { readonly deploy: Deploy; readonly project: Project }) {
  const { slug } = project
  const progress = useDeployProgress(slug, deploy)
  const { number, by, createdAt } = deploy
  const isFailed = deploy.status === 'failed'
  return (
    <Page
      title={`Deploy ${number}`}
      heading={
        <span className={css['head']}>
          <span>
            <span className={css['number']}>#{number}</span> {titleOf(deploy)}
          </span>
          <DeployBadge deploy={deploy} />
        </span>
      }
      description={
        <>
          {kindOf(deploy)}
          {by === undefined ? null : ` by ${by.kind === 'key' ? `the key ${by.name}` : by.name}`},{' '}
          <Time at={createdAt} />
        </>
      }
      actions={<Actions deploy={deploy} project={project} />}
    >
      <EditInBranch failed={isMendable(deploy) ? deploy : undefined} />
      {isFailed ? (
        <Notice tone="danger" title="This deploy did not go live">
          {project.live === undefined
            ? 'Nobody has seen anything of it.'
            : 'Readers see what was live before. Mend what is listed below and deploy again.'}
        </Notice>
      ) : null}
      <div className={css['columns']}>
        <div className={css['column']}>
          <Report deploy={deploy} project={project} />
          {deploy.commit === undefined || isUnderWay(deploy) ? null : <ChangedFiles deploy={deploy} slug={slug} />}
        </div>
        <div className={css['column']}>
          <Card title={isUnderWay(deploy) ? 'Under way' : isFailed ? 'How far it came' : 'How it went'}>
            <Stages deploy={deploy} progress={progress} />
          </Card>
          <Card title="Details">
            <DeployFacts deploy={deploy} slug={slug} />
          </Card>
        </div>
      </div>
    </Page>
  )
}

function Actions({ deploy, project }: { readonly deploy: Deploy; readonly project: Project }) {
  const serveAgain = useServeAgain(project)
  const isLive = deploy.status === 'live'
  const why = whyNotServed(project, deploy)
  return (
    <>
      {serveAgain.isPending ? (
        <Badge tone="note" pulse>
          Going live
        </Badge>
      ) : null}
      {deploy.commit === undefined ? null : (
        <LinkButton icon={FileDiff} to={paths.deployChanges(project.slug, deploy.id)}>
          Changes
        </LinkButton>
      )}
      {isLive ? (
        <LinkButton icon={ExternalLink} look="primary" to={deploy.url} target="_blank" rel="noreferrer">
          Open the site
        </LinkButton>
      ) : null}
      {deploy.status === 'superseded' ? (
        <Button
          look="primary"
          icon={RotateCcw}
          busy={serveAgain.isPending}
          disabled={why !== null}
          title={why ?? undefined}
          onClick={() => serveAgain.mutate(deploy)}
        >
          Serve this again
        </Button>
      ) : null}
    </>
  )
}

/** It failed, and its files are kept for a while. */
function isMendable({ status, commit }: Deploy): boolean {
  return status === 'failed' && commit !== undefined
}

/** What the build said of files. */
function Report({ deploy, project }: { readonly deploy: Deploy; readonly project: Project }) {
  const { slug } = project
  const { branch: name, counts, id } = deploy
  const hasProblems = counts.errors + counts.warnings > 0
  const branch = useQuery({ ...branchByNameQuery(slug, name ?? ''), enabled: name !== undefined && hasProblems })
  const found = branch.data?.items[0]
  // What is live is on main, and new branches have it; of what failed a branch is made.
  const isEditable = may(project, 'write') && (deploy.status === 'live' || isMendable(deploy))
  const linkOf = (spot: Spot): string =>
    found !== undefined
      ? paths.editorAt(slug, found.id, spot)
      : isEditable
        ? paths.editSomewhere(spot)
        : `${paths.deployChanges(slug, id)}?path=${encodeURIComponent(spot.path)}`
  const links = found !== undefined || deploy.commit !== undefined ? { linkOf } : {}
  if (isUnderWay(deploy)) {
    return (
      <Card title="Log">
        <p className="soft">Errors and warnings of the build are listed here when it has ended.</p>
      </Card>
    )
  }
  return (
    <>
      {counts.errors === 0 ? null : (
        <Card
          title={count(counts.errors, 'error')}
          description={
            deploy.status === 'live'
              ? 'Readers get these pages as they were, or not at all; everything else is live.'
              : undefined
          }
        >
          <Problems severity="error" items={deploy.errors} total={counts.errors} {...links} />
        </Card>
      )}
      {counts.warnings === 0 ? null : (
        <Card
          title={count(counts.warnings, 'warning')}
          description={deploy.status === 'live' ? 'The site is live with them; readers may notice.' : undefined}
        >
          <Problems severity="warning" items={deploy.warnings} total={counts.warnings} {...links} />
        </Card>
      )}
      {hasProblems ? null : (
        <Card>
          <p className="soft">
            {deploy.kind === 'rollback'
              ? 'An earlier site was served again: nothing was built.'
              : 'The build had neither errors nor warnings.'}
          </p>
        </Card>
      )}
    </>
  )
}
