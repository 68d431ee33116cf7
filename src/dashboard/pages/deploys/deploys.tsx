import { useInfiniteQuery } from '@tanstack/react-query'
import { Rocket, SearchX } from 'lucide-react'
import { useSearchParams } from 'react-router'
import type { DeployStatus } from '../../../contract/deploys.ts'
import { paths } from '../../paths.ts'
import { deploysQuery } from '../../queries/deploys.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { Rows } from '../../ui/card.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Filters } from '../../ui/filters.tsx'
import { Loaded, Skeleton } from '../../ui/loaded.tsx'
import { More, useFirstItems } from '../../ui/more.tsx'
import { Page } from '../../ui/page.tsx'
import { DeployRow } from './deploy-row.tsx'

const filters: readonly (readonly [status: DeployStatus | undefined, label: string])[] = [
  [undefined, 'All'],
  ['live', 'Live'],
  ['superseded', 'Were live'],
  ['failed', 'Failed'],
  ['building', 'Under way'],
]

export function Component() {
  const project = useProject()
  const [search] = useSearchParams()
  const [status] = filters.find(([name]) => name !== undefined && name === search.get('status')) ?? [undefined]
  const query = useInfiniteQuery(deploysQuery(project.slug, status))
  const items = query.data?.pages.flatMap((page) => page.items) ?? []
  const isSearching = useFirstItems(query, items.length)

  return (
    <Page title="Deploys" description="Everything that went live, and what did not. What was live can be served again.">
      <Filters label="Which deploys" name="status" options={filters} value={status} />
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
