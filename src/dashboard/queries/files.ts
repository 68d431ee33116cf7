import { queryOptions } from '@tanstack/react-query'
import type { BranchChange, BranchFileContent, BranchRender, SavedFile } from '../../contract/branches.ts'
import type { Check } from '../../contract/checks.ts'
import { contract } from '../../contract/index.ts'
import { eachConfigFile } from '../../authoring/config-files.ts'
import { client, isFailure } from '../client.ts'
import { listQuery } from './list.ts'
import { queryClient } from './query-client.ts'

/** A branch of a project: where files are. */
export interface Place {
  readonly slug: string
  readonly id: string
}

const keyOf = ({ slug, id }: Place) => ['project', slug, 'branches', id] as const

/** All files of a branch, with what the branch did to them. */
export function filesQuery(place: Place) {
  return queryOptions({
    queryKey: [...keyOf(place), 'files'],
    queryFn: ({ signal }) => client.call(contract.branches.files, { params: { ...place }, signal }),
  })
}

/** A file of the configuration. */
export interface ConfigText {
  readonly path: string
  readonly text: string
}

/** docs.json, and what it includes. */
export function configQuery(place: Place) {
  return queryOptions({
    queryKey: [...keyOf(place), 'config'],
    queryFn: async ({ signal }) => {
      const texts: ConfigText[] = []
      const read = async (path: string): Promise<string | undefined> => {
        try {
          return (await readFile(place, path, signal)).content
        } catch (error) {
          if (isFailure(error, 'not_found')) return undefined
          throw error
        }
      }
      await eachConfigFile(read, (path, text) => void texts.push({ path, text }))
      return texts
    },
  })
}

/** Commits that touched a file, newest first, also from when it had another name. */
export function fileHistoryQuery(place: Place, path: string) {
  return listQuery([...keyOf(place), 'history', path], (cursor, signal) =>
    client.call(contract.branches.history, { params: { ...place }, query: { path, limit: 20, ...cursor }, signal }),
  )
}

/** What pages may use; another one only with another version of the service. */
export const componentsQuery = queryOptions({
  queryKey: ['components'],
  queryFn: ({ signal }) => client.call(contract.components.list, { signal }),
  staleTime: Infinity,
})

export function readFile(place: Place, path: string, signal?: AbortSignal): Promise<BranchFileContent> {
  return client.call(contract.branches.readFile, { params: { ...place, path }, ...(signal && { signal }) })
}

/** Who saved a file last: name, or address where there is none. Undefined: nobody on this branch or main. */
export async function lastAuthor(place: Place, path: string): Promise<{ name: string; email: string } | undefined> {
  const { items } = await client.call(contract.branches.history, { params: { ...place }, query: { path, limit: 1 } })
  return items[0]?.author
}

/** @param oid what it is now, as far as its author knows; null: there is none yet. @throws Failure `stale_file` */
export async function saveFile(
  place: Place,
  path: string,
  body: { readonly content: string; readonly encoding?: 'base64'; readonly message?: string },
  oid: string | null,
): Promise<SavedFile> {
  const saved = await client.call(contract.branches.saveFile, {
    params: { ...place, path },
    headers: oid === null ? { 'if-none-match': '*' } : { 'if-match': `"${oid}"` },
    body,
  })
  branchChanged(place)
  return saved
}

export async function removeFile(place: Place, path: string, oid: string): Promise<SavedFile> {
  const removed = await client.call(contract.branches.removeFile, {
    params: { ...place, path },
    headers: { 'if-match': `"${oid}"` },
  })
  branchChanged(place)
  return removed
}

/** One commit. */
export async function commitFiles(place: Place, message: string, changes: BranchChange[]) {
  const made = await client.call(contract.branches.commit, { params: { ...place }, body: { message, changes } })
  branchChanged(place)
  return made
}

export function searchFiles(place: Place, q: string, limit: number) {
  return client.call(contract.branches.search, { params: { ...place }, query: { q, limit } })
}

/** A page with a text that is not saved. @param signal ends it: only the newest text counts */
export function renderPage(place: Place, path: string, content: string, signal: AbortSignal): Promise<BranchRender> {
  return client.call(contract.branches.render, { params: { ...place }, body: { path, content }, signal })
}

/** What the preview would say of a branch with a text that is not saved, dead links included. */
export function checkFile(place: Place, path: string, content: string, signal: AbortSignal): Promise<Check> {
  const body = { changes: [{ path, content }] }
  return client.call(contract.branches.check, { params: { ...place }, body, signal })
}

/** What was read of a branch is old: its files, what it changed, its preview. */
export function branchChanged(place: Place): void {
  void queryClient.invalidateQueries({ queryKey: keyOf(place) })
}
