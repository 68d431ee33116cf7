import { useQuery, useQueryClient } from '@tanstack/react-query'
import { MoreHorizontal } from 'lucide-react'
import { contract } from '#contract/index.ts'
import type { Invitation } from '#contract/invitations.ts'
import type { Role } from '#contract/members.ts'
import { client } from '../../client.ts'
import { projectInvitationsQuery } from '../../queries/members.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { Badge } from '../../ui/badge.tsx'
import { IconButton } from '../../ui/button.tsx'
import { Card, Row, Rows } from '../../ui/card.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Menu, type MenuEntry } from '../../ui/menu.tsx'
import { Day, Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useDialog } from '../../ui/use-dialog.ts'

/** Asks to invite an address once more: the new invitation takes the place of the one that is open. */
type OnInvite = (role: Role, email: string) => void

/** Invitations that nobody has answered yet; nothing where there are none. */
export function OpenInvitations({ onInvite }: { readonly onInvite: OnInvite }) {
  const { slug } = useProject()
  const invitations = useQuery(projectInvitationsQuery(slug))
  return (
    <Loaded query={invitations} pending={<></>}>
      {({ items }) =>
        items.length === 0 ? null : (
          <Card title="Open invitations" description="Nobody is a member before they accept.">
            <Rows label="Open invitations">
              {items.map((invitation) => (
                <InvitationRow key={invitation.id} invitation={invitation} onInvite={onInvite} />
              ))}
            </Rows>
          </Card>
        )
      }
    </Loaded>
  )
}

interface InvitationRowProps {
  readonly invitation: Invitation
  readonly onInvite: OnInvite
}

function InvitationRow({ invitation, onInvite }: InvitationRowProps) {
  const { id, email, role, createdAt, expiresAt } = invitation
  const project = useProject()
  const { slug } = project
  const queries = useQueryClient()
  const [isAsking, setAsking] = useDialog('revoke', id)
  const mayInvite = role === 'writer' || project.role === 'owner'
  const again: readonly MenuEntry[] = mayInvite
    ? [{ kind: 'action', label: 'Make a new link', onSelect: () => onInvite(role, email) }]
    : []
  const takeBack = async (): Promise<void> => {
    await client.call(contract.invitations.revoke, { params: { slug }, query: { id } })
    await queries.invalidateQueries({ queryKey: ['project', slug, 'invitations'] })
    toast.done(`The invitation of ${email} is taken back.`)
  }
  return (
    <Row
      title={email}
      detail={
        <>
          Invited <Time at={createdAt} />, good until <Day at={expiresAt} />
        </>
      }
      tools={
        <Menu
          trigger={<IconButton size="small" icon={MoreHorizontal} label={`Actions for the invitation of ${email}`} />}
          entries={[...again, { kind: 'action', label: 'Take back', danger: true, onSelect: () => setAsking(true) }]}
        />
      }
    >
      <Badge tone={role === 'owner' ? 'warning' : 'plain'}>{role === 'owner' ? 'new owner' : 'writer'}</Badge>
      <Confirm
        open={isAsking}
        onOpenChange={setAsking}
        title={`Take the invitation of ${email} back?`}
        action="Take back"
        danger
        onConfirm={takeBack}
      >
        Its link stops working. You can invite the address again; the link will be another one.
      </Confirm>
    </Row>
  )
}
