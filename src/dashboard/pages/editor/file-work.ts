import { configFilesOf, filesMentioning } from '#authoring/linking-files.ts'
import { mendLinks, Moves } from '#authoring/links.ts'
import { freePath, isImage, isPage, pathTrouble, slugOf } from '#authoring/page-paths.ts'
import type { BranchChange, BranchFileContent } from '#contract/branches.ts'
import { Failure } from '#contract/failure.ts'
import type { ProjectFile } from '#contract/files.ts'
import { limits } from '#contract/limits.ts'
import { searchLimits } from '#contract/searches.ts'
import { isFailure } from '../../client.ts'
import type { FileDraft } from '../../drafts/file-draft.ts'
import type { FileDrafts } from '../../drafts/file-drafts.ts'
import { commitFiles, readFile, removeFile, saveFile, searchFiles, type BranchRef } from '../../queries/files.ts'
import { isOnlyDraft } from './unsaved.ts'

/** Files and bytes that go in one commit from here; what is more goes by Git. */
const commitLimits = { files: 300, bytes: 6 * 1024 * 1024 } as const
const maxConcurrentRequests = 6

type Content = Pick<BranchFileContent, 'oid' | 'content' | 'encoding'>

/** A file before and after; null: there is none. */
interface Edit {
  readonly path: string
  readonly before: Content | null
  readonly after: Pick<BranchFileContent, 'content' | 'encoding'> | null
}

type Undo = () => Promise<void>

/** The files of a branch, and the texts that are here alone. */
export interface Files {
  readonly branchRef: BranchRef
  readonly files: readonly ProjectFile[]
  readonly drafts: FileDrafts
}

/** All of it in one commit. @returns takes it back, unless somebody has changed these files since */
async function commit(branchRef: BranchRef, message: string, edits: readonly Edit[]): Promise<Undo> {
  if (edits.length === 0) return () => Promise.resolve()
  const { files } = await commitFiles(
    branchRef,
    message,
    edits.map(({ path, before, after }) => changeTo(path, after, before?.oid ?? null)),
  )
  const now = new Map(files.map(({ path, oid }) => [path, oid]))
  return async () => {
    await commitFiles(
      branchRef,
      `Undo: ${message}`,
      edits.map(({ path, before }) => changeTo(path, before, now.get(path) ?? null)),
    )
  }
}

function changeTo(path: string, to: Edit['after'], expectedOid: string | null): BranchChange {
  if (to === null) return { path, content: null, expectedOid }
  return { path, content: to.content, encoding: to.encoding, expectedOid }
}

/** The files of a path; of a folder, with a slash at its end, all that are in it. */
export function filesAt(files: readonly ProjectFile[], path: string): ProjectFile[] {
  return files.filter(
    (file) => file.status !== 'deleted' && (path.endsWith('/') ? file.path.startsWith(path) : file.path === path),
  )
}

export const isThere = (files: readonly ProjectFile[], path: string): boolean =>
  files.some((file) => file.path === path && file.status !== 'deleted')

/** @throws Failure `invalid_path` where nothing can be made at a path; it points at the field `path` of a form */
export function refuseTrouble(files: readonly ProjectFile[], path: string): void {
  const trouble = pathTrouble(path) ?? (isThere(files, path) ? `There is a ${path} already.` : undefined)
  if (trouble !== undefined)
    throw new Failure('invalid_path', trouble, { errors: [{ pointer: '/path', message: trouble }] })
}

function refuseMuch(files: readonly ProjectFile[], what: string): void {
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  if (files.length <= commitLimits.files && bytes <= commitLimits.bytes) return
  throw new Failure('request_too_large', `That is too much to ${what} at once.`, {
    hint: `Up to ${commitLimits.files} files with ${commitLimits.bytes / 1024 / 1024} MB together go at a time: take a folder in it, or use Git.`,
  })
}

/** @throws Failure `request_too_large`: nothing is moved rather than links left dead */
function refuseManyLinks(files: readonly ProjectFile[], edits: readonly Edit[]): void {
  const changed = new Set(edits.map(({ path }) => path))
  const bytes = files.reduce((sum, { path, size }) => sum + (changed.has(path) ? size : 0), 0)
  if (bytes <= commitLimits.bytes) return
  throw new Failure('request_too_large', 'The pages with links to it are too much to save at once.', {
    hint: 'Nothing was moved. Move it in the terminal, with `quire`: it takes as many commits as there have to be.',
  })
}

function textOf(file: Content | undefined): string | undefined {
  return file?.encoding === 'utf-8' ? file.content : undefined
}

/** What somebody has deleted a moment ago leads nowhere. */
function unlessGone(error: unknown): undefined {
  if (!isFailure(error, 'not_found')) throw error
}

/** Paths with texts that are here alone; a browser that keeps nothing has none. */
function draftedPaths(drafts: FileDrafts): Promise<ReadonlySet<string>> {
  return drafts.paths().catch(() => new Set<string>())
}

/** In order, a few at a time. */
async function each<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (let at = 0; at < items.length; at += maxConcurrentRequests)
    results.push(...(await Promise.all(items.slice(at, at + maxConcurrentRequests).map(work))))
  return results
}

