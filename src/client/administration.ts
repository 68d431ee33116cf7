import type {
  BackupSummary,
  CheckReport,
  DiskReport,
  LongRun,
  OnProgress,
  RestoredDirectory,
} from '../contract/operator.ts'
import type { Client } from './client.ts'

/** What an operator may do to a data directory: what `dist/admin.js` gives the command line. */
export interface Administration {
  /** Absolute path of the data directory. */
  readonly directory: string
  /**
   * Runs work with a client of the operator's endpoints: those of the service that uses the data directory, or of this
   * process when none does. Throws Failure `not_found` where there is no such directory, `unavailable` where it cannot be
   * had.
   */
  call<T>(work: (client: Client) => Promise<T>): Promise<T>
  /** @param file a path, or `-` for standard output. */
  backup(file: string, run: LongRun): Promise<BackupSummary>
  /** @param file a path, or `-` for standard input. */
  restore(file: string, into: string | undefined, run: LongRun): Promise<RestoredDirectory>
  /** Throws Failure `unavailable` where the disk cannot be asked. */
  disk(onProgress: OnProgress): Promise<DiskReport>
  check(onProgress: OnProgress): Promise<CheckReport>
}
