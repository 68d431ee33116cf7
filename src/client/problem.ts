import type { ErrorDetail } from '../contract/common.ts'
import { Failure, failureCodes, type FailureCode } from '../contract/failure.ts'

const known = new Set(['type', 'title', 'status', 'detail', 'code', 'hint', 'errors', 'error', 'error_description'])

/** What an answer that no Quire wrote (a proxy’s page, say) most likely means. */
function codeOfStatus(status: number): FailureCode {
  if (status >= 500) return 'unavailable'
  const row = Object.entries(failureCodes).find(([, { status: own }]) => own === status)
  return row === undefined ? 'invalid_request' : (row[0] as FailureCode)
}

/** Seconds of a Retry-After header, in either of its forms (RFC 9110, 10.2.3). */
function retryAfterOf(response: Response): number | undefined {
  const value = response.headers.get('retry-after')
  if (value === null) return undefined
  if (/^\d+$/.test(value)) return Number(value)
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - Date.now()) / 1000))
}

async function problemOf(response: Response): Promise<Readonly<Record<string, unknown>>> {
  const text = await response.text()
  if (!(response.headers.get('content-type') ?? '').includes('json')) return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    // Cut off or not JSON after all: the status still says what happened.
    return {}
  }
}

/** The `Failure` that the service threw, made again from its problem document. */
export async function failureOf(response: Response): Promise<Failure> {
  const problem = await problemOf(response)
  const retryAfter = retryAfterOf(response)
  // OAuth endpoints have words of their own for the same two (RFC 6749, 5.2).
  const named = problem['code'] ?? problem['error']
  const told = problem['detail'] ?? problem['error_description']
  const code =
    typeof named === 'string' && named in failureCodes ? (named as FailureCode) : codeOfStatus(response.status)
  const detail =
    typeof told === 'string' ? told : `The server answered ${response.status} ${response.statusText}`.trimEnd() + '.'
  const extra = Object.fromEntries(Object.entries(problem).filter(([name]) => !known.has(name)))
  return new Failure(code, detail, {
    ...(typeof problem['hint'] === 'string' ? { hint: problem['hint'] } : {}),
    ...(Array.isArray(problem['errors']) ? { errors: problem['errors'] as ErrorDetail[] } : {}),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    extra: { httpStatus: response.status, ...extra },
  })
}
