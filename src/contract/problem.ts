import type { Problem } from './common.ts'
import { failureCodes, type Failure } from './failure.ts'

/** The problem document (RFC 9457) of a failure. */
export function problemOf(failure: Failure, requestId?: string): Problem & Record<string, unknown> {
  const { code, status, hint, errors, extra } = failure
  return {
    ...extra,
    type: `/api/docs#${code}`,
    title: failureCodes[code].title,
    status,
    detail: failure.message,
    code,
    ...(hint === undefined ? {} : { hint }),
    ...(errors.length === 0 ? {} : { errors: errors.map((error) => ({ ...error })) }),
    ...(requestId === undefined ? {} : { requestId }),
  }
}
