import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { diskFileSystem, readIfThere } from '../../lib/durable-file.ts'
import { documentOf, fileOf, projectIdOf, startsFile } from '../documents/document-files.ts'
import { DamagedDocument, decode } from '../documents/envelope.ts'
import { documentEntry, Inventory, inventoryFile, readInventory, type InventoryOptions } from '../inventory.ts'
import { streamNames } from '../records.ts'
import { filesBelow } from './reading.ts'

/** What an inventory lists of a project: files of records with their lengths, and texts that no document names. */
const isRecords = new RegExp(`^(?:${streamNames.join('|')})/\\d{8,15}(?:-\\d+)?\\.jsonl$`)
const isText = /^[a-z]+\.json$/

/**
 * What a data directory without an inventory has, as the entries of one: of a version before there were any, of a
 * restored backup, and where the file is lost.
 */
async function surveyed(directory: string): Promise<Map<string, number>> {
  const entries = new Map<string, number>()
  const documents = (await readdir(directory)).map(documentOf).filter((name) => name !== null)
  for (const document of documents) {
    const file = fileOf(document)
    const text = (await readIfThere(diskFileSystem, join(directory, file))) ?? ''
    entries.set(documentEntry(document), revisionIn(text, document, file))
    const projectId = projectIdOf(document)
    if (projectId === null) continue
    const folder = join(directory, projectId)
    for (const path of await filesBelow(folder)) {
      if (isRecords.test(path)) entries.set(`${projectId}/${path}`, (await stat(join(folder, path))).size)
      else if (isText.test(path)) entries.set(`${projectId}/${path}`, 0)
    }
  }
  return entries
}

/** The inventory of a data directory that this process has locked; made anew of what is there where it is not whole. */
export async function openInventory(
  directory: string,
  options: InventoryOptions & { readonly warn?: (message: string) => void } = {},
): Promise<Inventory> {
  const read = await readInventory(directory)
  if (read.problem === null) return new Inventory(directory, read, options)
  const entries = await surveyed(directory)
  if (entries.size > 0)
    options.warn?.(
      `the list of what must be there (${inventoryFile}) ${read.problem}: it is made anew of what is there`,
    )
  const inventory = new Inventory(directory, { ...read, entries: new Map([...entries, ...read.entries]) }, options)
  const starts = Number(await readIfThere(diskFileSystem, join(directory, startsFile)))
  inventory.begin(Math.max(read.start, Number.isSafeInteger(starts) ? starts : 0))
  // At once: that there is none at all is a loss, also when this process dies in its first moments.
  await inventory.flush().catch((error: unknown) => options.onError?.(error))
  return inventory
}

/** 0 for one that cannot be read: it must be there all the same. */
function revisionIn(text: string, document: string, file: string): number {
  try {
    return decode(text, document, file).revision
  } catch (error) {
    if (error instanceof DamagedDocument) return 0
    throw error
  }
}
