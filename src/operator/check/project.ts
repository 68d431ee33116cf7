import { branchPrefix, branchRef, deployRef, mainRef } from '../../content/refs/ref-names.ts'
import { repositoryConfig } from '../../content/git/repository-config.ts'
import { repositoryHead } from '../../content/layout.ts'
import type { BareRepository, Oid } from '../../content/repository.ts'
import { Failure } from '../../contract/failure.ts'
import type { Snapshot } from '../../contract/operator.ts'
import type { StoredDeploy } from '../../deploying/state.ts'
import { projectDocument } from '../../projects/document.ts'
import { checkRevision } from '../../storage/directory/check-listed.ts'
import { decodeEnvelope } from '../../storage/directory/check-root.ts'
import { fileOf } from '../../storage/documents/document-files.ts'
import type { ReadInventory } from '../../storage/inventory.ts'
import { isSameProject, shownName, type OperatedDirectory } from '../projects.ts'
import { Findings, type CheckedDocument } from './findings.ts'
import { checkReleases } from './releases.ts'

export interface CheckedAt extends OperatedDirectory {
  readonly inventory: ReadInventory
  /** Ids. */
  readonly accounts: ReadonlySet<string>
  /** A service works on the project: what is under way was not interrupted. */
  readonly shared: boolean
}

export interface ProjectCheck {
  readonly findings: Findings
  readonly found: {
    readonly refs: number
    readonly releases: number
    readonly blobs: number
    readonly bytes: number
  }
  /** Domains that the document calls verified. */
  readonly domains: readonly string[]
}

/** Complaints of git that are told; a damaged repository has thousands. */
const mostComplaints = 20

/** Looks at everything of one project; nothing is off with one that is removed meanwhile. */
export async function checkProject(at: CheckedAt, snapshot: Snapshot): Promise<ProjectCheck> {
  const { projectId, document } = snapshot
  const removed = { findings: new Findings(), found: { refs: 0, releases: 0, blobs: 0, bytes: 0 }, domains: [] }
  if (document === null) return removed
  try {
    const looked = await checkThere(at, snapshot, document)
    return looked.findings.none || (await isSameProject(at.directory, projectId, document)) ? looked : removed
  } catch (error) {
    if (await isSameProject(at.directory, projectId, document)) throw error
    return removed
  }
}

async function checkThere(
  at: CheckedAt,
  { projectId, refs, unreadable }: Snapshot,
  text: string,
): Promise<ProjectCheck> {
  const findings = new Findings(shownName(projectId, text))
  const envelope = decodeEnvelope(projectDocument(projectId), text, findings)
  const document = (envelope?.document ?? null) as CheckedDocument | null
  const compared = { inventory: at.inventory, report: findings }
  if (envelope !== null) checkRevision(projectDocument(projectId), envelope, compared)
  if (document !== null) checkPeople({ projectId, document }, at.accounts, findings)
  await checkRepository(at, { projectId, refs, unreadable }, findings)
  if (document !== null && refs !== null) {
    const repository = await at.repositories.open(projectId)
    await checkRefs(document, { repository, refs: new Map(refs), shared: at.shared }, findings)
  }
  const releases = await checkReleases(at.directory, { projectId, document }, findings)
  await at.directory.checkRecords(projectId, findings)
  await at.directory.checkListed(projectId, at.inventory, findings)
  const verified = document?.domains?.filter(({ verifiedAt }) => verifiedAt !== undefined) ?? []
  return { findings, found: { refs: refs?.length ?? 0, ...releases }, domains: verified.map(({ name }) => name) }
}

function checkPeople(
  { projectId, document }: { readonly projectId: string; readonly document: CheckedDocument },
  accounts: ReadonlySet<string>,
  findings: Findings,
): void {
  const { owner, members = [] } = document
  const where = fileOf(projectDocument(projectId))
  if (!accounts.has(owner)) {
    findings.problem(
      where,
      `its owner ${owner} is no account`,
      'Restore _service.json from a backup of the same time; until then nobody can manage the project.',
    )
  }
  for (const { account } of members) {
    if (accounts.has(account)) continue
    findings.problem(where, `its writer ${account} is no account`, 'Remove the member, or restore the account.')
  }
}

