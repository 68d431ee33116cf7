import type { Repository } from '#content/repository.ts'
import { author } from '#test/support/content/support.ts'

/** A new, empty repository of the adapter that is looked at. */
export type Open = () => Promise<Repository>

export type Contents = Readonly<Record<string, string | Buffer>>

/** Content by path; null deletes. */
export type Edits = Readonly<Record<string, string | Buffer | null>>

export const text = (count: number, change: Readonly<Record<number, string>> = {}): string =>
  Array.from({ length: count }, (_, index) => `${change[index] ?? `line ${index}`}\n`).join('')

/** Makes a commit of exactly these files. */
export async function commit(
  repository: Repository,
  contents: Contents,
  parent: string | null = null,
): Promise<string> {
  const files = Object.entries(contents).map(([path, content]) => ({ path, content: Buffer.from(content) }))
  return (await repository.replaceTree({ files, parent, author, message: 'Deploy' })).commit
}

export function edited(contents: Contents, edits: Edits): Contents {
  const left = Object.entries({ ...contents, ...edits }).filter(([, content]) => content !== null)
  return Object.fromEntries(left) as Contents
}

/** A base, then main and branch each with their edits on it. */
export async function fork(
  open: Open,
  base: Contents,
  main: Edits,
  branch: Edits,
): Promise<{ repository: Repository; base: string; main: string; branch: string }> {
  const repository = await open()
  const start = await commit(repository, base)
  return {
    repository,
    base: start,
    main: await commit(repository, edited(base, main), start),
    branch: await commit(repository, edited(base, branch), start),
  }
}

/** What a tree or a commit holds, as text in which every byte is a character. */
export async function contentsOf(repository: Repository, treeish: string | null): Promise<Record<string, string>> {
  const files = [...(await repository.readTree(treeish ?? ''))]
  const read = files.map(
    async ([path, file]) => [path, (await repository.readBlob(file.oid)).toString('latin1')] as const,
  )
  return Object.fromEntries(await Promise.all(read))
}
