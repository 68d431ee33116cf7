import { useQuery } from '@tanstack/react-query'
import { ArrowDownToLine, ExternalLink, PencilLine, Rocket } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link, NavLink, useParams } from 'react-router'
import type { Branch } from '#contract/branches.ts'
import { isFailure } from '../../client.ts'
import { paths } from '../../paths.ts'
import { branchQuery } from '../../queries/branches.ts'
import { openThreadsQuery } from '../../queries/comments.ts'
import { may } from '../../queries/projects.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { ChangeCounts, MainState, PreviewState } from './branch-state.tsx'
import { BranchGone } from './gone.tsx'
import css from './branches.module.css'

interface FrameProps {
  /** What of the branch the page is about; names the tab. */
  readonly part: string
  readonly width?: 'normal' | 'wide'
  /** Beside the buttons that all pages of a branch have. */
  readonly actions?: (branch: Branch) => ReactNode
  readonly children: (branch: Branch) => ReactNode
}

/** What the pages of a branch share: its name, how it stands, and the ways from one page to the others. */
export function BranchFrame({ part, width = 'normal', actions, children }: FrameProps) {
  const { slug } = useProject()
  const { branch: id = '' } = useParams()
  const query = useQuery(branchQuery(slug, id))
  const branch = query.data
  if (isFailure(query.error, 'not_found')) return <BranchGone id={id} />
  if (branch === undefined)
    return (
      <Page title={part}>
        <Loaded query={query}>{() => null}</Loaded>
      </Page>
    )
  return (
    <Page
      title={`${part} · ${branch.name}`}
      width={width}
      heading={
        <>
          <span className={css['crumb']}>
            <Link to={paths.branches(slug)}>Branches</Link>
          </span>
          {branch.name}
        </>
      }
      actions={<Actions branch={branch} part={part} more={actions?.(branch)} />}
    >
      <State branch={branch} />
      <Parts branch={branch} part={part} />
      {children(branch)}
    </Page>
  )
}

function State({ branch }: { readonly branch: Branch }) {
  return (
    <div className={css['state']}>
      <PreviewState branch={branch} />
      <MainState branch={branch} />
      <ChangeCounts branch={branch} />
    </div>
  )
}

interface ActionsProps {
  readonly branch: Branch
  readonly part: string
  readonly more: ReactNode
}

/** What can be done with a branch; not what the page is about anyway. */
function Actions({ branch, part, more }: ActionsProps) {
  const project = useProject()
  const { slug } = project
  return (
    <>
      <PreviewLink branch={branch} />
      {may(project, 'write') ? (
        <LinkButton icon={PencilLine} to={paths.editor(slug, branch.id)}>
          Edit
        </LinkButton>
      ) : null}
      {may(project, 'write') && !branch.upToDate && part !== 'Update' ? (
        <LinkButton icon={ArrowDownToLine} to={paths.update(slug, branch.id)}>
          Update from main
        </LinkButton>
      ) : null}
      {may(project, 'deploy') && part !== 'Publish' ? (
        <LinkButton
          look={part === 'Update' ? 'secondary' : 'primary'}
          icon={Rocket}
          to={paths.publish(slug, branch.id)}
        >
          Publish…
        </LinkButton>
      ) : null}
      {more}
    </>
  )
}

/** To the preview, in a tab of its own; absent until there is something to see. */
function PreviewLink({ branch: { preview, previewUrl } }: { readonly branch: Branch }) {
  if (preview.served === undefined) return null
  return (
    <LinkButton icon={ExternalLink} to={previewUrl} target="_blank" rel="noreferrer">
      Preview
    </LinkButton>
  )
}

function Parts({ branch: { id }, part }: { readonly branch: Branch; readonly part: string }) {
  const { slug } = useProject()
  const { data: open = 0 } = useQuery(openThreadsQuery(slug, id))
  const items = [
    ['Overview', paths.branch(slug, id)],
    [open === 0 ? 'Changes' : `Changes · ${open.toLocaleString()} open`, paths.changes(slug, id)],
    ...(part === 'Update' ? [['Update from main', paths.update(slug, id)] as const] : []),
    ...(part === 'Publish' ? [['Publish', paths.publish(slug, id)] as const] : []),
  ] as const
  return (
    <Tabs label="Branch">
      {items.map(([name, to]) => (
        <NavLink key={to} to={to} end>
          {name}
        </NavLink>
      ))}
    </Tabs>
  )
}
