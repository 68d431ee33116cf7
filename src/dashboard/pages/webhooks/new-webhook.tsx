import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { contract } from '#contract/index.ts'
import type { CreatedWebhook } from '#contract/webhooks.ts'
import { client } from '../../client.ts'
import { paths } from '../../paths.ts'
import { webhooksKey } from '../../queries/webhooks.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Form, FormActions, type FormValues } from '../../ui/form.tsx'
import { Secret } from '../../ui/secret.tsx'
import { fieldsOf, WebhookFields } from './webhook-fields.tsx'
import { kindNames, usualEvents } from './words.ts'

interface NewWebhookProps {
  readonly slug: string
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
}

export function NewWebhook({ slug, open, onOpenChange }: NewWebhookProps) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [created, setCreated] = useState<CreatedWebhook>()
  const [isEmpty, setEmpty] = useState(false)

  const change = (next: boolean): void => {
    // The secret does not stay in memory longer than it is looked at.
    if (!next) setCreated(undefined)
    setEmpty(false)
    onOpenChange(next)
  }
  const create = async (values: FormValues): Promise<void> => {
    const body = fieldsOf(values)
    setEmpty(body.events.length === 0)
    if (body.events.length === 0) return
    setCreated(await client.call(contract.webhooks.create, { params: { slug }, body }))
    await queries.invalidateQueries({ queryKey: webhooksKey(slug) })
  }
  if (created !== undefined) {
    return (
      <Dialog open={open} onOpenChange={change} title="The webhook is there">
        {created.kind === 'generic' ? (
          <Secret label="signing secret" note="Your receiver checks by it that a request is from here.">
            {created.secret}
          </Secret>
        ) : (
          <p className="soft">It sends messages as {kindNames[created.kind]} shows them.</p>
        )}
        <FormActions>
          <Button
            look="primary"
            onClick={() => {
              setCreated(undefined)
              // Back leads to the list, not to this form again.
              void navigate(paths.webhook(slug, created.id), { replace: true })
            }}
          >
            Open and test it
          </Button>
          <Button onClick={() => change(false)}>Done</Button>
        </FormActions>
      </Dialog>
    )
  }
  return (
    <Dialog open={open} onOpenChange={change} title="Add a webhook">
      <Form onSubmit={create}>
        {(busy) => (
          <>
            <WebhookFields url="" events={usualEvents} isEmpty={isEmpty} />
            <FormActions>
              <Button type="submit" look="primary" busy={busy}>
                Add webhook
              </Button>
            </FormActions>
          </>
        )}
      </Form>
    </Dialog>
  )
}
