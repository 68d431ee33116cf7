import { Link } from 'react-router'
import type { DeliverySummary } from '../../../contract/webhooks.ts'
import { paths } from '../../paths.ts'
import { Notice } from '../../ui/notice.tsx'
import { outcomeOf } from './words.ts'

interface OutcomeProps {
  readonly slug: string
  /** Id. */
  readonly webhook: string
  readonly delivery: DeliverySummary
}

/** What came of a delivery that somebody has just asked for. */
export function Outcome({ slug, webhook, delivery }: OutcomeProps) {
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
