import { useQuery, useQueryClient } from '@tanstack/react-query'
import { MoreHorizontal, Send, Unplug } from 'lucide-react'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { contract } from '#contract/index.ts'
import type { Delivery, Webhook } from '#contract/webhooks.ts'
import { client, isFailure } from '../../client.ts'
import { paths } from '../../paths.ts'
import { webhookQuery, webhooksKey } from '../../queries/webhooks.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { Button, IconButton, LinkButton } from '../../ui/button.tsx'
import { Card, Facts } from '../../ui/card.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useDialog } from '../../ui/use-dialog.ts'
import { Deliveries } from './deliveries.tsx'
import { Signature } from './signature.tsx'
import { DeleteWebhook, EditWebhook, RotateSecret } from './webhook-dialogs.tsx'
import { WebhookHealth } from './webhook-health.tsx'
import { WebhookState } from './webhook-state.tsx'
import { kindNames, outcomeOf, shortUrl } from './words.ts'

/** One webhook: how it is, and what was sent. `?status=` filters its deliveries. */
export function Component() {
  const { slug } = useProject()
  const { webhook: id = '' } = useParams()
  const query = useQuery(webhookQuery(slug, id))
  if (isFailure(query.error, 'not_found')) {
    return (
      <Page title="No such webhook">
        <Empty
          icon={Unplug}
          title="There is no such webhook"
          action={<LinkButton to={paths.webhooks(slug)}>All webhooks</LinkButton>}
        >
          It was deleted, or the address has a typing mistake.
        </Empty>
      </Page>
    )
  }
  if (query.data === undefined) {
    return (
      <Page title="Webhook">
        <Loaded query={query}>{() => null}</Loaded>
      </Page>
    )
  }
  return <WebhookPage slug={slug} webhook={query.data} />
}

function WebhookPage({ slug, webhook }: { readonly slug: string; readonly webhook: Webhook }) {
  const { id, url, kind, enabled, events, createdAt } = webhook
  const queries = useQueryClient()
  const [isEditing, setEditing] = useDialog('edit')
  const [isRotating, setRotating] = useDialog('rotate')
  const [isDeleting, setDeleting] = useDialog('delete')
  const [tested, setTested] = useState<Delivery>()
  const [isTesting, setTesting] = useState(false)

  const reload = () => queries.invalidateQueries({ queryKey: webhooksKey(slug) })
  const setEnabled = async (next: boolean): Promise<void> => {
    await client.call(contract.webhooks.update, { params: { slug, id }, body: { enabled: next } })
    await reload()
  }
  const toggle = async (): Promise<void> => {
    await setEnabled(!enabled)
    toast.done(enabled ? 'It is not told anything now.' : 'It is told of events again.', () => setEnabled(enabled))
  }
  const test = async (): Promise<void> => {
    setTesting(true)
    try {
      setTested(await client.call(contract.webhooks.test, { params: { slug, id } }))
      await reload()
    } catch (error) {
      toast.failed(error)
    } finally {
      setTesting(false)
    }
  }
  return (
    <Page
      title={shortUrl(webhook)}
      description={
        <>
          <WebhookState webhook={webhook} /> {kindNames[kind]}
        </>
      }
      actions={
        <>
          <Menu
            trigger={<IconButton icon={MoreHorizontal} label="More actions" look="secondary" />}
            entries={[
              { kind: 'action', label: 'Edit', onSelect: () => setEditing(true) },
              {
                kind: 'action',
                label: enabled ? 'Disable' : 'Enable',
                onSelect: () => void toggle().catch(toast.failed),
              },
              ...(kind === 'generic'
                ? [{ kind: 'action', label: 'Replace secret', onSelect: () => setRotating(true) } as const]
                : []),
              { kind: 'separator' },
              { kind: 'action', label: 'Delete', danger: true, onSelect: () => setDeleting(true) },
            ]}
          />
          <Button look="primary" icon={Send} busy={isTesting} onClick={() => void test()}>
            Send test
          </Button>
        </>
      }
    >
      {tested === undefined ? null : <Outcome slug={slug} webhook={id} delivery={tested} />}
      <WebhookHealth webhook={webhook} onEnable={() => setEnabled(true)} />
      <Card>
        <Facts
          items={[
            kind === 'generic' ? ['Sent to', url] : null,
            ['Events', events.join(', ')],
            ['Added', <Time key="added" at={createdAt} />],
          ]}
        />
      </Card>
      <Deliveries slug={slug} webhook={webhook} />
      {kind === 'generic' ? <Signature /> : null}
      <EditWebhook slug={slug} webhook={webhook} open={isEditing} onOpenChange={setEditing} />
      <RotateSecret slug={slug} webhook={webhook} open={isRotating} onOpenChange={setRotating} />
      <DeleteWebhook slug={slug} webhook={webhook} open={isDeleting} onOpenChange={setDeleting} />
    </Page>
  )
}

interface OutcomeProps {
  readonly slug: string
  /** Id. */
  readonly webhook: string
  readonly delivery: Delivery
}

/** What came of a delivery that somebody has just asked for. */
function Outcome({ slug, webhook, delivery }: OutcomeProps) {
  const { id, status } = delivery
  const hasArrived = status === 'succeeded'
  return (
    <Notice
      tone={hasArrived ? 'success' : 'danger'}
      title={hasArrived ? 'It arrived' : 'It did not arrive'}
      action={
        <Link className="link" to={paths.delivery(slug, webhook, id)}>
          Request and response
        </Link>
      }
    >
      {outcomeOf(delivery)}
    </Notice>
  )
}
