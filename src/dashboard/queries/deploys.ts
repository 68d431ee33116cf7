import { type InfiniteData, queryOptions, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { patched } from '../../authoring/patch.ts'
import type { BranchChange } from '../../contract/branches.ts'
import type { Deploy, DeployEvent, DeployStage, DeployStatus } from '../../contract/deploys.ts'
import type { ReplyOf } from '../../contract/endpoint.ts'
import { Failure } from '../../contract/failure.ts'
import { contract } from '../../contract/index.ts'
import { client, isFailure } from '../client.ts'
import { isUnderWay } from './branches.ts'
import { type ListPage, listQuery } from './list.ts'
import { projectQuery } from './projects.ts'
import { queryClient } from './query-client.ts'

const deploysKey = (slug: string) => ['project', slug, 'deploys'] as const
const followEveryMs = 2_000
/** Of a deploy that is followed as it goes. */
const lookEveryMs = 10_000

type DeployPage = ReplyOf<typeof contract.deploys.list>

function readDeploys(
  slug: string,
  status: DeployStatus | undefined,
  cursor: { readonly cursor?: string },
  signal: AbortSignal,
): Promise<DeployPage> {
  const query = status === undefined ? { limit: 25 } : { limit: 200, status }
  return client.call(contract.deploys.list, { params: { slug }, query: { ...query, ...cursor }, signal })
}

/** The history, newest first. A filtered page looks at as many deploys as a page may have. */
export function deploysQuery(slug: string, status?: DeployStatus) {
  return listQuery([...deploysKey(slug), 'list', status ?? 'all'], (cursor, signal) =>
    readDeploys(slug, status, cursor, signal),
  )
}

/** The history, whose first page is read again while a deploy is under way: further ones do not change for that. */
export function useDeploys(slug: string, status?: DeployStatus) {
  const options = deploysQuery(slug, status)
  const deploys = useInfiniteQuery(options)
  useQuery({
    queryKey: [...deploysKey(slug), 'newest', status ?? 'all'],
    queryFn: async ({ client: queries, signal }) => {
      const newest = await readDeploys(slug, status, {}, signal)
      queries.setQueryData(options.queryKey, (known) => known && withNewest(known, newest))
      return null
    },
    enabled: deploys.data?.some(isUnderWay) === true,
    refetchInterval: followEveryMs,
  })
  return deploys
}

/** @param newest what the first page is now: those that newer ones have pushed off it stay before the second */
function withNewest(known: InfiniteData<ListPage<Deploy>>, newest: DeployPage): InfiniteData<ListPage<Deploy>> {
  const [first, ...further] = known.pages
  if (first === undefined) return known
  const last = newest.nextCursor === undefined ? 0 : (newest.items.at(-1)?.number ?? 0)
  const pushed = first.items.filter(({ number }) => number < last)
  return { ...known, pages: [{ ...first, items: [...newest.items, ...pushed] }, ...further] }
}

/** The newest few. */
export function latestDeploysQuery(slug: string) {
  return queryOptions({
    queryKey: [...deploysKey(slug), 'latest'],
    queryFn: ({ signal }) => client.call(contract.deploys.list, { params: { slug }, query: { limit: 5 }, signal }),
    refetchInterval: ({ state }) => state.data?.items.some(isUnderWay) === true && followEveryMs,
  })
}

export function deployQuery(slug: string, id: string) {
  return queryOptions({
    queryKey: [...deploysKey(slug), 'one', id],
    queryFn: ({ signal }) => client.call(contract.deploys.read, { params: { slug, id }, signal }),
    // Beside what is told while it runs: that may have ended, with the session perhaps.
    refetchInterval: ({ state }) => (state.data !== undefined && isUnderWay(state.data) ? lookEveryMs : false),
  })
}

/** @param against absent: what was live before. @param path only this file */
export function deployDiffQuery(slug: string, id: string, { against, path }: { against?: string; path?: string } = {}) {
  return queryOptions({
    queryKey: [...deploysKey(slug), 'one', id, 'diff', against ?? '', path ?? ''],
    queryFn: ({ signal }) =>
      client.call(contract.deploys.diff, {
        params: { slug, id },
        query: { ...(against === undefined ? {} : { against }), ...(path === undefined ? {} : { path }) },
        signal,
      }),
    // Commits do not change.
    staleTime: Infinity,
  })
}

/** A file of main as it was at a commit: that does not change. */
export function fileAtQuery(slug: string, path: string, commit: string) {
  return queryOptions({
    queryKey: ['project', slug, 'files', path, commit],
    queryFn: ({ signal }) => client.call(contract.files.read, { params: { slug, path }, query: { commit }, signal }),
    staleTime: Infinity,
  })
}

/** Of more, a branch is not the place to mend them: each is asked for by itself. */
const mostFiles = 50

/**
 * What a deploy that did not go live changed of the text files: a branch of main has them with these changes.
 *
 * @throws Failure `not_found` when its commit is not kept any more, `request_too_large` for too many or too large files
 */
export async function changesOfDeploy(slug: string, id: string): Promise<BranchChange[]> {
  const { base, files } = await queryClient.fetchQuery(deployDiffQuery(slug, id))
  const texts = files.filter(({ binary }) => !binary)
  if (texts.length > mostFiles) throw tooMuch(`${texts.length} files; ${mostFiles} can be taken over`)
  const changes: BranchChange[] = []
  for (const { path, oldPath, status, oldOid, truncated, hunks } of texts) {
    if (oldPath !== undefined) changes.push({ path: oldPath, content: null })
    if (status === 'deleted') {
      changes.push({ path, content: null })
      continue
    }
    const alone = truncated ? (await queryClient.fetchQuery(deployDiffQuery(slug, id, { path }))).files[0] : undefined
    if (truncated && alone?.truncated !== false) throw tooMuch(`more of ${path} than can be taken over`)
    const before =
      oldOid === undefined || base === undefined
        ? ''
        : (await queryClient.fetchQuery(fileAtQuery(slug, oldPath ?? path, base))).content
    changes.push({ path, content: patched(before, alone?.hunks ?? hunks) })
  }
  return changes
}

function tooMuch(words: string): Failure {
  return new Failure('request_too_large', `The deploy changed ${words}.`, {
    hint: 'Mend it where its files come from, and deploy again.',
  })
}

export function rollback(slug: string, deployId: string): Promise<Deploy> {
  return client.call(contract.deploys.rollback, { params: { slug }, body: { deployId } })
}

/** What is known of a deploy under way. */
export interface DeployProgress {
  /** The stage that it is in. */
  readonly stage?: DeployStage
  readonly pages?: { readonly done: number; readonly total: number }
}

const reconnectMs = 1_500

/** Follows a deploy until it ends; then all that is known of deploys is read anew. */
export function useDeployProgress(slug: string, deploy: Deploy): DeployProgress {
  const queries = useQueryClient()
  const [progress, setProgress] = useState<DeployProgress>({})
  const isRunning = isUnderWay(deploy)
  const { id } = deploy
  useEffect(() => {
    if (!isRunning) return undefined
    const stop = new AbortController()
    const tell = (event: DeployEvent): void => {
      if (event.type === 'progress') setProgress((now) => ({ ...now, pages: { done: event.done, total: event.total } }))
      if (event.type === 'stage') setProgress((now) => ({ ...now, stage: event.stage }))
      if (event.type !== 'done') return
      queries.setQueryData(deployQuery(slug, id).queryKey, event.deploy)
      void queries.invalidateQueries({ queryKey: projectQuery(slug).queryKey })
    }
    void follow(slug, id, { signal: stop.signal, tell })
    return () => {
      stop.abort()
      // Its end may have been seen by looking at the list, before it was told here.
      void queries.invalidateQueries({ queryKey: projectQuery(slug).queryKey })
    }
  }, [slug, id, isRunning, queries])
  return progress
}

/** All that is told until the end, also when the connection breaks in between: what was missed is told again. */
async function follow(
  slug: string,
  id: string,
  { signal, tell }: { readonly signal: AbortSignal; readonly tell: (event: DeployEvent) => void },
): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const event of client.events<DeployEvent>(contract.deploys.events, { params: { slug, id }, signal })) {
        if (signal.aborted) return
        tell(event)
        if (event.type === 'done') return
      }
    } catch (error) {
      if (signal.aborted) return
      // The page, which goes on to ask for the deploy itself, says why.
      if (!isFailure(error, 'unavailable', 'rate_limited') && !(error instanceof TypeError)) return
    }
    await new Promise((resolve) => setTimeout(resolve, reconnectMs))
  }
}
