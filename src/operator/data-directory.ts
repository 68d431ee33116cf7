import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { projectDocument, projectPrefix, type ProjectDocument } from '../projects/document.ts'
import type { Git } from '../content/git/git.ts'
import { Failure } from '../contract/failure.ts'
import { nullIfMissing } from '../lib/disk.ts'
import { diskFileSystem, readIfThere } from '../lib/durable-file.ts'
import { decode } from '../storage/documents/envelope.ts'
import { documentOf, fileOf } from '../storage/documents/document-files.ts'

/** A data directory as the operator's own process reads it. */
export interface DataDirectory {
  /** Absolute. */
  readonly directory: string
  readonly git: Git
}

/** Counts the starts of services. */
export const startsFile = '.starts'
/** Where the process that has locked the directory answers an operator. */
export const socketName = '.admin.sock'

/** Slugs of all projects in a data directory, sorted. */
export async function projectsOf(directory: string): Promise<string[]> {
  const documents = (await readdir(directory)).map(documentOf).filter((name) => name !== null)
  return documents
    .filter((name) => name.startsWith(projectPrefix))
    .map((name) => name.slice(projectPrefix.length))
    .sort()
}

/** Whether a file beside the projects' belongs into a backup. */
export function isServiceFile(file: string): boolean {
  if (file === startsFile) return true
  const document = documentOf(file)
  return document !== null && fileOf(document).startsWith('_')
}

/** Text of the file of a document; null where there is none. */
export function readDocumentFile(directory: string, document: string): Promise<string | null> {
  return readIfThere(diskFileSystem, join(directory, fileOf(document)))
}

/**
 * Whether a project was not removed since its document was read; another one may have its name by now. The document goes
 * first: while it is there, nothing else of the project was missing.
 *
 * @param before text of the document's file.
 */
export async function isSameProject(directory: string, slug: string, before: string): Promise<boolean> {
  const now = await readDocumentFile(directory, projectDocument(slug))
  return now !== null && createdAt(now, slug) === createdAt(before, slug)
}

/** Undefined for a document that is damaged: nobody has removed that one. */
function createdAt(text: string, slug: string): string | undefined {
  const name = projectDocument(slug)
  try {
    return (decode(text, name, fileOf(name)).document as Partial<ProjectDocument> | null)?.createdAt
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

/**
 * Paths of a folder's files, with the folder in front, sorted; none where there is no such folder. Those that are being
 * written, and hidden ones, are left out.
 */
export async function filesBelow(root: string, folder = ''): Promise<string[]> {
  const entries = (await readdir(join(root, folder), { withFileTypes: true }).catch(nullIfMissing)) ?? []
  const files: string[] = []
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.name.startsWith('.') || entry.name.endsWith('.tmp')) continue
    if (entry.isDirectory()) files.push(...(await filesBelow(root, path)))
    else if (entry.isFile()) files.push(path)
  }
  return files
}