/** With what is written there and not saved. */
export async function removeAll({ branchRef, files, drafts }: Files, path: string): Promise<Undo> {
  const going = filesAt(files, path)
  refuseMuch(going, 'delete')
  const unsaved = await draftedPaths(drafts)
  const saved = going.filter((file) => !isOnlyDraft(file))
  const edits = await each(saved, async ({ path: file }): Promise<Edit> => {
    return { path: file, before: await readFile(branchRef, file), after: null }
  })
  const undo = await commit(branchRef, `Delete ${path}`, edits)
  const written = going.filter((file) => unsaved.has(file.path))
  const taken = await each(written, async (file): Promise<[string, FileDraft | undefined]> => {
    return [file.path, await drafts.take(file.path)]
  })
  return async () => {
    await undo()
    // What was written there since stays.
    for (const [at, draft] of taken) if (draft !== undefined) await drafts.keep(at, draft, undefined)
  }
}

export interface Moved {
  readonly links: number
  /** Files, where they are now, with links that were left as they are: their text is not saved. */
  readonly left: readonly string[]
  readonly undo: Undo
}

/**
 * Moves a file or a folder, and lets the links to what is in it lead to where that is.
 * @param to a folder’s has a slash at its end, too
 */
export async function moveAll({ branchRef, files, drafts }: Files, from: string, to: string): Promise<Moved> {
  const going = filesAt(files, from)
  refuseMuch(going, 'move')
  const pairs = going.map(({ path }) => [path, to + path.slice(from.length)] as const)
  const present = files.filter(({ status }) => status !== 'deleted').map(({ path }) => path)
  const moves = new Moves(pairs, present)
  const unsaved = await draftedPaths(drafts)
  const read = (path: string): Promise<Content | undefined> => readFile(branchRef, path).catch(unlessGone)
  const config = await configFilesOf(present, async (path) => textOf(await read(path)))
  const leading = await filesMentioning(from, { present, config }, (q) =>
    searchFiles(branchRef, q, searchLimits.matches),
  )
  const left: string[] = []
  let links = 0
  /** @param now where it is afterwards */
  const mend = (path: string, now: string, text: string): string | undefined => {
    const mended = mendLinks(text, path, moves)
    if (mended.count === 0) return undefined
    if (unsaved.has(path)) {
      left.push(now)
      return undefined
    }
    links += mended.count
    return mended.text
  }

  const drafted = new Set(going.filter(isOnlyDraft).map(({ path }) => path))
  const moving = await each(pairs, async ([path, next]): Promise<Edit[]> => {
    if (drafted.has(path)) return []
    const before = await readFile(branchRef, path)
    const text = isPage(path) || config.has(path) ? textOf(before) : undefined
    const content = (text === undefined ? undefined : mend(path, next, text)) ?? before.content
    return [
      { path, before, after: null },
      { path: next, before: null, after: { content, encoding: before.encoding } },
    ]
  })
  const others = leading.filter((path) => !moves.has(path))
  const mending = await each(others, async (path): Promise<Edit[]> => {
    const before = await read(path)
    const text = textOf(before)
    const content = text === undefined ? undefined : mend(path, path, text)
    return before === undefined || content === undefined
      ? []
      : [{ path, before, after: { content, encoding: before.encoding } }]
  })
  const edits = [...moving, ...mending].flat()
  refuseManyLinks(files, edits)
  const undo = await commit(branchRef, `Move ${from} to ${to}`, edits)
  await moveDrafts(drafts, pairs)
  return {
    links,
    left,
    undo: async () => {
      await undo()
      // Also what was begun since.
      await moveDrafts(
        drafts,
        pairs.map(([path, next]) => [next, path] as const),
      )
    },
  }
}

async function moveDrafts(drafts: FileDrafts, pairs: readonly (readonly [from: string, to: string])[]): Promise<void> {
  const unsaved = await draftedPaths(drafts)
  await each(
    pairs.filter(([from]) => unsaved.has(from)),
    ([from, to]) => drafts.move(from, to),
  )
}

/** A file of the writer’s computer, under a name that is free. @returns its path, and what takes it back */
export async function uploadFile(
  branchRef: BranchRef,
  file: File,
  { folder, isTaken }: { readonly folder: string; readonly isTaken: (path: string) => boolean },
): Promise<{ readonly path: string; readonly undo: Undo }> {
  if (file.size > limits.fileBytes) {
    throw new Failure('file_too_large', `${file.name} has ${megabytes(file.size)} MB.`, {
      hint: `A file may have ${megabytes(limits.fileBytes)} MB. Make it smaller, and add it again.`,
    })
  }
  const dot = file.name.lastIndexOf('.')
  const ending = dot > 0 ? file.name.slice(dot).toLowerCase() : ''
  const name = slugOf(dot > 0 ? file.name.slice(0, dot) : file.name) || 'file'
  const content = await base64Of(file)
  const refused = new Set<string>()
  for (;;) {
    const path = freePath(`${folder}${name}${ending}`, (one) => refused.has(one) || isTaken(one))
    try {
      const { oid } = await saveFile(branchRef, path, { content, encoding: 'base64', message: `Add ${path}` }, null)
      return {
        path,
        undo: async () => {
          if (oid !== null) await removeFile(branchRef, path, oid)
        },
      }
    } catch (error) {
      // Somebody took the name a moment ago.
      if (!isFailure(error, 'stale_file')) throw error
      refused.add(path)
    }
  }
}

export function isUploadedImage(file: File): boolean {
  return file.type.startsWith('image/') && isImage(file.name)
}

function megabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1).replace(/\.0$/, '')
}

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => {
      const url = typeof reader.result === 'string' ? reader.result : ''
      resolve(url.slice(url.indexOf(',') + 1))
    })
    reader.addEventListener('error', () =>
      reject(
        new Failure('invalid_content', `${file.name} could not be read.`, { hint: 'Is it still there? Try again.' }),
      ),
    )
    reader.readAsDataURL(file)
  })
}
