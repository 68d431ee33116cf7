import { useQueryClient } from '@tanstack/react-query'
import type { Branch } from '#contract/branches.ts'
import { branchesKey, branchQuery, removeBranch } from '../../queries/branches.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { toast } from '../../ui/toasts.tsx'
import { count } from '../../ui/words.ts'

interface DeleteBranchProps {
  readonly branch: Branch
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly onDeleted?: () => void
}

/** Asks before a branch goes: there is no way back. Its name must be typed where something would be lost. */
export function DeleteBranch({ branch, open, onOpenChange, onDeleted }: DeleteBranchProps) {
  const { slug } = useProject()
  const queries = useQueryClient()
  const { added, modified, deleted } = branch.changes
  const changed = added + modified + deleted
  return (
    <Confirm
      open={open}
      onOpenChange={onOpenChange}
      title={`Delete ${branch.name}?`}
      action="Delete branch"
      danger
      {...(changed === 0 ? {} : { typed: branch.name })}
      onConfirm={async () => {
        await removeBranch(slug, branch.id)
        toast.done(`${branch.name} is deleted`)
        onDeleted?.()
        queries.removeQueries({ queryKey: branchQuery(slug, branch.id).queryKey })
        await queries.invalidateQueries({ queryKey: branchesKey(slug) })
      }}
    >
      {changed === 0
        ? 'It has no changes against main. Its history and preview go.'
        : `Its ${count(changed, 'changed file')}, its history and its preview go, for everybody. This cannot be undone. What readers see stays as it is.`}
    </Confirm>
  )
}
