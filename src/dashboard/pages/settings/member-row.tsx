import { useQueryClient } from '@tanstack/react-query'
import { MoreHorizontal } from 'lucide-react'
import { contract } from '#contract/index.ts'
import type { Member } from '#contract/members.ts'
import { client } from '../../client.ts'
import { may } from '../../queries/projects.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Row } from '../../ui/card.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Menu, type MenuEntry } from '../../ui/menu.tsx'
import { Day } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useDialog } from '../../ui/use-dialog.ts'
import { Leave } from './leave.tsx'

interface MemberRowProps {
  readonly member: Member
  readonly isMe: boolean
  /** Asks to make the member of that address the owner. */
  readonly onTransfer: (email: string) => void
}

export function MemberRow({ member, isMe, onTransfer }: MemberRowProps) {
  const project = useProject()
  const { slug, title } = project
  const { id, name, email, role, addedAt } = member
  const queries = useQueryClient()
  const [isAsking, setAsking] = useDialog(isMe ? 'leave' : 'remove', isMe ? '' : id)
  const shown = email ?? name
  const entries: readonly MenuEntry[] = [
    ...(project.role === 'owner' && email !== undefined
      ? [{ kind: 'action', label: 'Make owner', onSelect: () => onTransfer(email) } as const]
      : []),
    { kind: 'action', label: 'Remove', danger: true, onSelect: () => setAsking(true) },
  ]
  const remove = async (): Promise<void> => {
    await client.call(contract.members.remove, { params: { slug }, query: { id } })
    await queries.invalidateQueries({ queryKey: ['project', slug, 'members'] })
    toast.done(`${shown} is no member any more.`)
  }
  return (
    <Row
      title={
        <>
          {shown}
          {isMe ? <span className="faint">(you)</span> : null}
        </>
      }
      detail={
        <>
          {role === 'owner' ? 'May do everything; the plan is theirs. Since ' : 'Edits, deploys and publishes. Since '}
          <Day at={addedAt} />
        </>
      }
      tools={
        role === 'writer' && !isMe && may(project, 'admin') ? (
          <Menu
            trigger={<IconButton size="small" icon={MoreHorizontal} label={`Actions for ${shown}`} />}
            entries={entries}
          />
        ) : undefined
      }
    >
      <Badge tone={role === 'owner' ? 'note' : 'plain'}>{role}</Badge>
      {role === 'writer' && isMe ? (
        <Button size="small" onClick={() => setAsking(true)}>
          Leave…
        </Button>
      ) : null}
      {isMe ? (
        <Leave open={isAsking} onOpenChange={setAsking} />
      ) : (
        <Confirm
          open={isAsking}
          onOpenChange={setAsking}
          title={`Remove ${shown} from ${title}?`}
          action="Remove member"
          danger
          onConfirm={remove}
        >
          They can neither see nor change the project from then on, and nor can their terminals. What they wrote stays.
          API keys go on working, whoever has them. To have them back, invite them again.
        </Confirm>
      )}
    </Row>
  )
}
