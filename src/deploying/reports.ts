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
      warnings: deploy.warnings.slice(0, maxReported),
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

function idsOf(reports: Reports): string[] {
  return [...reports.heads()]
    .map(([id]) => id)
    .sort()
    .toReversed()
}
