import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Equal } from 'lucide-react'
import { useParams, useSearchParams } from 'react-router'
import type { Deploy } from '#contract/deploys.ts'
import { paths } from '../../paths.ts'
import { deployDiffQuery, deployQuery, deploysQuery, fileAtQuery } from '../../queries/deploys.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { Diff } from '../../ui/diff.tsx'
import { Empty } from '../../ui/empty.tsx'
import { SelectField } from '../../ui/field.tsx'
import { Loaded, Skeleton } from '../../ui/loaded.tsx'
import { More } from '../../ui/more.tsx'
import { Page } from '../../ui/page.tsx'
import { searchWith, useSearchParam } from '../../ui/search-params.ts'
import { titleOf } from './deploy-words.ts'
import css from './deploys.module.css'

export function Component() {
  const { slug } = useProject()
  const { deploy: id = '' } = useParams()
  const [against] = useSearchParam('against')
  const deploy = useQuery(deployQuery(slug, id)).data
  const diff = useQuery(deployDiffQuery(slug, id, against === undefined ? {} : { against }))
  return (
    <Page
      title={deploy === undefined ? 'Changes' : `Changes of deploy ${deploy.number}`}
      description={deploy === undefined ? undefined : titleOf(deploy)}
      width="wide"
      actions={<LinkButton to={paths.deploy(slug, id)}>Deploy{deploy && ` ${deploy.number}`}</LinkButton>}
    >
      <Against slug={slug} id={id} against={against} />
      <Loaded query={diff} pending={<Skeleton lines={6} />}>
        {(comparison) =>
          comparison.files.length === 0 ? (
            <Empty icon={Equal} title="No file differs">
              Both deploys have the same files.
            </Empty>
          ) : (
            <Diff
              comparison={comparison}
              fileQuery={(path) => deployDiffQuery(slug, id, { path, ...(against === undefined ? {} : { against }) })}
              contentQuery={(path, commit) => fileAtQuery(slug, path, commit)}
            />
          )
        }
      </Loaded>
    </Page>
  )
}

interface AgainstProps {
  readonly slug: string
  readonly id: string
  readonly against: string | undefined
}

/** The deploy to compare with, of those that went live. */
function Against({ slug, id, against }: AgainstProps) {
  const [, setSearch] = useSearchParams()
  const history = useInfiniteQuery(deploysQuery(slug))
  const chosen = useQuery({ ...deployQuery(slug, against ?? ''), enabled: against !== undefined }).data
  const others = (history.data ?? []).filter(
    (deploy) => deploy.id !== id && (deploy.status === 'live' || deploy.status === 'superseded'),
  )
  // One that a link asks for may be older than what is listed.
  const missing = chosen !== undefined && others.every((deploy) => deploy.id !== chosen.id) ? [chosen] : []
  const choose = (value: string): void => setSearch((before) => searchWith(before, { against: value, path: undefined }))
  return (
    <div className={css['compare']}>
      <SelectField
        label="Compared with"
        name="against"
        value={against ?? ''}
        onChange={(event) => choose(event.target.value)}
      >
        <option value="">What was live before</option>
        {[...others, ...missing].map((deploy) => (
          <option key={deploy.id} value={deploy.id}>
            {nameOf(deploy)}
          </option>
        ))}
      </SelectField>
      <More query={history} label="List older deploys" />
    </div>
  )
}

const maxName = 60

function nameOf(deploy: Deploy): string {
  const name = `#${deploy.number} ${titleOf(deploy)}`
  return name.length > maxName ? `${name.slice(0, maxName - 1)}…` : name
}
