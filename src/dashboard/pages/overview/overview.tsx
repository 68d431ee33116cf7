import { useQuery } from '@tanstack/react-query'
import { ExternalLink, GitBranch, Megaphone, PenLine, Rocket, UserPlus } from 'lucide-react'
import { Link, Navigate } from 'react-router'
import type { Branch } from '#contract/branches.ts'
import type { Entry } from '#contract/changelog.ts'
import type { Deploy } from '#contract/deploys.ts'
import type { Project } from '#contract/projects.ts'
import { paths } from '../../paths.ts'
import { latestBranchesQuery } from '../../queries/branches.ts'
import { latestEntryQuery } from '../../queries/changelog.ts'
import { latestDeploysQuery } from '../../queries/deploys.ts'
import { frameUrl, may } from '../../queries/projects.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { Card, Facts, Row, Rows } from '../../ui/card.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Loaded, Skeleton } from '../../ui/loaded.tsx'
import { Page, Stack } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { count, durationWords } from '../../ui/words.ts'
import { PreviewState } from '../branches/branch-state.tsx'
import { EditInBranch } from '../branches/edit-in-branch.tsx'
import { EntryState } from '../changelog/entry-state.tsx'
import { DeployBadge, DeployRow } from '../deploys/deploy-row.tsx'
import { kindOf, makerOf, titleOf } from '../deploys/deploy-words.ts'
import { SitePicture } from '../../ui/site-picture.tsx'
import { overPage } from '../../ui/use-dialog.ts'
import css from './overview.module.css'

export function Component() {
  const project = useProject()
  const { slug, title, latest } = project
  const deploys = useQuery(latestDeploysQuery(slug))
  if (latest === undefined) return <Navigate replace to={paths.start(slug)} />
  return (
    <Page title={title} actions={<QuickActions project={project} />}>
      <EditInBranch />
      <Live project={project} />
      <div className={css['columns']}>
        <Card
          title="Latest deploys"
          actions={
            <LinkButton size="small" look="ghost" to={paths.deploys(slug)}>
              All deploys
            </LinkButton>
          }
        >
          <Loaded query={deploys} pending={<Skeleton lines={4} />}>
            {({ items }) => (
              <Rows label="Latest deploys" ordered>
                {items.map((deploy) => (
                  <DeployRow key={deploy.id} deploy={deploy} project={project} />
                ))}
              </Rows>
            )}
          </Loaded>
        </Card>
        <Stack>
          <Branches project={project} />
          <Changelog project={project} />
        </Stack>
      </div>
    </Page>
  )
}

function QuickActions({ project }: { readonly project: Project }) {
  const { slug } = project
  return (
    <>
      {may(project, 'admin') ? (
        <LinkButton icon={UserPlus} to={paths.members(slug)}>
          Invite
        </LinkButton>
      ) : null}
      {may(project, 'write') ? (
        <>
          <LinkButton icon={Megaphone} to={paths.newEntry(slug)}>
            Changelog entry
          </LinkButton>
          <LinkButton icon={PenLine} look="primary" to={paths.editSomewhere()} state={overPage}>
            Edit in a branch
          </LinkButton>
        </>
      ) : null}
    </>
  )
}

/** What readers see now. */
function Live({ project }: { readonly project: Project }) {
  const { slug, url, live } = project
  const host = new URL(url).host
  return (
    <Card className={css['live']}>
      {live === undefined ? null : (
        <div className={css['picture']}>
          <SitePicture url={frameUrl(project, url)} />
        </div>
      )}
      <div className={css['current']}>
        <div>
          <h2 className="soft">
            {live === undefined ? 'Nothing is live yet' : 'Live site'}
            {project.privateSince === undefined ? null : ' · private'}
          </h2>
          <div className={css['address']}>
            <a className="link" href={url} target="_blank" rel="noreferrer">
              {host} <ExternalLink aria-hidden />
            </a>
            <CopyButton text={url} label="Copy the site’s address" />
          </div>
        </div>
        {live === undefined ? (
          <p className="soft">
            The first deploy is under way or did not go live.{' '}
            <Link className="link" to={paths.start(slug)}>
              Ways to deploy
            </Link>
          </p>
        ) : (
          <Current slug={slug} deploy={live} />
        )}
      </div>
    </Card>
  )
}

