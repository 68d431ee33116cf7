import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from 'react-router'
import { contract } from '#contract/index.ts'
import { client } from '../../client.ts'
import { paths } from '../../paths.ts'
import { meQuery } from '../../queries/account.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { toast } from '../../ui/toasts.tsx'

interface LeaveProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
}

/** Asks a writer whether they want to leave, and leads to their other projects. */
export function Leave({ open, onOpenChange }: LeaveProps) {
  const { slug, title } = useProject()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const me = useQuery(meQuery).data?.account.id
  const leave = async (): Promise<void> => {
    if (me === undefined) return
    await client.call(contract.members.remove, { params: { slug }, query: { id: me } })
    await navigate(paths.projects, { replace: true })
    queries.removeQueries({ queryKey: ['project', slug] })
    await queries.invalidateQueries({ queryKey: ['projects'] })
    toast.done(`You left ${title}.`)
  }
  return (
    <Confirm
      open={open}
      onOpenChange={onOpenChange}
      title={`Leave ${title}?`}
      action="Leave project"
      danger
      onConfirm={leave}
    >
      You can neither see nor change it then. To come back you need an invitation of its owner.
    </Confirm>
  )
}
