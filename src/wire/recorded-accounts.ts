import type { Logger } from 'pino'
import { RecordedAccounts, type AuditPort } from '../operator/recorded-accounts.ts'
import type { openAccess } from './access.ts'

/** What the operator does to accounts and members, with the audit logs that tell of it. */
export function recordedAccounts(
  access: Pick<Awaited<ReturnType<typeof openAccess>>, 'accounts' | 'removal' | 'members' | 'projects'>,
  { audit, logger }: { readonly audit: AuditPort; readonly logger: Logger },
): RecordedAccounts {
  const onError = (error: unknown, slug: string): void =>
    logger.error({ err: error, slug }, 'an audit entry could not be kept')
  return new RecordedAccounts({ ...access, audit, onError })
}
