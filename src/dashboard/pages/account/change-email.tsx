import { useQuery, useQueryClient } from '@tanstack/react-query'
import { contract } from '#contract/index.ts'
import { client } from '../../client.ts'
import { meQuery, serviceQuery } from '../../queries/account.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Form, FormActions } from '../../ui/form.tsx'
import { toast } from '../../ui/toasts.tsx'

interface ChangeProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
}

export function ChangeEmail({ open, onOpenChange }: ChangeProps) {
  const queries = useQueryClient()
  const { data: service } = useQuery(serviceQuery)
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Change your email"
      description={
        service?.mail === true
          ? 'A letter with a link goes to the new address. It is yours when you have followed the link; until then nothing changes. The old address is told.'
          : 'It changes at once. As nobody has confirmed the new address, invitations to it are accepted with the link that whoever invites you hands over.'
      }
    >
      <Form
        label="Change your email"
        onSubmit={async ({ text }) => {
          const body = { email: text('email'), password: text('password') }
          const { account, pending } = await client.call(contract.accounts.changeEmail, { body })
          await queries.invalidateQueries({ queryKey: meQuery.queryKey })
          await queries.invalidateQueries({ queryKey: ['invitations'] })
          toast.done(pending ? `A link was sent to ${body.email}.` : `Your address is ${account.email} now.`)
          onOpenChange(false)
        }}
      >
        {(busy) => (
          <>
            <TextField name="email" label="New email" type="email" autoComplete="email" required />
            <TextField name="password" label="Your password" type="password" autoComplete="current-password" required />
            <FormActions>
              <Button type="submit" look="primary" busy={busy}>
                Change email
              </Button>
              <Button onClick={() => onOpenChange(false)}>Cancel</Button>
            </FormActions>
          </>
        )}
      </Form>
    </Dialog>
  )
}
