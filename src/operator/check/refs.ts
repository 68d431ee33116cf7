import { branchPrefix, branchRef, deployRef, mainRef } from '../../content/refs/ref-names.ts'
import type { Oid } from '../../content/repository.ts'
import type { StoredDeploy } from '../../deploying/state.ts'
import type { Findings } from './findings.ts'
import type { CheckedDocument } from './project.ts'

/** Compares what is on record of deploys and branches with the refs. */
export function checkRefs(
  document: CheckedDocument,
  { refs, shared }: { readonly refs: ReadonlyMap<string, Oid>; readonly shared: boolean },
  findings: Findings,
): void {
  checkMain(document, refs, findings)
  for (const deploy of document.deploying?.deploys ?? []) {
    if (deploy.status === 'live') checkLanded(deploy, refs, findings)
    else if (deploy.status === 'building' && !shared) checkInterrupted(deploy, refs, findings)
  }
  const records = new Map((document.branching?.branches ?? []).map((branch) => [branch.name, branch]))
  for (const name of records.keys()) {
    if (!refs.has(branchRef(name)))
      findings.note(branchRef(name), 'the branch is on record, but not in Git', 'The service drops the record.')
  }
  for (const ref of refs.keys()) {
    if (!ref.startsWith(branchPrefix) || ref === mainRef || records.has(ref.slice(branchPrefix.length))) continue
    findings.note(ref, 'the branch is in Git, but not on record', 'The service records it when branches are listed.')
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
