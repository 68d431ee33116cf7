import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ExternalLink, Megaphone, Rocket, Undo2 } from 'lucide-react'
import { useEffect } from 'react'
import { useParams } from 'react-router'
import type { Deploy } from '#contract/deploys.ts'
import { usePendingMerge } from '../../drafts/use-pending-merge.ts'
import { paths, type Spot } from '../../paths.ts'
import { branchesKey, isUnderWay } from '../../queries/branches.ts'
import { deployQuery, useDeployProgress } from '../../queries/deploys.ts'
import { may } from '../../queries/projects.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { FormActions } from '../../ui/form.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { Problems } from '../../ui/problems.tsx'
import { count } from '../../ui/words.ts'
import { Stages } from '../deploys/stages.tsx'

/** A publish on its way to the readers, until it is live or was refused. */
export function PublishRun({ id }: { readonly id: string }) {
  const { slug } = useProject()
  const query = useQuery(deployQuery(slug, id))
  if (query.data === undefined) {
    return (
      <Page title="Publish">
        <Loaded query={query}>{() => null}</Loaded>
      </Page>
    )
  }
  return <Run deploy={query.data} />
}

function Run({ deploy }: { readonly deploy: Deploy }) {
  const { slug } = useProject()
  const { branch: branchId = '' } = useParams()
  const queries = useQueryClient()
  const pendingMerge = usePendingMerge(branchId)
  const progress = useDeployProgress(slug, deploy)
  const { id, branch: name = 'main' } = deploy
  const isLive = deploy.status === 'live' || deploy.status === 'superseded'
  useEffect(() => {
    if (!isLive) return
    pendingMerge?.published(id)
    void queries.invalidateQueries({ queryKey: branchesKey(slug) })
  }, [id, isLive, pendingMerge, queries, slug])
  return (
    <Page
      title={
        isLive ? `${name} is live` : deploy.status === 'failed' ? `${name} is not published` : `Publishing ${name}`
      }
      width="narrow"
    >
      {isLive ? <Live deploy={deploy} /> : deploy.status === 'failed' ? <Failed deploy={deploy} id={branchId} /> : null}
      <Card
        {...(isUnderWay(deploy)
          ? { title: 'Under way', description: 'You can leave this page: it goes on without you.' }
          : { title: isLive ? 'How it went' : 'How far it came' })}
      >
        <Stages deploy={deploy} progress={progress} />
      </Card>
    </Page>
  )
}

function Live({ deploy }: { readonly deploy: Deploy }) {
  const project = useProject()
  const { slug } = project
  const { pages, counts } = deploy
  return (
    <Card
      title="Readers see it now"
      description={
        <>
          <a className="link" href={deploy.url} target="_blank" rel="noreferrer">
            {deploy.url}
          </a>
          <br />
          {count(pages.total, 'page')}, {pages.built.toLocaleString()} built anew
          {counts.warnings === 0 ? '' : `, ${count(counts.warnings, 'warning')}`}. The branch is part of main now.
        </>
      }
    >
      <FormActions>
        <LinkButton look="primary" icon={ExternalLink} to={deploy.url} target="_blank" rel="noreferrer">
          Open the site
        </LinkButton>
        <LinkButton icon={Rocket} to={paths.deploy(slug, deploy.id)}>
          Deploy #{deploy.number}
        </LinkButton>
        {may(project, 'write') ? (
          <LinkButton icon={Megaphone} to={paths.newEntry(slug)}>
            Write about it
          </LinkButton>
        ) : null}
      </FormActions>
    </Card>
  )
}

function Failed({ deploy, id }: { readonly deploy: Deploy; readonly id: string }) {
  const { slug } = useProject()
  const { errors, warnings, counts } = deploy
  const linkOf = (spot: Spot): string => paths.editorAt(slug, id, spot)
  // What is wrong with no file is not the site's fault.
  const isBuilt = !errors.some(({ path }) => path !== undefined)
  return (
    <>
      <Notice tone="danger" title={isBuilt ? 'It did not go live' : 'The site does not build'}>
        Readers see what they saw before, and the branch is as it was.{' '}
        {isBuilt ? 'See why below, then publish again.' : 'Mend this, then publish again.'}
      </Notice>
      <Card
        title={count(counts.errors, 'error')}
        actions={
          <LinkButton size="small" icon={Undo2} to={paths.publish(slug, id)}>
            Try again
          </LinkButton>
        }
      >
        <Problems severity="error" items={errors} total={counts.errors} linkOf={linkOf} />
        <Problems severity="warning" items={warnings} total={counts.warnings} linkOf={linkOf} />
      </Card>
    </>
  )
}
