import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ArrowDownToLine, CircleCheck, PencilLine } from 'lucide-react'
import { useNavigate } from 'react-router'
import { mergeWith } from '#authoring/merge-attempt.ts'
import type { Branch } from '#contract/branches.ts'
import { messageOf } from '../../client.ts'
import type { PendingMerge } from '../../drafts/pending-merge.ts'
import { usePendingConflicts, usePendingMerge } from '../../drafts/use-pending-merge.ts'
import { paths } from '../../paths.ts'
import { branchesKey, branchQuery, updateBranch } from '../../queries/branches.ts'
import { may } from '../../queries/projects.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Skeleton } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { toast } from '../../ui/toasts.tsx'
import { BranchFrame } from '../branches/branch-frame.tsx'
import { Resolver } from './resolver.tsx'
import { Since } from './since.tsx'

/** Takes what became live meanwhile into a branch. */
export function Component() {
  return <BranchFrame part="Update">{(branch) => <Update branch={branch} />}</BranchFrame>
}

function Update({ branch }: { readonly branch: Branch }) {
  const project = useProject()
  const pendingMerge = usePendingMerge(branch.id)
  if (!may(project, 'write')) {
    return <Notice tone="note">You may read this project, and not change its branches: ask its owner.</Notice>
  }
  if (branch.upToDate) {
    return (
      <Empty
        icon={CircleCheck}
        title={`${branch.name} has all that main has`}
        action={
          <LinkButton icon={PencilLine} to={paths.editor(project.slug, branch.id)}>
            Edit
          </LinkButton>
        }
      >
        When something is published from another branch, you can take it in here.
      </Empty>
    )
  }
  return pendingMerge === undefined ? <Skeleton /> : <UpdateForm branch={branch} pendingMerge={pendingMerge} />
}

function UpdateForm({ branch, pendingMerge }: { readonly branch: Branch; readonly pendingMerge: PendingMerge }) {
  const { slug } = useProject()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const items = usePendingConflicts(pendingMerge)
  const update = useMutation({
    mutationFn: () => mergeWith(pendingMerge, (resolutions) => updateBranch(slug, branch.id, resolutions)),
    onSuccess: (updated) => {
      if (updated === undefined) return
      pendingMerge.forget()
      queries.setQueryData(branchQuery(slug, branch.id).queryKey, updated)
      toast.done(`${branch.name} has all that main has`)
      void navigate(paths.branch(slug, branch.id))
    },
    // Refused as well: somebody else may have published the branch, or moved it.
    onSettled: () => void queries.invalidateQueries({ queryKey: branchesKey(slug) }),
  })
  const run = (): void => update.mutate()
  return (
    <>
      {update.error === null ? null : <Notice tone="danger">{messageOf(update.error)}</Notice>}
      {items.length > 0 ? (
        <Resolver
          branch={branch}
          pendingMerge={pendingMerge}
          goOn="Update the branch"
          busy={update.isPending}
          onGoOn={run}
        />
      ) : (
        <Card
          title="Main has moved on"
          description={`What was published since ${branch.name} left main comes into the branch, so that its preview and its changes are told against what is live. Where both changed the same lines, you are asked.`}
        >
          <Since branch={branch} />
          <div>
            <Button look="primary" icon={ArrowDownToLine} busy={update.isPending} onClick={run}>
              Update from main
            </Button>
          </div>
        </Card>
      )}
    </>
  )
}