function Current({ slug, deploy }: { readonly slug: string; readonly deploy: Deploy }) {
  const { id, number, createdAt, finishedAt, pages, counts, durationMs } = deploy
  const to = paths.deploy(slug, id)
  return (
    <>
      <p className={css['deploy']}>
        <Rocket aria-hidden />
        <Link to={to}>
          <span className="soft">#{number}</span> {titleOf(deploy)}
        </Link>
        <DeployBadge deploy={deploy} />
      </p>
      <Facts
        items={[
          ['Went live', <Time key="at" at={finishedAt ?? createdAt} />],
          ['By', makerOf(deploy) ?? kindOf(deploy)],
          [
            'Pages',
            `${pages.total.toLocaleString()} (${pages.built.toLocaleString()} built, ${pages.reused.toLocaleString()} unchanged)`,
          ],
          durationMs === undefined ? null : ['Took', durationWords(durationMs)],
          counts.warnings === 0
            ? null
            : [
                'Warnings',
                <Link key="warnings" className="link" to={to}>
                  {count(counts.warnings, 'warning')}
                </Link>,
              ],
        ]}
      />
    </>
  )
}

function Branches({ project }: { readonly project: Project }) {
  const { slug } = project
  const query = useQuery(latestBranchesQuery(slug))
  return (
    <Card
      title="Open branches"
      actions={
        <LinkButton size="small" look="ghost" to={paths.branches(slug)}>
          All branches
        </LinkButton>
      }
    >
      <Loaded query={query} pending={<Skeleton lines={2} />}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="soft">
              None. A branch is a copy of the site where you write in peace: readers see it when you publish.
            </p>
          ) : (
            <Rows label="Open branches">
              {items.map((branch) => (
                <BranchRow key={branch.id} branch={branch} slug={slug} />
              ))}
            </Rows>
          )
        }
      </Loaded>
    </Card>
  )
}

function BranchRow({ branch, slug }: { readonly branch: Branch; readonly slug: string }) {
  const { added, modified, deleted } = branch.changes
  const changed = added + modified + deleted
  return (
    <Row
      title={
        <>
          <GitBranch className={css['icon']} aria-hidden />
          <Link to={paths.branch(slug, branch.id)}>{branch.name}</Link>
        </>
      }
      detail={
        <>
          {changed === 0 ? 'No changes' : count(changed, 'changed file')}
          {branch.upToDate ? '' : ', behind main'}, <Time at={branch.updatedAt} />
        </>
      }
    >
      <PreviewState branch={branch} />
    </Row>
  )
}

function Changelog({ project }: { readonly project: Project }) {
  const { slug } = project
  const query = useQuery(latestEntryQuery(slug))
  return (
    <Card
      title="Changelog"
      actions={
        <LinkButton size="small" look="ghost" to={paths.entries(slug)}>
          All entries
        </LinkButton>
      }
    >
      <Loaded query={query} pending={<Skeleton lines={1} />}>
        {(entry) =>
          entry === null ? (
            <p className="soft">No entries. They tell readers what is new, on a page of its own and in feeds.</p>
          ) : (
            <Rows label="Latest entry">
              <EntryRow entry={entry} slug={slug} />
            </Rows>
          )
        }
      </Loaded>
    </Card>
  )
}

function EntryRow({ entry, slug }: { readonly entry: Entry; readonly slug: string }) {
  return (
    <Row
      title={<Link to={paths.entry(slug, entry.id)}>{entry.title}</Link>}
      detail={
        <>
          {entry.version === undefined ? '' : `${entry.version}, `}
          <Time at={entry.published_at ?? entry.updated_at} />
        </>
      }
    >
      <EntryState status={entry.status} />
    </Row>
  )
}
