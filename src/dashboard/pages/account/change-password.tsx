import { useQueryClient } from '@tanstack/react-query'
import { passwordLength } from '#contract/accounts.ts'
import { contract } from '#contract/index.ts'
import { client } from '../../client.ts'
import { sessionsQuery } from '../../queries/sessions.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Form, FormActions } from '../../ui/form.tsx'
import { toast } from '../../ui/toasts.tsx'

interface ChangeProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  /** Whose password it is. */
  readonly email: string
}

export function ChangePassword({ open, onOpenChange, email }: ChangeProps) {
  const queries = useQueryClient()
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Change your password"
      description="All your other browsers and terminals are signed out."
    >
      <Form
        label="Change your password"
        onSubmit={async ({ text }) => {
          const body = { currentPassword: text('currentPassword'), newPassword: text('newPassword') }
          await client.call(contract.accounts.changePassword, { body })
          await queries.invalidateQueries({ queryKey: sessionsQuery.queryKey })
          toast.done('Your password is changed.')
          onOpenChange(false)
        }}
      >
        {(busy) => (
          <>
            {/* Tells password managers whose password it is. */}
            <input name="email" type="email" autoComplete="username" value={email} readOnly hidden />
            <TextField
              name="currentPassword"
              label="Current password"
              type="password"
              autoComplete="current-password"
              required
            />
            <TextField
              name="newPassword"
              label="New password"
              type="password"
              autoComplete="new-password"
              required
              minLength={passwordLength.least}
              maxLength={passwordLength.most}
              hint={`At least ${passwordLength.least} characters.`}
            />
            <FormActions>
              <Button type="submit" look="primary" busy={busy}>
                Change password
              </Button>
              <Button onClick={() => onOpenChange(false)}>Cancel</Button>
            </FormActions>
          </>
        )}
      </Form>
    </Dialog>
  )
}
