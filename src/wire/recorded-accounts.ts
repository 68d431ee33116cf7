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
  const { projects, members } = access
  // The operator, too, calls projects by their slugs.
  const idOf = (slug: string): string => projects.resolve(slug)?.id ?? slug
  return new RecordedAccounts({
    ...access,
    projects: {
      slugs: async () => (await projects.ids()).map((id) => projects.slugOf(id)),
      find: (slug) => projects.find(idOf(slug)),
    },
    members: {
      add: (slug, email) => members.add(idOf(slug), email),
      transfer: (slug, id) => members.transfer(idOf(slug), id),
    },
    audit: { record: (slug, entry) => audit.record(idOf(slug), entry) },
    onError,
  })
}
