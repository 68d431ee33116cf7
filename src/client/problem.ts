import type { ErrorDetail } from '../contract/common.ts'
import { Failure, failureCodes, type FailureCode } from '../contract/failure.ts'

const known = new Set(['type', 'title', 'status', 'detail', 'code', 'hint', 'errors', 'error', 'error_description'])

/** What a problem document says beside its code and detail, as a Failure takes it. */
export function optionsOf(problem: Readonly<Record<string, unknown>>) {
  return {
    ...(typeof problem['hint'] === 'string' ? { hint: problem['hint'] } : {}),
    ...(Array.isArray(problem['errors']) ? { errors: problem['errors'] as ErrorDetail[] } : {}),
    extra: Object.fromEntries(Object.entries(problem).filter(([name]) => !known.has(name))),
  }
}

/** The code of a problem document; undefined for one that this version does not know. */
export function codeOf(named: unknown): FailureCode | undefined {
  return typeof named === 'string' && named in failureCodes ? (named as FailureCode) : undefined
}

/** The Failure that an event stream ended with. */
export function failureOfProblem(problem: object): Failure {
  const members = problem as Readonly<Record<string, unknown>>
  const detail = typeof members['detail'] === 'string' ? members['detail'] : 'The service made a mistake.'
  return new Failure(codeOf(members['code']) ?? 'internal', detail, optionsOf(members))
}
