import type { Administration } from '../../../src/contract/operator.ts'
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