async function checkRepository(
  { directory, repositories }: OperatedDirectory,
  { projectId, refs, unreadable }: Pick<Snapshot, 'projectId' | 'refs'> & { readonly unreadable: string | undefined },
  findings: Findings,
): Promise<void> {
  const where = `${projectId}.git`
  for (const [file, wanted] of [['HEAD', repositoryHead] as const, ['config', repositoryConfig] as const]) {
    if ((await directory.repositoryText(projectId, file)) !== wanted)
      findings.note(`${where}/${file}`, 'is not what the service writes', 'The next start writes it anew.')
  }
  if (unreadable !== undefined) findings.problem(where, `its refs cannot be read: ${unreadable}`)
  else if (refs === null) return findings.problem(where, 'there is no repository')
  // Without HEAD there is no repository for Git.
  const repository = await repositories.open(projectId).catch((error: unknown) => {
    if (error instanceof Failure) return null
    throw error
  })
  if (repository === null) return
  const complaints = await repository.fsck()
  for (const complaint of complaints.slice(0, mostComplaints)) findings.problem(where, `git fsck: ${complaint}`)
  if (complaints.length > mostComplaints)
    findings.problem(where, `git fsck has ${complaints.length - mostComplaints} more complaints`)
}

/** Compares what is on record of deploys and branches with the refs. */
async function checkRefs(
  document: CheckedDocument,
  {
    repository,
    refs,
    shared,
  }: { readonly repository: BareRepository; readonly refs: ReadonlyMap<string, Oid>; readonly shared: boolean },
  findings: Findings,
): Promise<void> {
  checkMain(document, refs, findings)
  for (const deploy of document.deploying?.deploys ?? []) {
    if (deploy.status === 'live') checkLanded(deploy, refs, findings)
    else if (deploy.status === 'building' && !shared) checkInterrupted(deploy, refs, findings)
  }
  const records = new Map((document.branching?.branches ?? []).map((branch) => [branch.name, branch]))
  for (const [name, { build, served }] of records) {
    const oid = refs.get(branchRef(name))
    const shown = build?.commit ?? served?.commit
    if (oid === undefined)
      findings.note(branchRef(name), 'the branch is on record, but not in Git', 'The service drops the record.')
    else if (shown !== undefined && !(await isWithin(repository, shown, oid)))
      findings.problem(
        branchRef(name),
        `is ${oid}, without ${shown}, of which its preview was built: saves are lost, or it was moved back`,
        `If nobody moved it, set it with git update-ref ${branchRef(name)} ${shown} while the service is stopped.`,
      )
  }
  for (const ref of refs.keys()) {
    if (!ref.startsWith(branchPrefix) || ref === mainRef || records.has(ref.slice(branchPrefix.length))) continue
    findings.note(ref, 'the branch is in Git, but not on record', 'The service records it when branches are listed.')
  }
}

/** Whether a commit is one of those that lead to another. */
async function isWithin(repository: BareRepository, commit: Oid, head: Oid): Promise<boolean> {
  if (commit === head) return true
  try {
    return (await repository.mergeBase(commit, head)) === commit
  } catch {
    // It cannot be read, which git fsck tells if something needs it.
    return false
  }
}

function checkMain({ deploying }: CheckedDocument, refs: ReadonlyMap<string, Oid>, findings: Findings): void {
  const main = refs.get(mainRef)
  const live = deploying?.live ?? null
  if (live?.commit === main) return
  const landed = deploying?.deploys.find(
    (deploy) => deploy.status === 'building' && refs.get(deployRef(deploy.number)) === main,
  )
  if (main !== undefined && landed !== undefined) {
    findings.note(mainRef, `deploy ${landed.number} was interrupted after main moved`, 'The next start carries it on.')
  } else if (main === undefined) {
    findings.problem(mainRef, `is missing; deploy ${live?.number} is live with commit ${live?.commit}`)
  } else {
    findings.problem(
      mainRef,
      live === null ? `is ${main}, but nothing is live` : `is ${main}, but the live deploy has commit ${live.commit}`,
      'Deploy again: the service makes both agree.',
    )
  }
}

/** What went live has a ref, which keeps its files for ever. */
function checkLanded({ number, commit }: StoredDeploy, refs: ReadonlyMap<string, Oid>, findings: Findings): void {
  const ref = deployRef(number)
  const oid = refs.get(ref)
  if (oid === undefined) findings.problem(ref, `is missing; deploy ${number} went live with commit ${commit}`)
  else if (oid !== commit) findings.problem(ref, `is ${oid}, not ${commit}`)
}

function checkInterrupted({ number }: StoredDeploy, refs: ReadonlyMap<string, Oid>, findings: Findings): void {
  const ref = deployRef(number)
  if (!refs.has(ref))
    findings.note(ref, `deploy ${number} was interrupted before it landed`, 'The next start records that it failed.')
}
