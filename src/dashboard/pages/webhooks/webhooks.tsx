import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Plus, Webhook as WebhookIcon } from 'lucide-react'
import { Link } from 'react-router'
import type { Webhook } from '#contract/webhooks.ts'
import { paths } from '../../paths.ts'
import { lastDeliveryQuery, webhooksQuery } from '../../queries/webhooks.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { Button } from '../../ui/button.tsx'
import { Row, Rows } from '../../ui/card.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { More } from '../../ui/more.tsx'
import { Page } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { useDialog } from '../../ui/use-dialog.ts'
import { NewWebhook } from './new-webhook.tsx'
import { DeliveryState, WebhookState } from './webhook-state.tsx'
import { kindNames, shortUrl } from './words.ts'
import css from './webhooks.module.css'

const description = 'Tell other services at once when something happens here.'

/** All webhooks. `?new` is the form for another one. */
export function Component() {
  const { slug } = useProject()
  const [isAdding, setAdding] = useDialog('new')
  const query = useInfiniteQuery(webhooksQuery(slug))
  const create = (
    <Button look="primary" icon={Plus} onClick={() => setAdding(true)}>
      Add webhook
    </Button>
  )
  return (
    <Page title="Webhooks" description={description} actions={create}>
      <Loaded query={query}>
        {(items) => {
          if (items.length === 0) {
            return (
              <Empty icon={WebhookIcon} title="No webhooks yet">
                A webhook is an address of yours that gets a request when a deploy ends, a preview is built or an entry
                of the changelog appears. Start a job, or tell a channel of Slack or Discord.
              </Empty>
            )
          }
          return (
            <Rows label="Webhooks">
              {items.map((webhook) => (
                <WebhookRow key={webhook.id} slug={slug} webhook={webhook} />
              ))}
            </Rows>
          )
        }}
      </Loaded>
      <More query={query} />
      <NewWebhook slug={slug} open={isAdding} onOpenChange={setAdding} />
    </Page>
  )
}

function WebhookRow({ slug, webhook }: { readonly slug: string; readonly webhook: Webhook }) {
  const { id, kind, events } = webhook
  return (
    <Row
      title={
        <Link className={css['title']} to={paths.webhook(slug, id)}>
          {shortUrl(webhook)}
        </Link>
      }
      detail={
        <>
          {kindNames[kind]} · {events.join(', ')}
          {webhook.disabledReason === undefined ? null : <p>{webhook.disabledReason}</p>}
        </>
      }
    >
      <LastDelivery slug={slug} id={id} />
      <WebhookState webhook={webhook} />
    </Row>
  )
}

function LastDelivery({ slug, id }: { readonly slug: string; readonly id: string }) {
  const { data } = useQuery(lastDeliveryQuery(slug, id))
  if (data === undefined) return null
  if (data === null) return <span>Nothing sent lately</span>
  return (
    <span className={css['last']}>
      <span>
        Last <Time at={data.at} />
      </span>
      {data.status === 'succeeded' ? null : <DeliveryState status={data.status} />}
    </span>
  )
}
