import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../../client/client.ts'
import type { CheckReport, OnProgress } from '../../contract/operator.ts'
import { projectDocument } from '../../projects/document.ts'
import { decodeDocument } from '../../storage/directory/check-root.ts'
import type { DataDirectory } from '../../storage/directory/data-directory.ts'
import { fileOf } from '../../storage/documents/document-files.ts'
import { readName, whileHeld, type OperatedDirectory } from '../projects.ts'
import { Findings } from './findings.ts'
import { checkProject, type ProjectCheck } from './project.ts'

export interface CheckOptions extends OperatedDirectory {
  /** Of the operator's endpoints. */
  readonly client: Pick<Client, 'events'>
  /** A service works on the directory as well. */
  readonly shared: boolean
  readonly onProgress: OnProgress
}

/** Looks at a thing before it counts as off, while the service works beside. */
const looks = 3
/** Between two looks: a change that is under way is over then. */
const pauseMs = 300

/**
 * Looks for anything in a data directory that is lost or damaged: documents, repositories, refs, releases, published
 * files, records. Reads all of it and changes nothing. Beside a service, what is off counts only when it stays so.
 */
export async function check(options: CheckOptions): Promise<CheckReport> {
  const { directory, repositories, client, shared, onProgress } = options
  const problems = []
  const notes = []
  const checked = { documents: 0, projects: 0, refs: 0, releases: 0, blobs: 0, bytes: 0 }
  const projectIds = await directory.projects()
  const holders = new Map<string, string>()
  for (const [index, projectId] of projectIds.entries()) {
    onProgress(`${await readName(directory, projectId)} (${index + 1} of ${projectIds.length})`)
    const look = async (): Promise<ProjectCheck> => {
      const inventory = await directory.inventory()
      const accounts = await accountsOf(directory)
      return whileHeld(client, projectId, (snapshot) =>
        checkProject({ directory, repositories, accounts, inventory, shared }, snapshot),
      )
    }
    const { findings, found, domains } = await untilSure(shared, look)
    // Beside a service one may have changed hands between two looks.
    if (!shared) noteHeldTwice({ projectId, domains }, holders, findings)
    problems.push(...findings.problems)
    notes.push(...findings.notes)
    checked.projects += 1
    checked.documents += 1
    checked.refs += found.refs
    checked.releases += found.releases
    checked.blobs += found.blobs
    checked.bytes += found.bytes
  }
  onProgress('accounts and the rest')
  const root = await untilSure(shared, async () => {
    const findings = new Findings()
    return { findings, documents: await directory.checkRoot(await directory.inventory(), findings) }
  })
  problems.push(...root.findings.problems)
  notes.push(...root.findings.notes)
  checked.documents += root.documents
  return { problems, notes, checked }
}

/** @param holders projects by domain; what this one has is added */
function noteHeldTwice(
  { projectId, domains }: { readonly projectId: string; readonly domains: readonly string[] },
  holders: Map<string, string>,
  findings: Findings,
): void {
  for (const domain of domains) {
    const other = holders.get(domain)
    if (other !== undefined)
      findings.note(
        fileOf(projectDocument(projectId)),
        `calls the domain ${domain} verified, as ${fileOf(projectDocument(other))} does`,
        'The next start leaves it to the project that verified it last.',
      )
    holders.set(domain, projectId)
  }
}

async function untilSure<T extends { readonly findings: Findings }>(
  shared: boolean,
  look: () => Promise<T>,
): Promise<T> {
  let result = await look()
  const most = shared ? looks : 1
  for (let times = 1; times < most && !result.findings.none; times++) {
    await sleep(pauseMs)
    const again = await look()
    result = { ...again, findings: result.findings.confirm(again.findings) }
  }
  return result
}

/** Ids of all accounts; none where their document cannot be read, which is told with the rest. */
async function accountsOf(directory: DataDirectory): Promise<ReadonlySet<string>> {
  const text = await directory.documentText('service')
  const document = text === null ? null : decodeDocument('service', text)
  return new Set(Object.keys((document as { accounts?: Record<string, unknown> } | null)?.accounts ?? {}))
}
