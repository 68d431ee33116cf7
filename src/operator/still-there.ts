import { join } from 'node:path'
import { projectDocument, type ProjectDocument } from '../access/projects.ts'
import { Failure } from '../contract/failure.ts'
import { diskFileSystem, readIfThere } from '../lib/durable-file.ts'
import { decode } from '../storage/envelope.ts'
import { fileOf } from '../storage/names.ts'

/**
 * Whether a project was not removed since its document was read; another one may have its name by now. The document goes
 * first: while it is there, nothing else of the project was missing.
 *
 * @param before text of the document's file.
 */
export async function isStillThere(directory: string, slug: string, before: string): Promise<boolean> {
  const now = await readIfThere(diskFileSystem, join(directory, fileOf(projectDocument(slug))))
  return now !== null && madeAt(now, slug) === madeAt(before, slug)
}

/** Undefined for a document that is damaged: nobody has removed that one. */
function madeAt(text: string, slug: string): string | undefined {
  const name = projectDocument(slug)
  try {
    return (decode(text, name, fileOf(name)).document as Partial<ProjectDocument> | null)?.createdAt
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}
