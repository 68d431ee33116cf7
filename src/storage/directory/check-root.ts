import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../../contract/failure.ts'
import { isSlug } from '../../contract/patterns.ts'
import { nullIfMissing } from '../../lib/disk.ts'
import { diskFileSystem, isTemporary, readIfThere } from '../../lib/durable-file.ts'
import { decode } from '../documents/envelope.ts'
import { documentOf, fileOf, projectIdOf, startsFile } from '../documents/document-files.ts'
import type { FaultReport } from './reading.ts'

/** Where the process that has locked the directory answers an operator. */
export const socketName = '.admin.sock'
/** What who asks there has to show. */
export const keyName = '.admin.key'
/** The last two stand in `repos/` of a checkout: its page, and the data of `npm run demo`. */
const own = new Set(['.lock', startsFile, socketName, keyName, 'lost+found', 'README.md', '.demo'])
/** Left by a process that was killed: a start of the service removes them. */
const leftover = /^\.(?:new|removed|admin)-/
const unfinishedRestore = /^\.restoring-/
const atStart = 'The next start of the service removes it.'

/** Looks at everything that is no project's. Returns how many documents it read. */
export async function checkRoot(directory: string, report: FaultReport): Promise<number> {
  const names = await readdir(directory)
  const files = names.filter((name) => documentOf(name) !== null)
  const projects = new Set<string>()
  let documents = 0
  for (const document of files.map(documentOf).filter((name) => name !== null)) {
    const projectId = projectIdOf(document)
    if (projectId !== null) {
      projects.add(projectId)
      continue
    }
    const text = await readIfThere(diskFileSystem, join(directory, fileOf(document)))
    if (text === null) continue
    documents += 1
    decodeDocument(document, text, report)
  }
  for (const name of names) if (!files.includes(name)) await checkName(directory, name, { projects, report })
  await checkStarts(directory, projects.size > 0 || documents > 0, report)
  return documents
}

async function checkName(
  directory: string,
  name: string,
  { projects, report }: { readonly projects: ReadonlySet<string>; readonly report: FaultReport },
): Promise<void> {
  if (own.has(name)) return
  if (leftover.test(name) || isTemporary(name))
    return report.note(name, 'is left by a process that was killed', atStart)
  if (unfinishedRestore.test(name))
    return report.problem(
      name,
      'a restore did not come to its end: this directory is not whole',
      'Empty the directory, and restore the backup again.',
    )
  const found = await stat(join(directory, name)).catch(nullIfMissing)
  if (found === null) return
  const projectId = name.endsWith('.git') ? name.slice(0, -'.git'.length) : name
  if (!found.isDirectory() || !isSlug(projectId))
    return report.note(name, 'is not a file of Quire', 'Move it away if nobody needs it.')
  if (projects.has(projectId)) return
  report.problem(
    name,
    `belongs to a project ${projectId} that has no document`,
    `Restore ${projectId}.json from a backup; or remove ${name}, when the project was to be removed.`,
  )
}

/** Fences of locks grow with this number: without it an old holder could be taken for a new one. */
async function checkStarts(directory: string, used: boolean, report: FaultReport): Promise<void> {
  const text = await readIfThere(diskFileSystem, join(directory, startsFile))
  if (text === null && !used) return
  if (text === null || !/^\d+\n?$/.test(text))
    report.problem(startsFile, text === null ? 'is missing' : 'does not hold the number of starts')
}

/** The document in the text of its file. Null when that is damaged, which is a problem. */
export function decodeDocument(document: string, text: string, report?: FaultReport): unknown {
  const file = fileOf(document)
  try {
    return decode(text, document, file).document ?? null
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    report?.problem(file, error.message, error.hint)
    return null
  }
}
