import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { MailOpen } from 'lucide-react'
import { useLocation, useNavigate } from 'react-router'
import { contract } from '#contract/index.ts'
import type { ReceivedInvitation } from '#contract/invitations.ts'
import { client } from '../../client.ts'
import { paths } from '../../paths.ts'
import { invitationLink, receivedInvitationsQuery, type InvitationLink } from '../../queries/invitations.ts'
import { Button } from '../../ui/button.tsx'
import { Card, Row, Rows } from '../../ui/card.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Day } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'

/** Invitations to whoever is signed in; nothing where there are none. The link of one has its code behind #. */
export function ReceivedInvitations() {
  const invitations = useQuery(receivedInvitationsQuery)
  const link = invitationLink(useLocation().hash)
  return (
    <Loaded query={invitations} pending={<></>}>
      {({ items }) => (
        <>
          {link !== null && items.every(({ id }) => id !== link.id) ? (
            <Notice tone="warning" title="This invitation is not here">
              The invitation of this link is not for your address, or it is over. Ask for another one.
            </Notice>
          ) : null}
          {items.length === 0 ? null : (
            <Card title="You are invited">
              <Rows label="Invitations">
                {items.map((invitation) => (
                  <Invitation key={invitation.id} invitation={invitation} link={link} />
                ))}
              </Rows>
            </Card>
          )}
        </>
      )}
    </Loaded>
  )
}

interface InvitationProps {
  readonly invitation: ReceivedInvitation
  readonly link: InvitationLink | null
}

function Invitation({ invitation, link }: InvitationProps) {
  const { id, project, title, role, needsCode, expiresAt } = invitation
  const navigate = useNavigate()
  const queries = useQueryClient()
  const code = link?.id === id ? link.code : undefined
  const settled = (): Promise<void> => queries.invalidateQueries({ queryKey: receivedInvitationsQuery.queryKey })
  const accept = useMutation({
    mutationFn: () =>
      client.call(contract.invitations.accept, { params: { id }, body: code === undefined ? {} : { code } }),
    onSuccess: async (joined) => {
      await queries.invalidateQueries({ queryKey: ['projects'] })
      await navigate(paths.project(joined.project))
      toast.done(`You are ${role === 'owner' ? 'the owner' : 'a writer'} of ${title} now.`)
    },
    onError: toast.failed,
    onSettled: settled,
  })
  const decline = useMutation({
    mutationFn: () => client.call(contract.invitations.decline, { params: { id } }),
    onSuccess: () => {
      toast.done(`You declined the invitation to ${title}.`)
      // Its link asks for nothing any more.
      if (link?.id === id) void navigate(paths.projects, { replace: true })
    },
    onError: toast.failed,
    onSettled: settled,
  })
  return (
    <Row
      title={
        <>
          <MailOpen size="1rem" aria-hidden /> {title}
        </>
      }
      detail={
        <>
          {role === 'owner'
            ? `${project} is to be yours; its plan is then yours, too`
            : `You become a writer of ${project}`}
          . Good until <Day at={expiresAt} />.
        </>
      }
    >
      {needsCode && code === undefined ? (
        <span>Open the link that you were given to accept.</span>
      ) : (
        <Button look="primary" size="small" busy={accept.isPending} onClick={() => accept.mutate()}>
          Accept
        </Button>
      )}
      <Button size="small" busy={decline.isPending} onClick={() => decline.mutate()}>
        Decline
      </Button>
    </Row>
  )
}
