import { queryOptions } from '@tanstack/react-query'
import type { BranchChange, BranchFileContent, BranchRender, SavedFile } from '../../contract/branches.ts'
import type { Check } from '../../contract/checks.ts'
import { contract } from '../../contract/index.ts'
import { eachConfigFile } from '../../authoring/config-files.ts'
import { client, isFailure } from '../client.ts'
import { listQuery } from './list.ts'
import { queryClient } from '../query-client.ts'

/** A branch of a project: where files are. */
export interface BranchRef {
  readonly slug: string
  readonly id: string
}

const keyOf = ({ slug, id }: BranchRef) => ['project', slug, 'branches', id] as const

/** All files of a branch, with what the branch did to them. */
export function filesQuery(branchRef: BranchRef) {
  return queryOptions({
    queryKey: [...keyOf(branchRef), 'files'],
    queryFn: ({ signal }) => client.call(contract.branches.files, { params: { ...branchRef }, signal }),
  })
}

/** A file of the configuration. */
export interface ConfigText {
  readonly path: string
  readonly text: string
}

/** docs.json, and what it includes. */
export function configQuery(branchRef: BranchRef) {
  return queryOptions({
    queryKey: [...keyOf(branchRef), 'config'],
    queryFn: async ({ signal }) => {
      const texts: ConfigText[] = []
      const read = async (path: string): Promise<string | undefined> => {
        try {
          return (await readFile(branchRef, path, signal)).content
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
export function fileHistoryQuery(branchRef: BranchRef, path: string) {
  return listQuery([...keyOf(branchRef), 'history', path], (cursor, signal) =>
    client.call(contract.branches.history, { params: { ...branchRef }, query: { path, limit: 20, ...cursor }, signal }),
  )
}

/** What pages may use; another one only with another version of the service. */
export const componentsQuery = queryOptions({
  queryKey: ['components'],
  queryFn: ({ signal }) => client.call(contract.components.list, { signal }),
  staleTime: Infinity,
})

export function readFile(branchRef: BranchRef, path: string, signal?: AbortSignal): Promise<BranchFileContent> {
  return client.call(contract.branches.readFile, { params: { ...branchRef, path }, ...(signal && { signal }) })
}

/** Who saved a file last: name, or address where there is none. Undefined: nobody on this branch or main. */
export async function lastAuthor(
  branchRef: BranchRef,
  path: string,
): Promise<{ name: string; email: string } | undefined> {
  const { items } = await client.call(contract.branches.history, {
    params: { ...branchRef },
    query: { path, limit: 1 },
  })
  return items[0]?.author
}

/** @param oid what it is now, as far as its author knows; null: there is none yet. @throws Failure `stale_file` */
export async function saveFile(
  branchRef: BranchRef,
  path: string,
  body: { readonly content: string; readonly encoding?: 'base64'; readonly message?: string },
  oid: string | null,
): Promise<SavedFile> {
  const saved = await client.call(contract.branches.saveFile, {
    params: { ...branchRef, path },
    headers: oid === null ? { 'if-none-match': '*' } : { 'if-match': `"${oid}"` },
    body,
  })
  branchChanged(branchRef)
  return saved
}

export async function removeFile(branchRef: BranchRef, path: string, oid: string): Promise<SavedFile> {
  const removed = await client.call(contract.branches.removeFile, {
    params: { ...branchRef, path },
    headers: { 'if-match': `"${oid}"` },
  })
  branchChanged(branchRef)
  return removed
}

/** One commit. */
export async function commitFiles(branchRef: BranchRef, message: string, changes: BranchChange[]) {
  const made = await client.call(contract.branches.commit, { params: { ...branchRef }, body: { message, changes } })
  branchChanged(branchRef)
  return made
}

export function searchFiles(branchRef: BranchRef, q: string, limit: number) {
  return client.call(contract.branches.search, { params: { ...branchRef }, query: { q, limit } })
}

/** A page with a text that is not saved. @param signal ends it: only the newest text counts */
export function renderPage(
  branchRef: BranchRef,
  path: string,
  content: string,
  signal: AbortSignal,
): Promise<BranchRender> {
  return client.call(contract.branches.render, { params: { ...branchRef }, body: { path, content }, signal })
}

/** What the preview would say of a branch with a text that is not saved, dead links included. */
export function checkFile(branchRef: BranchRef, path: string, content: string, signal: AbortSignal): Promise<Check> {
  const body = { changes: [{ path, content }] }
  return client.call(contract.branches.check, { params: { ...branchRef }, body, signal })
}

/** What was read of a branch is old: its files, what it changed, its preview. */
export function branchChanged(branchRef: BranchRef): void {
  void queryClient.invalidateQueries({ queryKey: keyOf(branchRef) })
}
