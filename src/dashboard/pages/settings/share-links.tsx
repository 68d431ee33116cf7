import { Plus } from 'lucide-react'
import { useState } from 'react'
import { contract } from '#contract/index.ts'
import { visibilityLimits, type ShareLink } from '#contract/visibility.ts'
import { client } from '../../client.ts'
import { useReload } from '../../queries/visibility.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card, Row, Rows } from '../../ui/card.tsx'
import { Confirm, Dialog } from '../../ui/dialog.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Form, FormActions, type FormValues } from '../../ui/form.tsx'
import { Secret } from '../../ui/secret.tsx'
import { Day, Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useDialog } from '../../ui/use-dialog.ts'

const dayMs = 24 * 60 * 60 * 1000
/** Days until a link expires. */
const lifetimes = [7, 30, 90] as const

/** Links that let in whoever has them. */
export function ShareLinks({ links }: { readonly links: readonly ShareLink[] }) {
  const [isCreating, setCreating] = useDialog('new')
  const isFull = links.length >= visibilityLimits.links
  return (
    <Card
      title="Share links"
      description={
        links.length === 0
          ? 'None. Whoever has a link reads the site without an account, until you revoke it.'
          : `Whoever has a link reads the site.${isFull ? ` These are the ${visibilityLimits.links} that a site may have.` : ''}`
      }
      actions={
        <Button icon={Plus} disabled={isFull} onClick={() => setCreating(true)}>
          Create link
        </Button>
      }
    >
      {links.length === 0 ? null : (
        <Rows label="Share links">
          {links.map((link) => (
            <LinkRow key={link.id} link={link} />
          ))}
        </Rows>
      )}
      <NewLink open={isCreating} onOpenChange={setCreating} />
    </Card>
  )
}

function LinkRow({ link: { id, name, createdAt, expiresAt } }: { readonly link: ShareLink }) {
  const { slug } = useProject()
  const reload = useReload(slug)
  const [isRevoking, setRevoking] = useDialog('revoke', id)
  const hasExpired = expiresAt !== undefined && Date.parse(expiresAt) <= Date.now()
  const revoke = async (): Promise<void> => {
    await client.call(contract.visibility.revokeLink, { params: { slug }, query: { id } })
    await reload()
    toast.done(`The link for ${name} is revoked.`)
  }
  return (
    <Row
      title={
        <>
          {name} {hasExpired ? <Badge tone="danger">expired</Badge> : null}
        </>
      }
      detail={
        <>
          Created <Time at={createdAt} />
          {expiresAt === undefined ? null : (
            <>
              , {hasExpired ? 'expired' : 'expires'} <Day at={expiresAt} />
            </>
          )}
        </>
      }
    >
      <Button aria-label={`Revoke the link for ${name}`} onClick={() => setRevoking(true)}>
        Revoke…
      </Button>
      <Confirm
        open={isRevoking}
        onOpenChange={setRevoking}
        title={`Revoke the link for “${name}”?`}
        action="Revoke link"
        danger
        onConfirm={revoke}
      >
        Whoever came in by it is out with their next page. This cannot be undone: create another link in its place.
      </Confirm>
    </Row>
  )
}

interface NewLinkProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
}

/** Creates a link, and shows it the one time that it is shown. */
function NewLink({ open, onOpenChange }: NewLinkProps) {
  const { slug } = useProject()
  const reload = useReload(slug)
  const [created, setCreated] = useState<{ readonly name: string; readonly url: string }>()
  const change = (next: boolean): void => {
    // It does not stay in memory longer than it is looked at.
    if (!next) setCreated(undefined)
    onOpenChange(next)
  }
  const submit = async ({ text }: FormValues): Promise<void> => {
    const days = Number(text('days'))
    const expiry = days === 0 ? {} : { expiresAt: new Date(Date.now() + days * dayMs).toISOString() }
    const body = { name: text('name'), ...expiry }
    setCreated(await client.call(contract.visibility.createLink, { params: { slug }, body }))
    await reload()
  }
  if (created !== undefined) {
    return (
      <Dialog open={open} onOpenChange={change} title={`The link for “${created.name}”`}>
        <Secret label="share link" note="Whoever opens it reads the site in that browser, until you revoke the link.">
          {created.url}
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
    <Dialog open={open} onOpenChange={change} title="Create a share link">
      <Form onSubmit={submit}>
        {(busy) => (
          <>
            <TextField
              name="name"
              label="For whom"
              hint="So that you know later whose link it is. Its readers do not see it."
              placeholder="Reviewers"
              required
              maxLength={100}
              autoComplete="off"
            />
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
                Create link
              </Button>
            </FormActions>
          </>
        )}
      </Form>
    </Dialog>
  )
}
