import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { DeliveryStatus, DeliverySummary, Webhook } from '#contract/webhooks.ts'
import { paths } from '../../paths.ts'
import { deliveriesQuery } from '../../queries/webhooks.ts'
import { Card, Row, Rows } from '../../ui/card.tsx'
import { Filters, useFilter, type FilterOptions } from '../../ui/filters.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { More, useFurther } from '../../ui/more.tsx'
import { Time } from '../../ui/time.tsx'
import { DeliveryState } from './webhook-state.tsx'
import { outcomeOf } from './words.ts'
import css from './webhooks.module.css'

const states: FilterOptions<DeliveryStatus> = [
  [undefined, 'All'],
  ['succeeded', 'Delivered'],
  ['failed', 'Failed'],
  ['skipped', 'Not sent'],
]

/** What was sent to a webhook, newest first. */
export function Deliveries({ slug, webhook }: { readonly slug: string; readonly webhook: Webhook }) {
  const { id } = webhook
  const status = useFilter('status', states)
  const query = useInfiniteQuery(deliveriesQuery(slug, id, status))
  const items = query.data ?? []
  const isSearching = useFurther(query, items.length === 0)
  return (
    <Card
      title="Deliveries"
      description="Of the last three days. What fails is tried again by itself."
      actions={<Filters label="Which deliveries" name="status" options={states} />}
    >
      <Loaded query={query}>
        {() =>
          items.length > 0 ? (
            <Rows label="Deliveries" ordered>
              {items.map((delivery) => (
                <DeliveryRow key={delivery.id} slug={slug} webhook={id} delivery={delivery} />
              ))}
            </Rows>
          ) : query.hasNextPage ? null : (
            <p className="soft">
              {status === undefined ? 'Nothing was sent yet: send a test to see that it arrives.' : 'None ended so.'}
            </p>
          )
        }
      </Loaded>
      {isSearching ? null : <More query={query} />}
    </Card>
  )
}

interface DeliveryRowProps {
  readonly slug: string
  readonly webhook: string
  readonly delivery: DeliverySummary
}

const triggers = { event: undefined, redelivery: 'sent again', test: 'test' } as const

function DeliveryRow({ slug, webhook, delivery }: DeliveryRowProps) {
  const { id, event, trigger, attempt, status, at, nextAttemptAt } = delivery
  const how = [triggers[trigger], attempt > 1 ? `attempt ${attempt}` : undefined].filter(Boolean).join(', ')
  return (
    <Row
      title={
        <>
          <Link className={css['title']} to={paths.delivery(slug, webhook, id)}>
            {event.type}
          </Link>
          {how === '' ? null : <span className="faint">{how}</span>}
        </>
      }
      detail={
        <>
          {outcomeOf(delivery)}
          {nextAttemptAt === undefined || Date.parse(nextAttemptAt) < Date.now() ? null : (
            <>
              {' '}
              Next attempt <Time at={nextAttemptAt} />.
            </>
          )}
        </>
      }
    >
      <Time at={at} />
      <DeliveryState status={status} />
    </Row>
  )
}
