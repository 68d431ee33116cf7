import { useQuery } from '@tanstack/react-query'
import { UserPlus } from 'lucide-react'
import { useState } from 'react'
import type { Role } from '#contract/members.ts'
import { meQuery } from '../../queries/account.ts'
import { membersQuery } from '../../queries/members.ts'
import { may } from '../../queries/projects.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { Button } from '../../ui/button.tsx'
import { Rows } from '../../ui/card.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { useDialog } from '../../ui/use-dialog.ts'
import { Invite } from './invite.tsx'
import { MemberRow } from './member-row.tsx'
import { OpenInvitations } from './open-invitations.tsx'

export function Component() {
  const project = useProject()
  const { slug } = project
  const isAdmin = may(project, 'admin')
  const members = useQuery(membersQuery(slug))
  const me = useQuery(meQuery).data?.account.id
  const [email, setEmail] = useState('')
  const [isInviting, setInviting] = useDialog('invite', 'writer')
  const [isTransferring, setTransferring] = useDialog('invite', 'owner')
  const invite = (as: Role, address = ''): void => {
    setEmail(address)
    if (as === 'owner') setTransferring(true)
    else setInviting(true)
  }
  return (
    <Page
      title="Members"
      description={isAdmin ? 'Who works on the project.' : 'Who works on the project. Its owner invites and removes.'}
      actions={
        isAdmin ? (
          <Button look="primary" icon={UserPlus} onClick={() => invite('writer')}>
            Invite
          </Button>
        ) : undefined
      }
    >
      <Loaded query={members}>
        {({ items }) => (
          <>
            <Rows label="Members">
              {items.map((member) => (
                <MemberRow
                  key={member.id}
                  member={member}
                  isMe={member.id === me}
                  onTransfer={(address) => invite('owner', address)}
                />
              ))}
            </Rows>
            {items.length === 1 && isAdmin ? (
              <p className="soft">
                You are alone here. Writers edit branches, deploy and publish; only you change members, keys, domains
                and settings.
              </p>
            ) : null}
          </>
        )}
      </Loaded>
      {isAdmin ? (
        <>
          <OpenInvitations onInvite={invite} />
          <Invite
            open={isInviting || isTransferring}
            onClose={() => (isTransferring ? setTransferring(false) : setInviting(false))}
            role={isTransferring && project.role === 'owner' ? 'owner' : 'writer'}
            email={email}
          />
        </>
      ) : null}
    </Page>
  )
}
