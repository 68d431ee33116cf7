import { useState } from 'react'
import { scopes, type Scope } from '#contract/endpoint.ts'
import { defaultScopes, type CreatedKey } from '#contract/keys.ts'
import { useNewKey, type NewKeyBody } from '../../queries/keys.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Checkbox, FieldGroup, SelectField, TextField } from '../../ui/field.tsx'
import { Form, FormActions, type FormValues } from '../../ui/form.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Secret } from '../../ui/secret.tsx'

const dayMs = 24 * 60 * 60 * 1000

/** What each scope lets a key do. */
const meanings: Readonly<Record<Scope, string>> = {
  read: 'See the project, clone it',
  write: 'Edit branches, changelog entries and webhooks',
  deploy: 'Deploy and publish',
  generate: 'Ask the language model, on your plan',
  admin: 'Everything that the owner may do',
}

/** Days until a key expires. */
const lifetimes = [30, 90, 365] as const

interface NewKeyProps {
  readonly slug: string
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  /** What the form begins with. */
  readonly name?: string
  readonly ticked?: readonly Scope[]
}

/** Creates a key, and shows it the one time that it is shown. */
export function NewKey({ slug, open, onOpenChange, name = '', ticked = defaultScopes }: NewKeyProps) {
  const { create, reload } = useNewKey(slug)
  const [created, setCreated] = useState<CreatedKey>()
  const [isEmpty, setEmpty] = useState(false)

  const change = (next: boolean): void => {
    // The secret does not stay in memory longer than it is looked at. It may have been used meanwhile.
    if (!next) setCreated(undefined)
    if (created !== undefined) void reload()
    setEmpty(false)
    onOpenChange(next)
  }
  const submit = async (values: FormValues): Promise<void> => {
    const body = keyOf(values)
    setEmpty(body.scopes.length === 0)
    if (body.scopes.length === 0) return
    setCreated(await create(body))
  }
  if (created !== undefined) {
    return (
      <Dialog open={open} onOpenChange={change} title={`The key “${created.name}”`}>
        <Secret
          label="API key"
          note={
            <>
              The command line takes it from the variable <code>SERVICE_API_KEY</code>, Git as the password, scripts
              send it as <code>Authorization: Bearer</code>.
            </>
          }
        >
          {created.key}
        </Secret>
        <FormActions>
          <Button look="primary" onClick={() => change(false)}>
            Done
          </Button>
        </FormActions>
      </Dialog>
    )
  }
  return (
    <Dialog open={open} onOpenChange={change} title="Create an API key">
      <Form onSubmit={submit}>
        {(busy) => (
          <>
            <TextField
              name="name"
              label="Name"
              hint="What or who will use it."
              placeholder="CI"
              defaultValue={name}
              required
              maxLength={100}
              autoComplete="off"
            />
            <FieldGroup label="What it may do">
              {scopes.map((scope) => (
                <Checkbox
                  key={scope}
                  name="scopes"
                  value={scope}
                  defaultChecked={ticked.includes(scope)}
                  label={scope}
                  hint={meanings[scope]}
                />
              ))}
              {isEmpty ? (
                <Notice tone="danger">A key that may do nothing is of no use: tick at least one.</Notice>
              ) : null}
            </FieldGroup>
            <SelectField name="days" label="Expires">
              <option value="">Never</option>
              {lifetimes.map((days) => (
                <option key={days} value={days}>
                  In {days} days
                </option>
              ))}
            </SelectField>
            <FormActions>
              <Button type="submit" look="primary" busy={busy}>
                Create key
              </Button>
            </FormActions>
          </>
        )}
      </Form>
    </Dialog>
  )
}

/** What the form asks for. */
function keyOf({ text, ticked }: FormValues): NewKeyBody & { readonly scopes: Scope[] } {
  const chosen = ticked('scopes')
  const days = Number(text('days'))
  return {
    name: text('name'),
    scopes: scopes.filter((scope) => chosen.includes(scope)),
    ...(days === 0 ? {} : { expiresAt: new Date(Date.now() + days * dayMs).toISOString() }),
  }
}
