import { useQuery } from '@tanstack/react-query'
import { meQuery } from '../../queries/account.ts'
import { applyTheme, useTheme, themes } from '../../shell/theme.ts'
import { Button } from '../../ui/button.tsx'
import { Card, Row, Rows } from '../../ui/card.tsx'
import { Checkbox, FieldGroup } from '../../ui/field.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page, Stack } from '../../ui/page.tsx'
import { useDialog } from '../../ui/use-dialog.ts'
import { DeleteAccount } from './delete-account.tsx'
import { ChangeEmail } from './change-email.tsx'
import { ChangePassword } from './change-password.tsx'
import { ReceivedInvitations } from './received-invitations.tsx'
import { Sessions } from './sessions.tsx'
import css from './account.module.css'

/** `/dashboard/account`: how somebody signs in, where they are signed in, and the end of it. `?change=` opens a dialog. */
export function Component() {
  const me = useQuery(meQuery)
  return (
    <Page title="Your account" description={me.data?.account.email}>
      <ReceivedInvitations />
      <div className={css['columns']}>
        <Stack>
          <Loaded query={me}>{(data) => (data === null ? null : <SignIn me={data} />)}</Loaded>
          <Appearance />
        </Stack>
        <Stack>
          <Sessions />
          <Loaded query={me}>{(data) => (data === null ? null : <Removal email={data.account.email} />)}</Loaded>
        </Stack>
      </div>
    </Page>
  )
}

function SignIn({
  me,
}: {
  readonly me: {
    readonly account: { readonly email: string }
    readonly hasPassword: boolean
    readonly pendingEmail?: string
  }
}) {
  const [isChangingEmail, setChangingEmail] = useDialog('change', 'email')
  const [isChangingPassword, setChangingPassword] = useDialog('change', 'password')
  const { account, hasPassword, pendingEmail } = me
  return (
    <Card title="How you sign in">
      <Rows label="How you sign in">
        <Row
          title="Email"
          detail={
            <>
              {account.email}
              {pendingEmail === undefined ? null : (
                <div>{pendingEmail} takes its place when you follow the link in the letter that went there.</div>
              )}
            </>
          }
        >
          {hasPassword ? (
            <Button size="small" onClick={() => setChangingEmail(true)}>
              Change email
            </Button>
          ) : null}
        </Row>
        <Row
          title="Password"
          detail={
            hasPassword
              ? 'Only you know it: the service keeps a hash.'
              : 'You sign in through an identity provider; the account has no password.'
          }
        >
          {hasPassword ? (
            <Button size="small" onClick={() => setChangingPassword(true)}>
              Change password
            </Button>
          ) : null}
        </Row>
      </Rows>
      {hasPassword ? (
        <>
          <ChangeEmail open={isChangingEmail} onOpenChange={setChangingEmail} />
          <ChangePassword open={isChangingPassword} onOpenChange={setChangingPassword} email={account.email} />
        </>
      ) : null}
    </Card>
  )
}

const themeNames = {
  system: ['Theme of the system', 'Light or dark, as your device has it.'],
  light: ['Light', undefined],
  dark: ['Dark', undefined],
} as const

function Appearance() {
  const theme = useTheme()
  return (
    <Card title="Appearance" description="Kept in this browser.">
      <FieldGroup label="Theme">
        {themes.map((name) => (
          <Checkbox
            key={name}
            type="radio"
            name="theme"
            label={themeNames[name][0]}
            hint={themeNames[name][1]}
            checked={theme === name}
            onChange={() => applyTheme(name)}
          />
        ))}
      </FieldGroup>
    </Card>
  )
}

function Removal({ email }: { readonly email: string }) {
  const [isAsking, setAsking] = useDialog('change', 'delete')
  return (
    <Card
      tone="danger"
      title="Delete account"
      description="Ends your sessions and your part in projects of others. Your own projects go with it, or you give them away first."
    >
      <div>
        <Button look="danger" onClick={() => setAsking(true)}>
          Delete account
        </Button>
      </div>
      <DeleteAccount open={isAsking} onOpenChange={setAsking} email={email} />
    </Card>
  )
}
