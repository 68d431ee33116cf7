import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { nullIfMissing } from '../../lib/disk.ts'
import { fileOf } from '../documents/document-files.ts'
import type { Envelope } from '../documents/envelope.ts'
import { documentEntry, inventoryFile, type ReadInventory } from '../inventory.ts'
import type { FaultReport } from './reading.ts'

interface Compared {
  readonly inventory: ReadInventory
  readonly report: FaultReport
}

/** Looks whether the files of a project are there that must be, and are as long as they were. */
export async function checkListed(
  directory: string,
  projectId: string,
  { inventory, report }: Compared,
): Promise<void> {
  const prefix = `${projectId}/`
  for (const [name, least] of inventory.entries) {
    if (!name.startsWith(prefix)) continue
    const path = name.slice(prefix.length)
    const found = await stat(join(directory, name)).catch(nullIfMissing)
    if (found === null) report.problem(path, 'is missing')
    else if (found.size < least) report.problem(path, `has ${found.size} bytes, and had ${least}: the newest are lost`)
  }
}

/** Looks whether a document is as new as it was. */
export function checkRevision(document: string, { revision }: Envelope, { inventory, report }: Compared): void {
  const least = inventory.entries.get(documentEntry(document)) ?? 0
  if (revision >= least) return
  report.problem(
    fileOf(document),
    `is an older version: its revision is ${revision}, and there was ${least}`,
    'If you did not put it there, restore the newest backup. The service goes on with what it says.',
  )
}

/** Looks for documents that are gone; and at the inventory itself, in a directory that has one. */
export function checkInventory(
  documents: ReadonlySet<string>,
  { sealed, starts }: { readonly sealed: boolean; readonly starts: number | null },
  { inventory, report }: Compared,
): void {
  const { problem, start, entries } = inventory
  const next = 'The next start makes it anew of what is there; what else is lost cannot be told.'
  if (problem !== null && sealed) report.problem(inventoryFile, problem, next)
  else if (problem === null && starts !== null && start < starts)
    report.note(inventoryFile, 'is older than the last start', 'The next start brings it up to date.')
  const prefix = documentEntry('')
  for (const [name, revision] of entries) {
    if (!name.startsWith(prefix)) continue
    const document = name.slice(prefix.length)
    if (!documents.has(document))
      report.problem(fileOf(document), `is missing; its last revision was ${revision}`, putBack)
  }
}

export const putBack = 'Run quire admin restore-document with its name, or restore it from a backup.'
