import { failureCodes } from '#contract/failure.ts'
import { scopes, type Endpoint } from '#contract/endpoint.ts'
import { endpoints } from '#test/support/endpoints.ts'
import type { RawAnswer } from '#test/support/send.ts'
import { expectedOf, type CallerName } from '#test/support/http/access-table/rule.ts'
import type { FuzzRequest } from './world.ts'

/** The endpoint that a request reaches: with another method it is another one, or none. */
function reachedBy({ operation, method }: FuzzRequest): Endpoint | undefined {
  const path = endpoints.find(([name]) => name === operation)?.[1].path
  return endpoints.find(([, endpoint]) => endpoint.path === path && endpoint.method === method)?.[1]
}

/** The caller as the table of who may call knows it. */
function rowOf({ caller, target }: FuzzRequest, endpoint: Endpoint): CallerName {
  if (caller === 'nobody') return 'nobody'
  if (caller === 'revoked' || caller === 'wrong' || caller === 'malformed') return 'revoked key'
  const own = caller === 'stranger' ? 'foreign' : 'own'
  const isKey = scopes.some((scope) => scope === caller)
  if (target !== own && target !== 'elsewhere') return isKey ? 'key of another project' : 'member of another project'
  if (!isKey) return 'owner'
  const fits = endpoint.access === caller || (endpoint.forDeploys === true && caller === 'deploy')
  return fits ? 'key with only the scope' : 'key without the scope'
}

function mayBeAnswered(request: FuzzRequest): boolean {
  const endpoint = reachedBy(request)
  // Where a part of the address is empty, it may be another endpoint’s.
  if (endpoint === undefined || /\/(?:\/|\?|$)/.test(request.path)) return true
  const row = rowOf(request, endpoint)
  // The table’s key without `read` has `deploy`.
  if (endpoint.forDeploys === true && row === 'key without the scope') return false
  return expectedOf(endpoint)[row] === 'answered'
}

/** Whether nothing may have come of it. */
export function isRefusal({ status }: RawAnswer): boolean {
  return status >= 400
}

/** What is wrong with an answer; null when nothing is. */
export function faultOf(request: FuzzRequest, answer: RawAnswer): string | null {
  const { status, text } = answer
  if (!isRefusal(answer)) {
    // To a method without an endpoint nothing is said but which methods there are.
    if (status >= 300 || request.method === 'OPTIONS' || mayBeAnswered(request)) return null
    return `${request.caller} was let in: ${status}`
  }
  if (request.method === 'HEAD') return status >= 500 ? `${status} without a word` : null
  const problem = parsed(text)
  if (typeof problem['error'] === 'string' && reachedBy(request)?.oauth === true) return status < 500 ? null : text
  const { code } = problem
  if (typeof code !== 'string' || !Object.hasOwn(failureCodes, code)) return `${status} is no problem document: ${text}`
  if (failureCodes[code as keyof typeof failureCodes].status !== status) return `${code} with the status ${status}`
  if (problem['status'] !== status || typeof problem['detail'] !== 'string') return `a half problem document: ${text}`
  return status < 500 || code === 'unavailable' ? null : text
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
