import { passwordLength } from '#contract/accounts.ts'
import { contract } from '#contract/index.ts'
import { client } from '../../client.ts'
import { useReload } from '../../queries/visibility.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Confirm, Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Form, FormActions, type FormValues } from '../../ui/form.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useDialog } from '../../ui/use-dialog.ts'

/** One password for all readers of a private site. */
export function SitePassword({ setAt }: { readonly setAt: string | undefined }) {
  const { slug } = useProject()
  const reload = useReload(slug)
  const [isSetting, setSetting] = useDialog('password')
  const [isRemoving, setRemoving] = useDialog('no-password')
  const has = setAt !== undefined
  const submit = async ({ text }: FormValues): Promise<void> => {
    await client.call(contract.visibility.setPassword, { params: { slug }, body: { password: text('password') } })
    await reload()
    setSetting(false)
    toast.done('The site has this password now.')
  }
  const remove = async (): Promise<void> => {
    await client.call(contract.visibility.removePassword, { params: { slug } })
    await reload()
    toast.done('The site has no password any more.')
  }
  return (
    <Card
      title="Password"
      description={
        has ? (
          <>
            One for all readers, set <Time at={setAt} />.
          </>
        ) : (
          'None. With one, whoever knows it reads the site without an account.'
        )
      }
      actions={
        <>
          {has ? <Button onClick={() => setRemoving(true)}>Remove…</Button> : null}
          <Button onClick={() => setSetting(true)}>{has ? 'Change…' : 'Set a password…'}</Button>
        </>
      }
    >
      <Dialog open={isSetting} onOpenChange={setSetting} title={has ? 'Change the password' : 'Set a password'}>
        <Form onSubmit={submit}>
          {(busy) => (
            <>
              <TextField
                name="password"
                label="Password"
                hint={`At least ${passwordLength.least} characters. You tell it to people: do not take one that you use elsewhere.${has ? ' Whoever came in by the one before has to enter this one.' : ''}`}
                required
                minLength={passwordLength.least}
                maxLength={passwordLength.most}
                autoComplete="off"
                autoCapitalize="none"
                spellCheck={false}
              />
              <FormActions>
                <Button type="submit" look="primary" busy={busy}>
                  {has ? 'Change password' : 'Set password'}
                </Button>
              </FormActions>
            </>
          )}
        </Form>
      </Dialog>
      <Confirm
        open={isRemoving}
        onOpenChange={setRemoving}
        title="Remove the password?"
        action="Remove password"
        danger
        onConfirm={remove}
      >
        Whoever came in by it is out with their next page.
      </Confirm>
    </Card>
  )
}
