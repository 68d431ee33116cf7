import { useCallback } from 'react'
import type { UsageMeter } from '../contract/usage.ts'
import { contract } from '../contract/index.ts'
import { client, messageOf, useLoaded } from './api.ts'

interface Props {
  readonly slug: string
  /** Changes when something was deployed: then the counts are read again. */
  readonly live: string | undefined
}

const utc = (at: string, format: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat(undefined, { ...format, timeZone: 'UTC' }).format(new Date(at))

/** What is used of the plan: the counts that `quire usage` prints. */
export function Usage({ slug, live }: Props) {
  const load = useCallback(
    () => client.call(contract.usage.read, { params: { slug } }).then((usage) => ({ usage, live })),
    [slug, live],
  )
  const { value, error } = useLoaded(load)
  if (error !== undefined) return <p className="alert">{messageOf(error)}</p>
  if (value === undefined) return null
  const { plan, period, generations, deploys, agentMessages } = value.usage
  const month = utc(period.start, { month: 'long', year: 'numeric' })
  return (
    <section aria-labelledby="usage">
      <h2 id="usage">Usage</h2>
      <p className="soft">
        {plan === 'pro' ? 'Pro' : 'Free'} plan, {month}. Work that is under way counts.
      </p>
      <div className="meters">
        <Meter title="Generations" meter={generations} note="This month, with branches and the assistant" />
        <Meter title="Deploys today" meter={deploys} note={`${deploys.inPeriod} in ${month}`} />
        <Meter title="Assistant" meter={agentMessages} note="Messages; they count as generations" />
      </div>
    </section>
  )
}

function Meter({ title, meter, note }: { title: string; meter: UsageMeter; note: string }) {
  const { used, limit, remaining, resetsAt } = meter
  return (
    <div className="card meter">
      <div className="line">
        <strong>{title}</strong>
        <span className="grow" />
        <span>{limit === null ? `${used} used, unlimited` : `${used} of ${limit} used`}</span>
      </div>
      {limit === null || remaining === null ? null : (
        <meter
          min={0}
          max={limit}
          value={limit - remaining}
          optimum={0}
          high={limit - 0.5}
          aria-label={`${title}: ${remaining} of ${limit} left`}
        />
      )}
      <small>{note}</small>
      {limit === null ? null : (
        <small>
          {remaining} left; starts anew on{' '}
          <time dateTime={resetsAt}>{utc(resetsAt, { day: 'numeric', month: 'long' })}, 00:00 UTC</time>
        </small>
      )}
    </div>
  )
}
