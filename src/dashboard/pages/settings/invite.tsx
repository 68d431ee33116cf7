import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { contract } from '#contract/index.ts'
import { invitationLimits, type CreatedInvitation } from '#contract/invitations.ts'
import type { Role } from '#contract/members.ts'
import { client } from '../../client.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { Button } from '../../ui/button.tsx'
import { Snippet } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Form, FormActions } from '../../ui/form.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Day } from '../../ui/time.tsx'

interface InviteProps {
  readonly open: boolean
  readonly onClose: () => void
  /** What the invited person becomes; an owner takes the project over. */
  readonly role: Role
  /** Address that the form begins with. */
  readonly email?: string
}

/** Invites an address to the project, and shows the link of the invitation the one time that it is shown. */
export function Invite({ open, onClose, role, email = '' }: InviteProps) {
  const { slug, title } = useProject()
  const queries = useQueryClient()
  const [created, setCreated] = useState<CreatedInvitation>()
  const close = (): void => {
    setCreated(undefined)
    onClose()
  }
  if (created !== undefined) {
    return (
      <Dialog open={open} onOpenChange={close} title={`Invitation for ${created.email}`}>
        <InvitationLink invitation={created} />
        <FormActions>
          <Button look="primary" onClick={close}>
            Done
          </Button>
        </FormActions>
      </Dialog>
    )
  }
  return (
    <Dialog
      open={open}
      onOpenChange={close}
      title={role === 'owner' ? `Transfer ${title}` : 'Invite a writer'}
      description={
        role === 'owner'
          ? 'Invite who is to own it. Nothing changes until they accept.'
          : 'A writer edits branches and the changelog, deploys and publishes. Members, keys, domains and these settings stay with the owner.'
      }
    >
      <Form
        label="Invitation"
        onSubmit={async ({ text }) => {
          const body = { email: text('email').trim(), role }
          setCreated(await client.call(contract.invitations.create, { params: { slug }, body }))
          await queries.invalidateQueries({ queryKey: ['project', slug, 'invitations'] })
        }}
      >
        {(busy) => (
          <>
            <TextField
              name="email"
              type="email"
              label="Email address"
              hint="With or without an account here."
              defaultValue={email}
              required
              maxLength={254}
              autoComplete="off"
            />
            {role === 'owner' ? (
              <Notice tone="warning" title="When they accept">
                You become a writer, the plan of the new owner counts, and API keys with the scope admin are revoked.
                Only they can give the project back.
              </Notice>
            ) : null}
            <FormActions>
              <Button type="submit" look="primary" busy={busy}>
                {role === 'owner' ? 'Invite the new owner' : 'Invite writer'}
              </Button>
            </FormActions>
          </>
        )}
      </Form>
    </Dialog>
  )
}

function InvitationLink({ invitation }: { readonly invitation: CreatedInvitation }) {
  const { email, url, mailed, expiresAt } = invitation
  return (
    <>
      {mailed ? (
        <Notice tone="success">A letter with this link is on its way to {email}.</Notice>
      ) : (
        <Notice tone="warning">
          Give this link to {email} yourself: no letter was sent, and it is shown only this once.
        </Notice>
      )}
      <Snippet label="link of the invitation">{url}</Snippet>
      <p className="soft">
        Good for {invitationLimits.days} days, until <Day at={expiresAt} />, for whoever signs in as {email}.
      </p>
    </>
  )
}
