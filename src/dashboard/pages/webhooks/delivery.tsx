import { useQuery, useQueryClient } from '@tanstack/react-query'
import { PackageX, RotateCw } from 'lucide-react'
import { useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import { contract } from '#contract/index.ts'
import type { Delivery } from '#contract/webhooks.ts'
import { client, isFailure } from '../../client.ts'
import { paths } from '../../paths.ts'
import { deliveryQuery, webhookQuery, webhooksKey } from '../../queries/webhooks.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Card, Facts } from '../../ui/card.tsx'
import { Snippet } from '../../ui/copy.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'
import { durationWords } from '../../ui/words.ts'
import { DeliveryState } from './webhook-state.tsx'
import { shortUrl } from './words.ts'
import css from './webhooks.module.css'

/** One attempt to deliver an event, with what was sent and answered. */
export function Component() {
  const { slug } = useProject()
  const { webhook = '', delivery: id = '' } = useParams()
  const query = useQuery(deliveryQuery(slug, webhook, id))
  if (isFailure(query.error, 'not_found')) {
    return (
      <Page title="No such delivery">
        <Empty
          icon={PackageX}
          title="There is no such delivery"
          action={<LinkButton to={paths.webhook(slug, webhook)}>The webhook</LinkButton>}
        >
          Deliveries are shown for three days.
        </Empty>
      </Page>
    )
  }
  if (query.data === undefined) {
    return (
      <Page title="Delivery">
        <Loaded query={query}>{() => null}</Loaded>
      </Page>
    )
  }
  return <DeliveryPage slug={slug} webhook={webhook} delivery={query.data} />
}

interface DeliveryPageProps {
  readonly slug: string
  /** Id. */
  readonly webhook: string
  readonly delivery: Delivery
}

const triggers = { event: 'By itself', redelivery: 'Sent again by somebody', test: 'A test' } as const

function DeliveryPage({ slug, webhook, delivery }: DeliveryPageProps) {
  // It is known from the page that leads here, and without its kind an address may be a secret.
  const { data: known } = useQuery(webhookQuery(slug, webhook))
  const { event, status, at, durationMs, url, trigger, attempt, nextAttemptAt, error, request, response } = delivery
  return (
    <Page
      title={event.type}
      description={
        <>
          <DeliveryState status={status} /> <Time at={at} />
        </>
      }
      actions={
        <>
          <LinkButton to={paths.webhook(slug, webhook)}>The webhook</LinkButton>
          <Redeliver slug={slug} webhook={webhook} delivery={delivery} />
        </>
      }
    >
      {error === undefined ? null : (
        <Notice tone={status === 'skipped' ? 'warning' : 'danger'} title="What went wrong">
          {error}
        </Notice>
      )}
      <Card>
        <Facts
          items={[
            ['Sent to', known === undefined ? new URL(url).host : shortUrl({ url, kind: known.kind })],
            ['Event', <code key="id">{event.id}</code>],
            ['How', `${triggers[trigger]}, attempt ${attempt}`],
            ['Took', durationWords(durationMs)],
            nextAttemptAt === undefined ? null : ['Next attempt', <Time key="next" at={nextAttemptAt} />],
          ]}
        />
      </Card>
      <Card title="Request">
        {request.body === '' ? (
          <p className="soft">Nothing was sent.</p>
        ) : (
          <Message name="request" headers={request.headers} body={request.body} />
        )}
      </Card>
      <Card title={response === undefined ? 'Response' : `Response: ${response.status}`}>
        {response === undefined ? (
          <p className="soft">No answer came.</p>
        ) : (
          <Message name="response" headers={response.headers} body={response.body} isCut={response.truncated} />
        )}
      </Card>
    </Page>
  )
}

interface MessageProps {
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly isCut?: boolean
}

function Message({ name, headers, body, isCut = false }: MessageProps) {
  const lines = Object.entries(headers).map(([header, value]) => `${header}: ${value}`)
  return (
    <>
      <div className={css['part']}>
        <h3>Headers</h3>
        <pre className={css['headers']} tabIndex={0} role="group" aria-label={`Headers of the ${name}`}>
          {lines.join('\n')}
        </pre>
      </div>
      <div className={css['part']}>
        <h3>Body</h3>
        {body === '' ? <p className="soft">Empty.</p> : <Snippet label={`body of the ${name}`}>{pretty(body)}</Snippet>}
        {isCut ? <p className="soft">There was more than is kept.</p> : null}
      </div>
    </>
  )
}

/** JSON in lines; whatever else as it is. */
function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}

function Redeliver({ slug, webhook, delivery }: DeliveryPageProps) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [busy, setBusy] = useState(false)
  const redeliver = async (): Promise<void> => {
    setBusy(true)
    try {
      const params = { slug, id: webhook, delivery: delivery.id }
      const made = await client.call(contract.webhooks.redeliver, { params })
      queries.setQueryData(deliveryQuery(slug, webhook, made.id).queryKey, made)
      void queries.invalidateQueries({ queryKey: webhooksKey(slug) })
      await navigate(paths.delivery(slug, webhook, made.id))
      if (made.status === 'succeeded') toast.done('Sent again, and it arrived.')
    } catch (error) {
      toast.failed(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button look="primary" icon={RotateCw} busy={busy} onClick={() => void redeliver()}>
      Send again
    </Button>
  )
}
