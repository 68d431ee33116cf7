import { useInfiniteQuery } from '@tanstack/react-query'
import {
  ArrowDownToLine,
  ExternalLink,
  FileDiff,
  GitBranch,
  MoreHorizontal,
  PencilLine,
  Plus,
  Rocket,
  Trash,
} from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { Link } from 'react-router'
import type { Branch } from '#contract/branches.ts'
import { paths } from '../../paths.ts'
import { branchesQuery } from '../../queries/branches.ts'
import { may } from '../../queries/projects.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { Button, IconButton, IconLink } from '../../ui/button.tsx'
import { Row, Rows } from '../../ui/card.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Loaded, Skeleton } from '../../ui/loaded.tsx'
import { Menu, type MenuEntry } from '../../ui/menu.tsx'
import { More, useFurther } from '../../ui/more.tsx'
import { Page } from '../../ui/page.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { useSearchParam } from '../../ui/search-params.ts'
import { Time } from '../../ui/time.tsx'
import { useDialog } from '../../ui/use-dialog.ts'
import { ChangeCounts, MainState, PreviewState } from './branch-state.tsx'
import { DeleteBranch } from './delete-branch.tsx'
import { NewBranch } from './new-branch.tsx'

/** From so many on there is a field to find one. */
const many = 6

/** All that is being worked on. `?find=` a part of the names, `?new` the form for a new one. */
export function Component() {
  const project = useProject()
  const [find = '', setFind] = useSearchParam('find')
  const [isAdding, setAdding] = useDialog('new')
  const query = useInfiniteQuery(branchesQuery(project.slug))
  const all = query.data ?? []
  const found = all.filter(({ name }) => name.includes(find.trim().toLowerCase()))
  const isSearching = useFurther(query, found.length === 0)
  const create = may(project, 'write') ? (
    <Button icon={Plus} look="primary" onClick={() => setAdding(true)}>
      New branch
    </Button>
  ) : null
  return (
    <Page
      title="Branches"
      description="Each is a copy of the site that somebody works on, with a preview of its own."
      actions={query.data !== undefined && all.length === 0 ? undefined : create}
    >
      <Loaded query={query} pending={<Skeleton lines={5} />}>
        {() =>
          all.length === 0 && !query.hasNextPage ? (
            <NoBranches action={create} />
          ) : (
            <>
              {all.length >= many || find !== '' ? (
                <SearchField
                  label="Find a branch"
                  value={find}
                  onChange={(value) => setFind(value, { replace: true })}
                />
              ) : null}
              {found.length > 0 ? (
                <Rows label="Branches">
                  {found.map((branch) => (
                    <BranchRow key={branch.id} branch={branch} />
                  ))}
                </Rows>
              ) : isSearching ? (
                <Skeleton />
              ) : query.hasNextPage ? null : (
                <p className="soft">No branch has “{find}” in its name.</p>
              )}
              <More query={query} />
            </>
          )
        }
      </Loaded>
      <NewBranch open={isAdding && may(project, 'write')} onOpenChange={setAdding} />
    </Page>
  )
}

function BranchRow({ branch }: { readonly branch: Branch }) {
  const { slug } = useProject()
  return (
    <Row
      title={
        <>
          <GitBranch aria-hidden size="1em" />
          <Link to={paths.branch(slug, branch.id)}>{branch.name}</Link>
        </>
      }
      detail={
        <>
          <ChangeCounts branch={branch} /> · <Time at={branch.updatedAt} />
        </>
      }
      tools={
        <>
          {branch.preview.served === undefined ? null : (
            <IconLink
              size="small"
              icon={ExternalLink}
              label={`Open the preview of ${branch.name}`}
              to={branch.previewUrl}
              target="_blank"
              rel="noreferrer"
            />
          )}
          <BranchMenu branch={branch} />
        </>
      }
    >
      {branch.upToDate ? null : <MainState branch={branch} />}
      <PreviewState branch={branch} />
    </Row>
  )
}

function BranchMenu({ branch }: { readonly branch: Branch }) {
  const project = useProject()
  const [isDeleting, setIsDeleting] = useState(false)
  const { slug } = project
  const { id, name, upToDate } = branch
  const entries: MenuEntry[] = [
    { kind: 'link', label: 'Changes', icon: FileDiff, to: paths.changes(slug, id) },
    ...(may(project, 'write')
      ? [{ kind: 'link', label: 'Edit', icon: PencilLine, to: paths.editor(slug, id) } as const]
      : []),
    ...(may(project, 'write') && !upToDate
      ? [{ kind: 'link', label: 'Update from main', icon: ArrowDownToLine, to: paths.update(slug, id) } as const]
      : []),
    ...(may(project, 'deploy')
      ? [{ kind: 'link', label: 'Publish…', icon: Rocket, to: paths.publish(slug, id) } as const]
      : []),
    ...(may(project, 'write')
      ? ([
          { kind: 'separator' },
          { kind: 'action', label: 'Delete…', icon: Trash, danger: true, onSelect: () => setIsDeleting(true) },
        ] as const)
      : []),
  ]
  return (
    <>
      <Menu trigger={<IconButton size="small" icon={MoreHorizontal} label={`More of ${name}`} />} entries={entries} />
      <DeleteBranch branch={branch} open={isDeleting} onOpenChange={setIsDeleting} />
    </>
  )
}

function NoBranches({ action }: { readonly action: ReactNode }) {
  return (
    <Empty icon={GitBranch} title="Nobody works on anything here yet" action={action}>
      Make a branch, change as many pages as you like, and look at them under an address of their own. When it is good,
      publish it: all of it goes live at once. Until then readers see none of it.
    </Empty>
  )
}
