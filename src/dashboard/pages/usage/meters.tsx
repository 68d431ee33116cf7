import type { ReactNode } from 'react'
import type { ProjectUsage, StorageUsage, UsageMeter } from '#contract/usage.ts'
import { Card } from '../../ui/card.tsx'
import { classes } from '../../ui/classes.ts'
import { Notice } from '../../ui/notice.tsx'
import { Day, Time } from '../../ui/time.tsx'
import { count } from '../../ui/words.ts'
import { sizeWords } from './usage-words.ts'
import css from './usage.module.css'

/** Of a limit: when so little is left, it is said what will stop. */
const lowShare = 0.1

/** A part of what was used, with its colour. */
interface Share {
  readonly label: string
  readonly used: number
  readonly color: 'one' | 'two' | 'three'
}

/** What is used of each allowance. What shares one is shown as parts of it. */
export function Meters({ usage }: { readonly usage: ProjectUsage }) {
  const { deploys, generations, agentMessages, answers } = usage
  const sharing = [
    { label: 'Messages to the assistant', meter: agentMessages, color: 'two' },
    { label: 'Answers to readers', meter: answers, color: 'three' },
  ] as const
  const parts = sharing.filter(({ meter }) => meter.shares === 'generations')
  const rest = generations.used - parts.reduce((sum, { meter }) => sum + meter.used, 0)
  const shares: Share[] = [
    { label: 'Branches and generations', used: Math.max(0, rest), color: 'one' },
    ...parts.map(({ label, meter, color }) => ({ label, used: meter.used, color })),
  ]
  const { today } = answers
  return (
    <div className={css['meters']}>
      <Meter
        title="Generations"
        description="Creating a branch, a message to the assistant and an answer to a reader count as one each."
        meter={generations}
        stops="No branch can be created, the assistant takes no messages and readers get no answers; branches that are there can be edited and published."
        shares={parts.length === 0 ? undefined : shares}
        period="this month"
      >
        {today === undefined ? null : (
          <p className={css['note']}>
            Readers of this site got {count(today.used, 'answer')} of {today.limit.toLocaleString()} today; its
            docs.json sets that limit.
          </p>
        )}
      </Meter>
      <Meter
        title="Deploys"
        description="Deploys, publishes and pushes to main. What fails, changes nothing or rolls back does not count."
        meter={deploys}
        stops="Deploys, publishes and pushes to main are refused; what is live stays, and what was live can be served again."
        period="today"
      >
        <p className={css['note']}>{count(deploys.inPeriod, 'deploy')} this month.</p>
      </Meter>
      {sharing
        .filter(({ meter }) => meter.shares === undefined)
        .map(({ label, meter }) => (
          <Meter key={label} title={label} meter={meter} stops="No more are taken." period="this month" />
        ))}
      {usage.storage === undefined ? null : <Storage storage={usage.storage} />}
    </div>
  )
}

interface GaugeProps {
  readonly title: string
  readonly used: number
  readonly limit: number
  readonly words: string
  readonly isUp: boolean
  readonly shares?: readonly Share[] | undefined
}

function Gauge({ title, used, limit, words, isUp, shares }: GaugeProps) {
  return (
    <div
      className={classes(css['gauge'], isUp && css['up'])}
      role="meter"
      aria-label={title}
      aria-valuemin={0}
      aria-valuemax={Math.max(limit, used)}
      aria-valuenow={used}
      aria-valuetext={words}
    >
      {(shares ?? [{ label: title, used, color: 'one' as const }])
        .filter((share) => share.used > 0)
        .map((share) => (
          <span
            key={share.label}
            className={css[share.color]}
            style={{ width: `${Math.min(100, (share.used / Math.max(limit, used, 1)) * 100)}%` }}
          />
        ))}
    </div>
  )
}

/** What the disk gives for all projects of the owner. */
function Storage({ storage: { used, ofProject, limit, remaining } }: { readonly storage: StorageUsage }) {
  const isUp = remaining === 0
  const isLow = limit !== null && remaining !== null && !isUp && remaining <= limit * lowShare
  const words = limit === null ? `${sizeWords(used)} used` : `${sizeWords(used)} of ${sizeWords(limit)} used`
  return (
    <Card
      title="Storage"
      description="Repositories with their history, releases, previews and records."
      className={css['meter']}
    >
      <div>
        <p className={css['sum']}>
          <strong>{sizeWords(used)}</strong> {limit === null ? 'without a limit' : `of ${sizeWords(limit)}`}
        </p>
        {limit === null ? null : <Gauge {...{ title: 'Storage', used, limit, words, isUp }} />}
        <p className={css['note']}>
          {limit === null || isUp ? null : `${sizeWords(remaining ?? 0)} left. `}
          {sizeWords(ofProject)} by this project.
        </p>
      </div>
      {isUp || isLow ? (
        <Notice tone={isUp ? 'danger' : 'warning'} title={isUp ? 'Nothing left' : 'Nearly used up'}>
          {isUp ? '' : 'When nothing is left: '}
          What makes content grow is refused: deploys, saves, pushes, branches, entries of the changelog. Delete
          projects, branches or files that are not needed, or take another plan.
        </Notice>
      ) : null}
    </Card>
  )
}

interface MeterProps {
  readonly title: string
  readonly description?: string
  readonly meter: UsageMeter
  /** What does not work when nothing is left, and what does all the same. */
  readonly stops: string
  readonly shares?: readonly Share[] | undefined
  readonly period: 'today' | 'this month'
  readonly children?: ReactNode
}

function Meter({ title, description, meter, stops, shares, period, children }: MeterProps) {
  const { used, limit, remaining, ofProject, resetsAt } = meter
  const isUp = remaining === 0
  const isLow = limit !== null && remaining !== null && !isUp && remaining <= limit * lowShare
  const words =
    limit === null ? `${used.toLocaleString()} used` : `${used.toLocaleString()} of ${limit.toLocaleString()} used`
  return (
    <Card title={title} {...(description === undefined ? {} : { description })} className={css['meter']}>
      <div>
        <p className={css['sum']}>
          <strong>{used.toLocaleString()}</strong>{' '}
          {limit === null ? `${period}, without a limit` : `of ${limit.toLocaleString()} ${period}`}
        </p>
        {limit === null ? null : <Gauge {...{ title, used, limit, words, isUp, shares }} />}
        <p className={css['note']}>
          {limit === null || isUp ? null : `${(remaining ?? 0).toLocaleString()} left. `}
          Counted anew <Time at={resetsAt} />. {ofProject.toLocaleString()} by this project.
        </p>
      </div>
      {shares === undefined ? null : (
        <ul className={css['legend']} aria-label={`What ${title.toLowerCase()} were used for`}>
          {shares.map(({ label, used: part, color }) => (
            <li key={label}>
              <span className={classes(css['swatch'], css[color])} aria-hidden />
              {label}
              <span className={css['value']}>{part.toLocaleString()}</span>
            </li>
          ))}
        </ul>
      )}
      {isUp || isLow ? (
        <Notice tone={isUp ? 'danger' : 'warning'} title={isUp ? 'Nothing left' : 'Nearly used up'}>
          {isUp ? '' : 'When nothing is left: '}
          {stops} There is more on <Day at={resetsAt} />, or at once with another plan.
        </Notice>
      ) : null}
      {children}
    </Card>
  )
}
