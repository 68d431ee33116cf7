import { setTimeout as sleep } from 'node:timers/promises'
import { Repositories } from '../../content/repositories.ts'
import type { CheckReport, OnProgress } from '../../contract/operator.ts'
import { projectsOf } from '../backup.ts'
import { whileHeld, type Operator } from '../operator.ts'
import type { DataDirectory } from '../snapshot.ts'
import { accountsOf, checkRoot } from './documents.ts'
import { Findings } from './findings.ts'
import { checkProject, type Looked } from './project.ts'

export interface CheckOptions extends DataDirectory {
  readonly operator: Pick<Operator, 'hold' | 'shared'>
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
  const { directory, git, operator, onProgress } = options
  const repositories = new Repositories({ directory, git })
  const problems = []
  const notes = []
  const checked = { documents: 0, projects: 0, refs: 0, releases: 0, blobs: 0, bytes: 0 }
  try {
    const slugs = await projectsOf(directory)
    for (const [index, slug] of slugs.entries()) {
      onProgress(`${slug} (${index + 1} of ${slugs.length})`)
      const look = async (): Promise<Looked> => {
        const accounts = await accountsOf(directory)
        return whileHeld(operator, slug, (snapshot) =>
          checkProject({ directory, repositories, accounts, shared: operator.shared }, snapshot),
        )
      }
      const { findings, found } = await untilSure(operator.shared, look)
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
    const root = await untilSure(operator.shared, async () => {
      const findings = new Findings()
      return { findings, documents: await checkRoot(directory, findings) }
    })
    problems.push(...root.findings.problems)
    notes.push(...root.findings.notes)
    checked.documents += root.documents
  } finally {
    await repositories.close()
  }
  return { problems, notes, checked }
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
