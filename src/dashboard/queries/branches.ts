import { queryOptions } from '@tanstack/react-query'
import type { Branch, Preview, Resolution } from '../../contract/branches.ts'
import { Failure } from '../../contract/failure.ts'
import type { FileContent } from '../../contract/files.ts'
import { contract } from '../../contract/index.ts'
import { client } from '../client.ts'
import { listQuery } from './list.ts'

/** Milliseconds between two looks at what is being built. */
const soon = 1_000

export function isUnderWay({ status }: Pick<Preview, 'status'>): boolean {
  return status === 'queued' || status === 'building'
}

/** All that is known of a project’s branches. */
export function branchesKey(slug: string): readonly string[] {
  return ['project', slug, 'branches']
}

const readBranches = (slug: string) => (cursor: { readonly cursor?: string }, signal: AbortSignal) =>
  client.call(contract.branches.list, { params: { slug }, query: cursor, signal })

/** All branches of a project, page by page; looked at again while a preview of them is built. */
export function branchesQuery(slug: string) {
  return listQuery(
    ['project', slug, 'branches', 'list'],
    readBranches(slug),
    (items) => items.some(({ preview }) => isUnderWay(preview)) && soon,
  )
}

/** The newest few; looked at again as above. */
export function latestBranchesQuery(slug: string) {
  return queryOptions({
    queryKey: ['project', slug, 'branches', 'latest'],
    queryFn: ({ signal }) => client.call(contract.branches.list, { params: { slug }, query: { limit: 5 }, signal }),
    refetchInterval: ({ state }) =>
      state.data?.items.some(({ preview }) => isUnderWay(preview)) === true ? soon : false,
  })
}

/**
 * The list for somebody who looks for a branch by its name. Not under the key of the list: that is looked at each second
 * while a preview is built, with all pages that were ever brought.
 */
export function branchNamesQuery(slug: string) {
  return listQuery(['project', slug, 'branches', 'names'], readBranches(slug))
}

/** At most one: the branch of that name. */
export function branchByNameQuery(slug: string, name: string) {
  return queryOptions({
    queryKey: ['project', slug, 'branches', 'named', name],
    queryFn: ({ signal }) => client.call(contract.branches.list, { params: { slug }, query: { name }, signal }),
  })
}

export function branchQuery(slug: string, id: string) {
  return queryOptions({
    queryKey: ['project', slug, 'branches', id],
    queryFn: ({ signal }) => client.call(contract.branches.read, { params: { slug, id }, signal }),
    refetchInterval: ({ state }) =>
      state.error === null && state.data !== undefined && isUnderWay(state.data.preview) ? soon : false,
  })
}

/** Commits of a branch, newest first. */
export function branchHistoryQuery(slug: string, id: string) {
  return listQuery(['project', slug, 'branches', id, 'history'], (cursor, signal) =>
    client.call(contract.branches.history, { params: { slug, id }, query: { limit: 20, ...cursor }, signal }),
  )
}

/** @param commit only what this commit of the branch changed. @param path of one file alone */
export function branchDiffQuery(
  slug: string,
  id: string,
  { commit, path }: { readonly commit?: string | undefined; readonly path?: string } = {},
) {
  return queryOptions({
    queryKey: ['project', slug, 'branches', id, 'diff', commit, path],
    queryFn: ({ signal }) =>
      client.call(contract.branches.diff, {
        params: { slug, id },
        query: { ...(commit === undefined ? {} : { commit }), ...(path === undefined ? {} : { path }) },
        signal,
      }),
  })
}

/** A file as it was at a commit of the branch or of main: that does not change. */
export function branchFileAtQuery(slug: string, id: string, path: string, commit: string) {
  return queryOptions({
    queryKey: ['project', slug, 'files', path, commit],
    queryFn: ({ signal }): Promise<FileContent> =>
      client.call(contract.branches.readFile, { params: { slug, id, path }, query: { commit }, signal }),
    staleTime: Infinity,
  })
}

/** @param from name or id of another branch; absent: main */
export function createBranch(slug: string, body: { readonly name: string; readonly from?: string }): Promise<Branch> {
  return client.call(contract.branches.create, { params: { slug }, body })
}

export function removeBranch(slug: string, id: string): Promise<unknown> {
  return client.call(contract.branches.remove, { params: { slug }, query: { id } })
}

/** A file of main for as long as main has it so. @param oid its blob. @throws Failure `stale_file` when main has moved */
export function mainFileQuery(slug: string, path: string, oid: string) {
  return queryOptions({
    queryKey: ['project', slug, 'files', path, oid],
    queryFn: async ({ client: queries, signal }): Promise<FileContent> => {
      const file = await client.call(contract.files.read, { params: { slug, path }, signal })
      if (file.oid === oid) return file
      void queries.invalidateQueries({ queryKey: branchesKey(slug) })
      throw new Failure(
        'stale_file',
        `Main has moved: its ${path} is another one now. Decide and go on all the same: you are asked again, with the new one.`,
      )
    },
    staleTime: Infinity,
  })
}

/** Takes main’s changes into a branch. @throws Failure `merge_conflict` */
export function updateBranch(slug: string, id: string, resolutions: readonly Resolution[]): Promise<Branch> {
  return client.call(contract.branches.update, { params: { slug, id }, body: { resolutions: [...resolutions] } })
}
