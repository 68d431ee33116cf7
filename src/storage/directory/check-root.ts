import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../../contract/failure.ts'
import { isSlug } from '../../contract/patterns.ts'
import { nullIfMissing } from '../../lib/disk.ts'
import { diskFileSystem, isTemporary, readIfThere } from '../../lib/durable-file.ts'
import { soundnessOfText } from '../checksum.ts'
import { commonFolder, isCommonFile } from '../blobs/common.ts'
import { documentOf, fileOf, keptVersionOf, projectIdOf, startsFile } from '../documents/document-files.ts'
import { DamagedDocument, decode, type Envelope } from '../documents/envelope.ts'
import { formatFile } from '../format.ts'
import { inventoryFile, type ReadInventory } from '../inventory.ts'
import { checkInventory, checkRevision, putBack } from './check-listed.ts'
import type { FaultReport } from './reading.ts'

/** Where the process that has locked the directory answers an operator. */
export const socketName = '.admin.sock'
/** What who asks there has to show. */
export const keyName = '.admin.key'
/** The last two stand in `repos/` of a checkout: its page, and the data of `npm run demo`. */
const own = new Set([
  '.lock',
  commonFolder,
  startsFile,
  socketName,
  keyName,
  'lost+found',
  'README.md',
  '.demo',
  formatFile,
  inventoryFile,
])
/** Left by a process that was killed: a start of the service removes them. */
const leftover = /^\.(?:new|removed|admin)-/
const unfinishedRestore = /^\.restoring-/
const atStart = 'The next start of the service removes it.'

/** Looks at everything that is no project's. Returns how many documents it read. */
export async function checkRoot(directory: string, inventory: ReadInventory, report: FaultReport): Promise<number> {
  const names = await readdir(directory)
  const documents = new Set(names.map(documentOf).filter((name) => name !== null))
  const projects = new Set([...documents].map(projectIdOf).filter((id) => id !== null))
  let read = 0
  let sealed = false
  for (const document of documents) {
    const text = await readIfThere(diskFileSystem, join(directory, fileOf(document)))
    if (text === null) continue
    sealed ||= soundnessOfText(text) !== 'unsealed'
    if (projectIdOf(document) !== null) continue
    read += 1
    const envelope = decodeEnvelope(document, text, report)
    if (envelope !== null) checkRevision(document, envelope, { inventory, report })
  }
  for (const name of names) if (documentOf(name) === null) await checkName(directory, name, { projects, report })
  await checkCommon(join(directory, commonFolder), report)
  const starts = await checkStarts(directory, { used: documents.size > 0, inventory, report })
  checkInventory(documents, { sealed, starts }, { inventory, report })
  return read
}

/** Files that many projects have. What is damaged of them is told with each of those. */
async function checkCommon(folder: string, report: FaultReport): Promise<void> {
  for (const name of (await readdir(folder).catch(nullIfMissing)) ?? []) {
    const where = `${commonFolder}/${name}`
    const found = await stat(join(folder, name)).catch(nullIfMissing)
    if (isTemporary(name)) report.note(where, 'is left by a process that was killed', atStart)
    else if (!isCommonFile(name)) report.note(where, 'is not a file of Quire', 'Move it away if nobody needs it.')
    else if (found?.nlink === 1) report.note(where, 'is a file that no project has', atStart)
  }
}

async function checkName(
  directory: string,
  name: string,
  { projects, report }: { readonly projects: ReadonlySet<string>; readonly report: FaultReport },
): Promise<void> {
  if (own.has(name)) return
  const kept = keptVersionOf(name)
  if (kept?.kind === 'damaged')
    return report.note(name, 'is what could not be read of a document', 'Remove it when you do not need it.')
  if (kept?.kind === 'previous') {
    const text = await readIfThere(diskFileSystem, join(directory, name))
    if (text !== null && decodeEnvelope(kept.document, text) === null)
      report.note(name, 'cannot be read: it is the version before the last one', 'The next change replaces it.')
    return
  }
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

/**
 * Fences of locks grow with this number: without it an old holder could be taken for a new one. Returns it; null where it
 * is not known.
 */
async function checkStarts(
  directory: string,
  {
    used,
    inventory,
    report,
  }: { readonly used: boolean; readonly inventory: ReadInventory; readonly report: FaultReport },
): Promise<number | null> {
  const text = await readIfThere(diskFileSystem, join(directory, startsFile))
  if (text === null && !used) return null
  const next = inventory.start > 0 ? 'The next start makes it anew.' : undefined
  if (text === null || !/^\d+\n?$/.test(text)) {
    report.problem(startsFile, text === null ? 'is missing' : 'does not hold the number of starts', next)
    return null
  }
  const starts = Number(text)
  if (starts < inventory.start) report.problem(startsFile, `says ${starts}, and there were ${inventory.start}`, next)
  return starts
}

/** What is in the text of a document's file. Null when that is damaged, which is a problem. */
export function decodeEnvelope(document: string, text: string, report?: FaultReport): Envelope | null {
  const file = fileOf(document)
  try {
    return decode(text, document, file)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    report?.problem(file, error.message, error instanceof DamagedDocument ? putBack : error.hint)
    return null
  }
}

/** The document in the text of its file; null when that is damaged. */
export function decodeDocument(document: string, text: string): unknown {
  return decodeEnvelope(document, text)?.document ?? null
}
