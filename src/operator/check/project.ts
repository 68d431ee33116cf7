import { join } from 'node:path'
import type { ProjectDocument } from '../../projects/document.ts'
import type { BranchingDocument } from '../../branching/state.ts'
import type { Repositories } from '../../content/repositories.ts'
import type { DeployDocument } from '../../deploying/state.ts'
import type { Snapshot } from '../snapshot.ts'
import { isStillThere } from '../still-there.ts'
import { checkChangelog } from './changelog.ts'
import { decodeDocument } from './documents.ts'
import { Findings } from './findings.ts'
import { checkRecords } from './records.ts'
import { checkRefs } from './refs.ts'
import { checkReleases } from './releases.ts'

export interface CheckedAt {
  readonly directory: string
  readonly repositories: Repositories
  /** Ids. */
  readonly accounts: ReadonlySet<string>
  /** A service works on the project: what is under way was not interrupted. */
  readonly shared: boolean
}

/** A project's document, as far as this looks at it. */
export type CheckedDocument = ProjectDocument & DeployDocument & BranchingDocument

export interface Looked {
  readonly findings: Findings
  readonly found: {
    readonly refs: number
    readonly releases: number
    readonly blobs: number
    readonly bytes: number
  }
}

/** Complaints of git that are told; a damaged repository has thousands. */
const mostComplaints = 20

/** Looks at everything of one project; nothing is off with one that is removed meanwhile. */
export async function checkProject(at: CheckedAt, snapshot: Snapshot): Promise<Looked> {
  const { slug, document } = snapshot
  const removed = { findings: new Findings(slug), found: { refs: 0, releases: 0, blobs: 0, bytes: 0 } }
  if (document === null) return removed
  try {
    const looked = await checkThere(at, snapshot, document)
    return looked.findings.none || (await isStillThere(at.directory, slug, document)) ? looked : removed
  } catch (error) {
    if (await isStillThere(at.directory, slug, document)) throw error
    return removed
  }
}

async function checkThere(at: CheckedAt, { slug, refs }: Snapshot, text: string): Promise<Looked> {
  const findings = new Findings(slug)
  const document = decodeDocument(text, `${slug}.json`, findings) as CheckedDocument | null
  if (document !== null) checkPeople(document, at.accounts, findings)
  await checkRepository(at.repositories, { slug, refs }, findings)
  if (document !== null && refs !== null) checkRefs(document, { refs: new Map(refs), shared: at.shared }, findings)
  const folder = join(at.directory, slug)
  const releases = await checkReleases(folder, document, findings)
  await checkRecords(folder, findings)
  await checkChangelog(folder, findings)
  return { findings, found: { refs: refs?.length ?? 0, ...releases } }
}

function checkPeople(document: CheckedDocument, accounts: ReadonlySet<string>, findings: Findings): void {
  const { slug, owner, members = [] } = document
  if (!accounts.has(owner)) {
    findings.problem(
      `${slug}.json`,
      `its owner ${owner} is no account`,
      'Restore _service.json from a backup of the same time; until then nobody can manage the project.',
    )
  }
  for (const { account } of members) {
    if (accounts.has(account)) continue
    findings.problem(
      `${slug}.json`,
      `its writer ${account} is no account`,
      'Remove the member, or restore the account.',
    )
  }
}

async function checkRepository(
  repositories: Repositories,
  { slug, refs }: Pick<Snapshot, 'slug' | 'refs'>,
  findings: Findings,
): Promise<void> {
  const where = `${slug}.git`
  if (refs === null) return findings.problem(where, 'there is no repository')
  const complaints = await (await repositories.open(slug)).fsck()
  for (const complaint of complaints.slice(0, mostComplaints)) findings.problem(where, `git fsck: ${complaint}`)
  if (complaints.length > mostComplaints)
    findings.problem(where, `git fsck has ${complaints.length - mostComplaints} more complaints`)
}
