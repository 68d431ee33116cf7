import { Rocket, SearchX } from 'lucide-react'
import type { DeployStatus } from '#contract/deploys.ts'
import { paths } from '../../paths.ts'
import { useDeploys } from '../../queries/deploys.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { Rows } from '../../ui/card.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Filters, useFilter, type FilterOptions } from '../../ui/filters.tsx'
import { Loaded, Skeleton } from '../../ui/loaded.tsx'
import { More, useFurther } from '../../ui/more.tsx'
import { Page } from '../../ui/page.tsx'
import { DeployRow } from './deploy-row.tsx'

const filters: FilterOptions<DeployStatus> = [
  [undefined, 'All'],
  ['live', 'Live'],
  ['superseded', 'Were live'],
  ['failed', 'Failed'],
  ['building', 'Under way'],
]

export function Component() {
  const project = useProject()
  const status = useFilter('status', filters)
  const query = useDeploys(project.slug, status)
  const items = query.data ?? []
  const isSearching = useFurther(query, items.length === 0)

  return (
    <Page title="Deploys" description="Everything that went live, and what did not. What was live can be served again.">
      <Filters label="Which deploys" name="status" options={filters} />
      <Loaded query={query} pending={<Skeleton lines={6} />}>
        {() =>
          isSearching ? (
            <Skeleton lines={6} />
          ) : items.length === 0 && !query.hasNextPage ? (
            <NoDeploys slug={project.slug} status={status} />
          ) : (
            <Rows label="Deploys" ordered>
              {items.map((deploy) => (
                <DeployRow key={deploy.id} deploy={deploy} project={project} />
              ))}
            </Rows>
          )
        }
      </Loaded>
      {isSearching ? null : <More query={query} />}
    </Page>
  )
}

function NoDeploys({ slug, status }: { readonly slug: string; readonly status: DeployStatus | undefined }) {
  return status === undefined ? (
    <Empty
      icon={Rocket}
      title="Nothing was deployed yet"
      action={
        <LinkButton look="primary" to={paths.start(slug)}>
          Make the first deploy
        </LinkButton>
      }
    >
      Each deploy is kept here with what it built and how long it took. One that fails never reaches readers.
    </Empty>
  ) : (
    <Empty icon={SearchX} title="No such deploys" action={<LinkButton to="?">Show all deploys</LinkButton>}>
      {status === 'building' ? 'Nothing is being built right now.' : 'There are none in this state.'}
    </Empty>
  )
}
