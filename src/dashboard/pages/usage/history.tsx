import type { UsageMonth } from '#contract/usage.ts'
import { Button } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { NumberTable } from '../../ui/number-table.tsx'
import { useSearchParam } from '../../ui/search-params.ts'
import { dollars, monthWords, shortMonthWords } from './usage-words.ts'
import css from './usage.module.css'

interface Series {
  readonly key: 'generations' | 'deploys' | 'agentMessages' | 'answers' | 'cost'
  readonly label: string
  readonly of: (month: UsageMonth) => number
  readonly ofProject: (month: UsageMonth) => number
}

function counted(key: Exclude<Series['key'], 'cost'>, label: string): Series {
  return { key, label, of: (month) => month[key].used, ofProject: (month) => month[key].ofProject }
}

const generations = counted('generations', 'Generations')
const series: readonly Series[] = [
  generations,
  counted('deploys', 'Deploys'),
  counted('agentMessages', 'Assistant'),
  counted('answers', 'Answers'),
  {
    key: 'cost',
    label: 'Model cost',
    of: ({ models }) => models.costUsd,
    ofProject: ({ models }) => models.ofProject.costUsd,
  },
]

/** Months as bars for the eye, and all of their numbers as a table. @param months newest first */
export function UsageHistory({ months }: { readonly months: readonly UsageMonth[] }) {
  const [asked, setAsked] = useSearchParam('show')
  const shown = series.find(({ key }) => key === asked) ?? generations
  return (
    <>
      <div className={css['choice']} role="group" aria-label="Shown in the chart">
        {series.map(({ key, label }) => (
          <Button
            key={key}
            size="small"
            look={key === shown.key ? 'secondary' : 'ghost'}
            aria-pressed={key === shown.key}
            onClick={() => setAsked(key === generations.key ? undefined : key, { replace: true })}
          >
            {label}
          </Button>
        ))}
      </div>
      <Chart months={months} shown={shown} />
      <Table months={months} />
    </>
  )
}

/** The table beside it says the same: screen readers get that. */
function Chart({ months, shown }: { readonly months: readonly UsageMonth[]; readonly shown: Series }) {
  const most = Math.max(...months.map(shown.of))
  return (
    <div className={css['chart']} aria-hidden>
      {yearBefore(months).map((start) => {
        const month = months.find(({ period }) => period.start === start)
        if (month === undefined) return <Unknown key={start} start={start} />
        const [all, own] = [shown.of(month), shown.ofProject(month)]
        return (
          <div
            key={month.period.start}
            className={css['month']}
            title={`${monthWords(month.period.start)}: ${valueOf(shown, all)}`}
          >
            <span className={css['top']}>{all === 0 ? '' : valueOf(shown, all)}</span>
            <span className={css['column']} style={{ height: `${most === 0 ? 0 : (all / most) * 100}%` }}>
              <span className={css['own']} style={{ height: `${all === 0 ? 0 : (own / all) * 100}%` }} />
            </span>
            <span className={css['label']}>{shortMonthWords(month.period.start)}</span>
          </div>
        )
      })}
      <p className={css['key']}>
        <span className={css['swatch']} />
        this project
        <span className={classes(css['swatch'], css['faded'])} />
        other projects of the owner
      </p>
    </div>
  )
}

/** Beginnings of the twelve months that end with the newest, in their order. */
function yearBefore(months: readonly UsageMonth[]): readonly string[] {
  const newest = new Date(months[0]?.period.start ?? Date.now())
  return Array.from({ length: 12 }, (_, index) =>
    new Date(Date.UTC(newest.getUTCFullYear(), newest.getUTCMonth() - 11 + index)).toISOString(),
  )
}

/** A month before the first of which something is known. */
function Unknown({ start }: { readonly start: string }) {
  return (
    <div className={css['month']}>
      <span className={classes(css['column'], css['unknown'])} />
      <span className={css['label']}>{shortMonthWords(start)}</span>
    </div>
  )
}

function valueOf({ key }: Series, value: number): string {
  return key === 'cost' ? dollars(value) : value.toLocaleString()
}

function Table({ months }: { readonly months: readonly UsageMonth[] }) {
  return (
    <NumberTable label="Usage by month" className={css['months']}>
      <thead>
        <tr>
          <th scope="col">Month</th>
          {series.map(({ key, label }) => (
            <th key={key} scope="col">
              {label}
            </th>
          ))}
          <th scope="col">Tokens</th>
        </tr>
      </thead>
      <tbody>
        {months.map((month) => (
          <tr key={month.period.start}>
            <th scope="row">{monthWords(month.period.start)}</th>
            {series.map((column) => (
              <td key={column.key}>{valueOf(column, column.of(month))}</td>
            ))}
            <td>{(month.models.inputTokens + month.models.outputTokens).toLocaleString()}</td>
          </tr>
        ))}
      </tbody>
    </NumberTable>
  )
}
