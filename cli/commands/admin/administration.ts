import type { Administration } from '../../../src/client/administration.ts'
import type { Client } from '../../../src/client/client.ts'
import { failureOfBuilt, loadBuilt } from '../../built.ts'

export interface AdminOptions {
  /** Data directory; without it that of the settings. */
  readonly data?: string
}

/** Runs an operator's command; Failures of the loaded program become ours. */
export async function withAdministration<T>(
  { data }: AdminOptions,
  work: (administration: Administration) => Promise<T>,
): Promise<T> {
  const admin = await loadBuilt<{ readonly administer: (directory?: string) => Administration }>('admin')
  try {
    return await work(admin.administer(data))
  } catch (error) {
    throw failureOfBuilt(error)
  }
}

/** Asks the operator's endpoints of the service, or of this process where none runs. */
export function callOperator<T>(options: AdminOptions, work: (client: Client) => Promise<T>): Promise<T> {
  return withAdministration(options, (administration) => administration.call(work))
}
