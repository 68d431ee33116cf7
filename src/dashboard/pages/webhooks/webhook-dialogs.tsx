import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { contract } from '#contract/index.ts'
import type { RotatedSecret, Webhook } from '#contract/webhooks.ts'
import { client } from '../../client.ts'
import { paths } from '../../paths.ts'
import { webhooksKey } from '../../queries/webhooks.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm, Dialog } from '../../ui/dialog.tsx'
import { Form, FormActions, type FormValues } from '../../ui/form.tsx'
import { Secret } from '../../ui/secret.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'
import { fieldsOf, WebhookFields } from './webhook-fields.tsx'
import { shortUrl } from './words.ts'

interface WebhookDialogProps {
  readonly slug: string
  readonly webhook: Webhook
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
}

export function EditWebhook({ slug, webhook, open, onOpenChange }: WebhookDialogProps) {
  const { id, url, events } = webhook
  const queries = useQueryClient()
  const [isEmpty, setEmpty] = useState(false)
  const update = async (body: Pick<Webhook, 'url' | 'events'>): Promise<void> => {
    await client.call(contract.webhooks.update, { params: { slug, id }, body })
    await queries.invalidateQueries({ queryKey: webhooksKey(slug) })
  }
  const save = async (values: FormValues): Promise<void> => {
    const body = fieldsOf(values)
    setEmpty(body.events.length === 0)
    if (body.events.length === 0) return
    await update(body)
    onOpenChange(false)
    toast.done('The webhook is changed.', () => update({ url, events }))
  }
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => {
        setEmpty(false)
        onOpenChange(next)
      }}
      title="Edit webhook"
    >
      <Form onSubmit={save}>
        {(busy) => (
          <>
            <WebhookFields url={url} events={events} isEmpty={isEmpty} />
            <FormActions>
              <Button type="submit" look="primary" busy={busy}>
                Save
              </Button>
            </FormActions>
          </>
        )}
      </Form>
    </Dialog>
  )
}

export function RotateSecret({ slug, webhook, open, onOpenChange }: WebhookDialogProps) {
  const { id } = webhook
  const queries = useQueryClient()
  const [rotated, setRotated] = useState<RotatedSecret>()
  return (
    <>
      <Confirm
        open={open}
        onOpenChange={onOpenChange}
        title="Replace the secret?"
        action="Replace secret"
        onConfirm={async () => {
          setRotated(await client.call(contract.webhooks.rotate, { params: { slug, id } }))
          await queries.invalidateQueries({ queryKey: webhooksKey(slug) })
        }}
      >
        You get a new one. For a day requests are signed with both, so that the receiver misses none while you change it
        there. One that was replaced before is void at once.
      </Confirm>
      <Dialog open={rotated !== undefined} onOpenChange={() => setRotated(undefined)} title="The new secret">
        {rotated === undefined ? null : (
          <Secret
            label="signing secret"
            note={
              <>
                The secret of before signs, too, until <Time at={rotated.previousExpiresAt} />.
              </>
            }
          >
            {rotated.secret}
          </Secret>
        )}
        <FormActions>
          <Button look="primary" onClick={() => setRotated(undefined)}>
            Done
          </Button>
        </FormActions>
      </Dialog>
    </>
  )
}

export function DeleteWebhook({ slug, webhook, open, onOpenChange }: WebhookDialogProps) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const remove = async (): Promise<void> => {
    await client.call(contract.webhooks.remove, { params: { slug }, query: { id: webhook.id } })
    await navigate(paths.webhooks(slug))
    await queries.invalidateQueries({ queryKey: [...webhooksKey(slug), 'list'] })
    toast.done('The webhook is deleted.')
  }
  return (
    <Confirm
      open={open}
      onOpenChange={onOpenChange}
      title={`Delete the webhook to ${shortUrl(webhook)}?`}
      action="Delete webhook"
      danger
      onConfirm={remove}
    >
      Events that wait for it are not sent any more, and its deliveries are forgotten. To stop it for a while, disable
      it instead.
    </Confirm>
  )
}
