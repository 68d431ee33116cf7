import type { ErrorDetail } from '../contract/common.ts'
import type { Records, RecordTable, StreamSpec } from '../storage/records.ts'
import type { StoredDeploy } from './state.ts'

/** Deploys of a project whose reports are kept. */
const maxReports = 2000
/** Errors and warnings in a report. */
export const maxReported = 1000

type Reports = RecordTable<Record<string, never>, StoredDeploy>

const reportStream: StreamSpec<Reports> = {
  name: 'deploys',
  open: ({ table }) => table(),
  weigh: ({ size }) => size * 200,
}

/**
 * A report a deploy, with all its errors and warnings: too much for the project's document, which holds only the newest
 * deploys in short. Ids sort by time, so they are the history.
 */
export class DeployReports {
  readonly #records: Records

  constructor(records: Records) {
    this.#records = records
  }

  /** Durable when the promise settles. */
  async write(projectId: string, deploy: StoredDeploy): Promise<void> {
    const body = {
      ...deploy,
      errors: deploy.errors.slice(0, maxReported),
      warnings: reportedOf(deploy.warnings),
    }
    await this.#use(projectId, (reports) => reports.write([{ put: deploy.id, head: {}, body }]))
  }

  async read(projectId: string, id: string): Promise<StoredDeploy | null> {
    return (await this.#use(projectId, (reports) => reports.read(id)))?.body ?? null
  }

  /** Ids of all deploys that have a report, newest first. */
  ids(projectId: string): Promise<string[]> {
    return this.#use(projectId, idsOf)
  }

  /** Removes the oldest reports beyond the bound, but for deploys that can be rolled back to. */
  async prune(projectId: string, kept: ReadonlySet<string>): Promise<void> {
    await this.#use(projectId, async (reports) => {
      const old = idsOf(reports)
        .slice(maxReports)
        .filter((id) => !kept.has(id))
      await reports.write(old.map((id) => ({ delete: id })))
    })
  }

  #use<R>(projectId: string, work: (reports: Reports) => R | Promise<R>): Promise<R> {
    return this.#records.use(projectId, reportStream, work)
  }
}

/** As many warnings as are reported, in their order. Where there are more, no rule takes the places of another. */
export function reportedOf(warnings: readonly ErrorDetail[], most = maxReported): ErrorDetail[] {
  if (warnings.length <= most) return [...warnings]
  const counts = new Map<string, number>()
  for (const { rule = '' } of warnings) counts.set(rule, (counts.get(rule) ?? 0) + 1)
  let room = most
  let rules = counts.size
  // What rare ones leave of their shares is for the others.
  for (const count of [...counts.values()].toSorted((one, other) => one - other)) {
    if (count > room / rules) break
    room -= count
    rules--
  }
  const share = Math.floor(room / Math.max(1, rules))
  const taken = new Map<string, number>()
  return warnings.filter(({ rule = '' }) => {
    const number = (taken.get(rule) ?? 0) + 1
    taken.set(rule, number)
    return number <= share
  })
}

function idsOf(reports: Reports): string[] {
  return [...reports.heads()]
    .map(([id]) => id)
    .sort()
    .toReversed()
}
