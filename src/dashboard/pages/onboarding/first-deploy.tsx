import { ExternalLink, GitBranch, Globe, UserPlus } from 'lucide-react'
import type { Deploy } from '#contract/deploys.ts'
import type { Project } from '#contract/projects.ts'
import { paths } from '../../paths.ts'
import { useDeployProgress } from '../../queries/deploys.ts'
import { frameUrl, may } from '../../queries/projects.ts'
import { Badge } from '../../ui/badge.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Notice } from '../../ui/notice.tsx'
import { placeWords } from '../../ui/problems.tsx'
import { SitePicture } from '../../ui/site-picture.tsx'
import { Time } from '../../ui/time.tsx'
import { Stages } from '../deploys/stages.tsx'
import { Sample } from './sample.tsx'
import css from './start.module.css'

/** How the first deploy goes, and what comes after it. */
export function FirstDeploy({ project }: { readonly project: Project }) {
  const { live, latest } = project
  if (live !== undefined) return <Live project={project} live={live} />
  if (latest === undefined) return null
  if (latest.status === 'failed') return <Failed project={project} deploy={latest} />
  return <Running slug={project.slug} deploy={latest} />
}

function Running({ slug, deploy }: { readonly slug: string; readonly deploy: Deploy }) {
  const progress = useDeployProgress(slug, deploy)
  return (
    <Card
      title="Your first deploy is under way"
      actions={
        <Badge tone="note" pulse>
          Deploying
        </Badge>
      }
    >
      <Stages deploy={deploy} progress={progress} />
    </Card>
  )
}

function Failed({ project, deploy }: { readonly project: Project; readonly deploy: Deploy }) {
  const [first] = deploy.errors
  return (
    <>
      <Notice
        tone="danger"
        title="The deploy failed; nothing went live"
        action={<LinkButton to={paths.deploy(project.slug, deploy.id)}>See all errors</LinkButton>}
      >
        {first === undefined
          ? 'Look at its log, mend it and deploy again.'
          : `${first.path === undefined ? '' : `${placeWords(first)}: `}${first.message}`}
      </Notice>
      {may(project, 'deploy') ? <Sample project={project} /> : null}
    </>
  )
}

function Live({ project, live }: { readonly project: Project; readonly live: Deploy }) {
  const { slug, url } = project
  return (
    <Card
      title="Your site is live"
      description={
        <>
          Deploy {live.number}, <Time at={live.finishedAt ?? live.createdAt} />
        </>
      }
      actions={<Badge tone="success">Live</Badge>}
      className={css['live']}
    >
      <div className={css['picture']}>
        <SitePicture url={frameUrl(project, url)} />
      </div>
      <a className={css['address']} href={url} rel="noreferrer" target="_blank">
        {url}
        <ExternalLink aria-hidden />
        <span className="visually-hidden">opens in a new tab</span>
      </a>
      <div className={css['next']}>
        <h3>What next?</h3>
        <div>
          <LinkButton look="primary" icon={GitBranch} to={paths.branches(slug)}>
            Edit it in a branch
          </LinkButton>
          {may(project, 'admin') ? (
            <>
              <LinkButton icon={UserPlus} to={paths.members(slug)}>
                Invite writers
              </LinkButton>
              <LinkButton icon={Globe} to={paths.domains(slug)}>
                Use your own domain
              </LinkButton>
            </>
          ) : null}
          <LinkButton look="ghost" to={paths.project(slug)}>
            Project overview
          </LinkButton>
        </div>
      </div>
    </Card>
  )
}
