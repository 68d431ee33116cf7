import { useQuery } from '@tanstack/react-query'
import { GitBranch } from 'lucide-react'
import { Link, useSearchParams } from 'react-router'
import type { Deploy } from '#contract/deploys.ts'
import { paths, type Spot } from '../../paths.ts'
import { changesOfDeploy } from '../../queries/deploys.ts'
import { latestBranchesQuery } from '../../queries/branches.ts'
import { may } from '../../queries/projects.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { Row, Rows } from '../../ui/card.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Skeleton } from '../../ui/loaded.tsx'
import { Time } from '../../ui/time.tsx'
import { useClosing } from '../../ui/use-dialog.ts'
import { ChangeCounts, MainState } from './branch-state.tsx'
import { NewBranchForm } from './new-branch.tsx'
import css from './branches.module.css'

export interface EditChoiceProps {
  /** It did not go live: no branch has its files, so that a new one begins with them. */
  readonly failed?: Deploy | undefined
}

/** A window that asks on which branch to edit, and opens the editor there. The address has the place, as `paths.editSomewhere` makes it. */
export function EditChoice({ failed }: EditChoiceProps) {
  const project = useProject()
  const [search] = useSearchParams()
  const path = search.get('edit')
  const close = useClosing('edit', 'line', 'column')
  const numberOf = (name: string): number | undefined => Number(search.get(name)) || undefined
  const spot = path ? { path, line: numberOf('line'), column: numberOf('column') } : undefined
  return (
    <Dialog
      open={path !== null && may(project, 'write')}
      onOpenChange={close}
      title={spot === undefined ? 'Edit in a branch' : `Edit ${spot.path}`}
      description={
        failed === undefined
          ? 'A branch is a copy of the site to work on. Readers see nothing of it until you publish it.'
          : `A new branch gets the text files of deploy ${failed.number}: mend them there, look at the preview and publish.`
      }
    >
      {failed === undefined ? <Open spot={spot} /> : null}
      <NewBranchForm
        suggested={failed === undefined ? stemOf(spot?.path ?? '') : `mend-deploy-${failed.number}`}
        spot={spot}
        changes={failed === undefined ? undefined : () => changesOfDeploy(project.slug, failed.id)}
        onCancel={close}
      />
    </Dialog>
  )
}

/** `guides/Quick start.mdx` → `edit-quick-start`. */
function stemOf(path: string): string {
  const stem = path
    .slice(path.lastIndexOf('/') + 1)
    .replace(/\.[^.]*$/, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  return stem === '' ? '' : `edit-${stem}`
}

/** Branches that are there already, newest first. */
function Open({ spot }: { readonly spot: Spot | undefined }) {
  const { slug } = useProject()
  const { data } = useQuery(latestBranchesQuery(slug))
  if (data === undefined) return <Skeleton lines={2} />
  if (data.items.length === 0) return null
  return (
    <div className={css['choose']}>
      <Rows label="Open branches">
        {data.items.map((branch) => (
          <Row
            key={branch.id}
            title={
              <>
                <GitBranch aria-hidden size="1em" />
                <Link to={spot ? paths.editorAt(slug, branch.id, spot) : paths.editor(slug, branch.id)}>
                  {branch.name}
                </Link>
              </>
            }
            detail={
              <>
                <ChangeCounts branch={branch} /> · <Time at={branch.updatedAt} />
              </>
            }
          >
            {branch.upToDate ? null : <MainState branch={branch} />}
          </Row>
        ))}
      </Rows>
      {data.nextCursor === undefined ? null : (
        <p>
          <Link className="link" to={paths.branches(slug)}>
            All branches
          </Link>
        </p>
      )}
      <h3>Or on a new branch</h3>
    </div>
  )
}
