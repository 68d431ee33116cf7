import { contract } from '../../contract/index.ts'
import { client } from '../client.ts'
import { listQuery } from './list.ts'

export interface AuditFilter {
  /** Id of an account or key. */
  readonly actor?: string
  /** An operation or a noun. */
  readonly action?: string
  /** RFC 3339. */
  readonly since?: string
  readonly until?: string
}

/** Who did what, newest first. A page may have few or none though older ones follow. */
export function auditQuery(slug: string, filter: AuditFilter) {
  return listQuery(['project', slug, 'audit', filter], (cursor, signal) =>
    client.call(contract.audit.list, { params: { slug }, query: { ...filter, ...cursor }, signal }),
  )
}
