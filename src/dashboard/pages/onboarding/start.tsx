import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { GitBranch, SquareTerminal, Workflow } from 'lucide-react'
import { useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import type { CreatedKey } from '#contract/keys.ts'
import { keysQuery, useNewKey, type NewKeyBody } from '../../queries/keys.ts'
import { may, projectQuery } from '../../queries/projects.ts'
import { sessionsQuery } from '../../queries/sessions.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { Page, Stack } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { ActionsWay } from './actions-way.tsx'
import { CommandLineWay } from './command-line-way.tsx'
import { FirstDeploy } from './first-deploy.tsx'
import { GitWay } from './git-way.tsx'
import { Sample } from './sample.tsx'
import type { Facts, WayProps } from './way.ts'

const ways = {
  cli: { name: 'Command line', icon: SquareTerminal, Way: CommandLineWay },
  actions: { name: 'GitHub Actions', icon: Workflow, Way: ActionsWay },
  git: { name: 'Git push', icon: GitBranch, Way: GitWay },
} as const
type WayName = keyof typeof ways
const wayNames = Object.keys(ways) as WayName[]

const lookAgainMs = 3_000

/** `/dashboard/:slug/start`: ways to the first deploy, with marks at what is done. `?way=` is the one that is shown. */
export function Component() {
  const { slug, title } = useProject()
  const [query] = useSearchParams()
  const name = wayNames.find((one) => one === query.get('way')) ?? 'cli'
  const facts = useFacts(slug)
  const keys = useMadeKeys(slug)
  const { project } = facts
  const isLive = project.live !== undefined
  const { Way } = ways[name]
  const key = keys.made[name]
  const props: WayProps = {
    project,
    facts,
    origin: location.origin,
    ...(key === undefined ? {} : { made: key.key }),
    ...(may(project, 'admin') ? { makeKey: (body) => keys.make(name, body) } : {}),
  }
  return (
    <Page
      title={isLive ? `${title} is live` : `Get ${title} live`}
      description={
        isLive
          ? 'Go on in the browser, or send your own files: each deploy takes the place of the one before.'
          : 'Start from a sample, or send your own files. This page sees what you have done, and goes on by itself.'
      }
    >
      {!isLive && project.latest === undefined ? (
        may(project, 'deploy') ? (
          <Sample project={project} />
        ) : null
      ) : (
        <FirstDeploy project={project} />
      )}
      <Stack>
        <Tabs label="Ways to deploy your own files">
          {wayNames.map((one) => {
            const { name: label, icon: Icon } = ways[one]
            return (
              <Link key={one} to={`?way=${one}`} replace aria-current={one === name ? 'page' : undefined}>
                <Icon aria-hidden /> {label}
              </Link>
            )
          })}
        </Tabs>
        <Way {...props} />
      </Stack>
    </Page>
  )
}

/** What has happened, looked at again while somebody looks here and the site is not live. */
function useFacts(slug: string): Facts {
  const shown = useProject()
  const { data: project = shown } = useQuery({
    ...projectQuery(slug),
    refetchInterval: ({ state }) => state.data?.live === undefined && lookAgainMs,
  })
  const refetchInterval = project.live === undefined && lookAgainMs
  const isAdmin = may(project, 'admin')
  const { data: keys } = useInfiniteQuery({ ...keysQuery(slug), enabled: isAdmin, refetchInterval })
  const { data: sessions } = useQuery({ ...sessionsQuery, refetchInterval })
  const deployKeys = keys?.filter(({ scopes }) => scopes.includes('deploy')) ?? []
  return {
    project,
    keyState: (name) => {
      // A deploy may be there before the keys are looked at again.
      if (project.latest?.by?.kind === 'key' && project.latest.by.name === name) return 'used'
      const own = deployKeys.filter((key) => key.name === name)
      if (own.some(({ last_used_at: usedAt }) => usedAt !== undefined)) return 'used'
      return own.length > 0 ? 'made' : 'none'
    },
    hasTerminal: sessions?.items.some(({ kind }) => kind === 'terminal') ?? false,
  }
}

/** Keys that were made on this page: each is shown once, until the page is left. */
function useMadeKeys(slug: string) {
  const { create } = useNewKey(slug)
  const [made, setMade] = useState<Partial<Record<WayName, CreatedKey>>>({})
  const make = async (way: WayName, body: NewKeyBody): Promise<void> => {
    const key = await create(body)
    setMade((before) => ({ ...before, [way]: key }))
  }
  return { made, make }
}
