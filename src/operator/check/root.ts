import { readFile, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { projectPrefix } from '../../projects/document.ts'
import { Failure } from '../../contract/failure.ts'
import { isSlug } from '../../contract/patterns.ts'
import { nullIfMissing } from '../../lib/disk.ts'
import { isTemporary } from '../../lib/durable-file.ts'
import { decode } from '../../storage/documents/envelope.ts'
import { documentOf } from '../../storage/documents/document-files.ts'
import { socketName, startsFile } from '../data-directory.ts'
import { decodeDocument, type Findings } from './findings.ts'

/** The last two stand in `repos/` of a checkout: its page, and the data of `npm run demo`. */
const own = new Set(['.lock', startsFile, socketName, 'lost+found', 'README.md', '.demo'])
/** Left by a process that was killed: a start of the service removes them. */
const leftover = /^\.(?:new|removed|admin)-/
const unfinishedRestore = /^\.restoring-/
const atStart = 'The next start of the service removes it.'

/** Looks at everything that is no project's. Returns how many documents it read. */
export async function checkRoot(directory: string, findings: Findings): Promise<number> {
  const names = await readdir(directory)
  const files = names.filter((name) => documentOf(name) !== null)
  const slugs = new Set(
    files.map((file) => documentOf(file) ?? '').flatMap((name) => (isProject(name) ? [slugOf(name)] : [])),
  )
  let documents = 0
  for (const file of files.filter((name) => !isProject(documentOf(name) ?? ''))) {
    const text = await readIfPresent(join(directory, file))
    if (text === null) continue
    documents += 1
    decodeDocument(text, file, findings)
  }
  for (const name of names) if (!files.includes(name)) await checkName(directory, name, { slugs, findings })
  await checkStarts(directory, slugs.size > 0 || documents > 0, findings)
  return documents
}

/** Ids of all accounts; none where the document cannot be read, which checkRoot tells. */
export async function accountsOf(directory: string): Promise<ReadonlySet<string>> {
  const text = await readIfPresent(join(directory, '_service.json'))
  if (text === null) return new Set()
  try {
    const { document } = decode(text, 'service', '_service.json')
    return new Set(Object.keys((document as { accounts?: Record<string, unknown> }).accounts ?? {}))
  } catch (error) {
    if (error instanceof Failure) return new Set()
    throw error
  }
}

const isProject = (document: string): boolean => document.startsWith(projectPrefix)
const slugOf = (document: string): string => document.slice(projectPrefix.length)

async function checkName(
  directory: string,
  name: string,
  { slugs, findings }: { readonly slugs: ReadonlySet<string>; readonly findings: Findings },
): Promise<void> {
  if (own.has(name)) return
  if (leftover.test(name) || isTemporary(name))
    return findings.note(name, 'is left by a process that was killed', atStart)
  if (unfinishedRestore.test(name))
    return findings.problem(
      name,
      'a restore did not come to its end: this directory is not whole',
      'Empty the directory, and restore the backup again.',
    )
  const found = await stat(join(directory, name)).catch(nullIfMissing)
  if (found === null) return
  const slug = name.endsWith('.git') ? name.slice(0, -'.git'.length) : name
  if (!found.isDirectory() || !isSlug(slug))
    return findings.note(name, 'is not a file of Quire', 'Move it away if nobody needs it.')
  if (slugs.has(slug)) return
  findings.problem(
    name,
    `belongs to a project ${slug} that has no document`,
    `Restore ${slug}.json from a backup; or remove ${name}, when the project was to be removed.`,
  )
}

/** Fences of locks grow with this number: without it an old holder could be taken for a new one. */
async function checkStarts(directory: string, used: boolean, findings: Findings): Promise<void> {
  const text = await readIfPresent(join(directory, startsFile))
  if (text === null && !used) return
  if (text === null || !/^\d+\n?$/.test(text))
    findings.problem(startsFile, text === null ? 'is missing' : 'does not hold the number of starts')
}

async function readIfPresent(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch(nullIfMissing)
}
