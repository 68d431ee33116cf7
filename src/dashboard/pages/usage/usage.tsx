import { useQuery } from '@tanstack/react-query'
import { ArrowUpRight } from 'lucide-react'
import type { ProjectUsage } from '#contract/usage.ts'
import { serviceQuery } from '../../queries/account.ts'
import { usageHistoryQuery, usageQuery } from '../../queries/usage.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { Badge } from '../../ui/badge.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { Card, Facts } from '../../ui/card.tsx'
import { Loaded, Skeleton } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { Day } from '../../ui/time.tsx'
import { UsageHistory } from './history.tsx'
import { Meters } from './meters.tsx'
import { dollars, monthWords } from './usage-words.ts'
import css from './usage.module.css'

export function Component() {
  const { slug } = useProject()
  const usage = useQuery(usageQuery(slug))
  const history = useQuery(usageHistoryQuery(slug))
  return (
    <Page title="Usage" description="What is used of the plan. It is counted for all projects of the same owner.">
      <Loaded query={usage} pending={<Skeleton lines={5} />}>
        {(data) => (
          <>
            <Plan usage={data} />
            <Meters usage={data} />
            <Models usage={data} />
          </>
        )}
      </Loaded>
      <Card title="By month" description="The last twelve months, as far as they are known. Months are those of UTC.">
        <Loaded query={history} pending={<Skeleton lines={3} />}>
          {({ items }) => <UsageHistory months={items} />}
        </Loaded>
      </Card>
    </Page>
  )
}

const planWords = {
  free: ['Free', 'For a first site. What is used up comes back with the next day or month.'],
  pro: ['Pro', 'Deploys, branches, generations and answers without a limit.'],
} as const

function Plan({ usage: { plan, period } }: { readonly usage: ProjectUsage }) {
  const service = useQuery(serviceQuery)
  const [name, words] = planWords[plan]
  const change = service.data?.planChange
  const text =
    change?.text ?? (change?.url === undefined ? 'Ask the operator of this service for another plan.' : undefined)
  return (
    <Card>
      <div className={css['plan']}>
        <div>
          <h2>
            {name} plan <Badge tone={plan === 'pro' ? 'success' : 'plain'}>{monthWords(period.start)}</Badge>
          </h2>
          <p className="soft">{words}</p>
        </div>
        <div className={css['change']}>
          {service.data === undefined || text === undefined ? null : <p className="soft">{text}</p>}
          {change?.url === undefined ? null : (
            <LinkButton icon={ArrowUpRight} to={change.url} target="_blank" rel="noreferrer">
              Change plan
            </LinkButton>
          )}
        </div>
      </div>
    </Card>
  )
}

function Models({ usage: { models, period } }: { readonly usage: ProjectUsage }) {
  return (
    <Card
      title="Language models"
      description={
        <>
          What they read and wrote since <Day at={period.start} />, for generations, the assistant and answers.
        </>
      }
    >
      <Facts
        items={[
          ['Tokens read', models.inputTokens.toLocaleString()],
          ['Tokens written', models.outputTokens.toLocaleString()],
          ['Cost', dollars(models.costUsd)],
        ]}
      />
    </Card>
  )
}
