/**
 * The one error type for everything a user can cause.
 *
 * A `Failure` carries a stable code; the code's row gives HTTP status and CLI exit code. Anything
 * thrown that is not a `Failure` is a bug: its text is hidden from the user and whole in the log.
 */
import type { ErrorDetail } from './common.ts'

/** Exit codes of the command line. 75 is sysexits' EX_TEMPFAIL: try again later. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  content: 3,
  auth: 4,
  conflict: 5,
  temporary: 75,
  interrupted: 130,
} as const

interface FailureRow {
  readonly status: number
  readonly title: string
  readonly exit: number
}

/** Every refusal of the service. `code` is part of the API: never rename, only add. */
export const failureCodes = {
  invalid_request: { status: 400, title: 'The request is not valid', exit: exitCodes.usage },
  authorization_pending: { status: 400, title: 'Nobody has decided yet', exit: exitCodes.temporary },
  slow_down: { status: 400, title: 'The client asks too often', exit: exitCodes.temporary },
  access_denied: { status: 400, title: 'The sign-in was denied', exit: exitCodes.auth },
  expired_token: { status: 400, title: 'The code has expired', exit: exitCodes.auth },
  invalid_grant: { status: 400, title: 'The code is not valid', exit: exitCodes.auth },
  unsupported_grant_type: { status: 400, title: 'The grant type is not supported', exit: exitCodes.usage },
  invalid_scope: { status: 400, title: 'The scope is not known', exit: exitCodes.usage },
  unauthenticated: { status: 401, title: 'Sign in or send a valid key', exit: exitCodes.auth },
  invalid_client: { status: 401, title: 'The client is not known', exit: exitCodes.usage },
  forbidden: { status: 403, title: 'The credential does not allow this', exit: exitCodes.auth },
  email_not_verified: { status: 403, title: 'The email address is not verified', exit: exitCodes.auth },
  project_suspended: { status: 403, title: 'The project is suspended', exit: exitCodes.failed },
  signup_closed: { status: 403, title: 'Accounts cannot be created here', exit: exitCodes.auth },
  not_found: { status: 404, title: 'Not found', exit: exitCodes.failed },
  method_not_allowed: { status: 405, title: 'The method is not allowed here', exit: exitCodes.failed },
  domain_taken: { status: 409, title: 'Another project has the domain', exit: exitCodes.conflict },
  deploy_in_progress: { status: 409, title: 'A deploy is already in progress', exit: exitCodes.conflict },
  too_many_projects: { status: 409, title: 'The account owns as many projects as it may', exit: exitCodes.conflict },
  project_exists: { status: 409, title: 'The slug is taken', exit: exitCodes.conflict },
  account_exists: { status: 409, title: 'The account exists', exit: exitCodes.conflict },
  stale_ref: { status: 409, title: 'The branch has moved', exit: exitCodes.conflict },
  idempotency_conflict: {
    status: 409,
    title: 'The idempotency key was used for another request',
    exit: exitCodes.conflict,
  },
  branch_edited: { status: 409, title: 'Others have changed the branch', exit: exitCodes.conflict },
  branch_exists: { status: 409, title: 'The branch exists', exit: exitCodes.conflict },
  branch_name_conflict: { status: 409, title: 'The branch name clashes with another', exit: exitCodes.conflict },
  merge_conflict: { status: 409, title: 'The branch does not merge cleanly', exit: exitCodes.conflict },
  stale_file: { status: 412, title: 'The file has changed', exit: exitCodes.conflict },
  stale_entry: { status: 412, title: 'The changelog entry has changed', exit: exitCodes.conflict },
  precondition_required: { status: 428, title: 'The request must say which version it changes', exit: exitCodes.usage },
  request_too_large: { status: 413, title: 'The request is too large', exit: exitCodes.content },
  file_too_large: { status: 413, title: 'A file is too large', exit: exitCodes.content },
  unsupported_media_type: { status: 415, title: 'The content type is not supported', exit: exitCodes.usage },
  invalid_path: { status: 422, title: 'A path is not allowed', exit: exitCodes.content },
  invalid_author: { status: 422, title: 'The author is not valid', exit: exitCodes.usage },
  invalid_branch_name: { status: 422, title: 'The branch name is not allowed', exit: exitCodes.usage },
  invalid_domain: { status: 422, title: 'The domain is not allowed', exit: exitCodes.usage },
  webhook_url_not_https: { status: 422, title: 'The webhook URL is not HTTPS', exit: exitCodes.usage },
  webhook_url_private: { status: 422, title: 'The webhook URL is not a public address', exit: exitCodes.usage },
  webhook_url_invalid: { status: 422, title: 'The webhook URL is not allowed', exit: exitCodes.usage },
  invalid_content: { status: 422, title: 'The text cannot be shown', exit: exitCodes.content },
  build_failed: { status: 422, title: 'The site does not build', exit: exitCodes.content },
  missing_objects: { status: 422, title: 'The service lacks the content of some files', exit: exitCodes.failed },
  release_gone: { status: 422, title: 'The release is no longer kept', exit: exitCodes.failed },
  quota_exceeded: { status: 429, title: 'The plan does not allow more', exit: exitCodes.temporary },
  rate_limited: { status: 429, title: 'Too many requests', exit: exitCodes.temporary },
  generation_rejected: { status: 422, title: 'The model does not take the request', exit: exitCodes.failed },
  generation_failed: { status: 502, title: 'The model did not answer', exit: exitCodes.temporary },
  generation_not_configured: { status: 503, title: 'This service has no language model', exit: exitCodes.failed },
  generation_unavailable: { status: 503, title: 'The language model is not available', exit: exitCodes.temporary },
  mail_not_configured: { status: 503, title: 'This service sends no mail', exit: exitCodes.failed },
  unavailable: { status: 503, title: 'The service is not available', exit: exitCodes.temporary },
  internal: { status: 500, title: 'The service made a mistake', exit: exitCodes.temporary },
} as const satisfies Record<string, FailureRow>

export type FailureCode = keyof typeof failureCodes

export interface FailureOptions {
  /** What the user can do next. */
  readonly hint?: string
  readonly errors?: readonly ErrorDetail[]
  /** Seconds after which a retry makes sense; becomes the Retry-After header. */
  readonly retryAfter?: number
  /** Further members of the problem document (RFC 9457, 3.2). */
  readonly extra?: Readonly<Record<string, unknown>>
  /** It stays so until somebody does something about it: the exit code does not say that a second try may help. */
  readonly lasts?: boolean
  readonly cause?: unknown
}

export class Failure extends Error {
  override readonly name = 'Failure'
  readonly code: FailureCode
  readonly hint: string | undefined
  readonly errors: readonly ErrorDetail[]
  readonly retryAfter: number | undefined
  readonly extra: Readonly<Record<string, unknown>>
  readonly lasts: boolean

  /** @param detail A sentence for the user: what is wrong, and where. */
  constructor(code: FailureCode, detail: string, options: FailureOptions = {}) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.hint = options.hint
    this.errors = options.errors ?? []
    this.retryAfter = options.retryAfter
    this.extra = options.extra ?? {}
    this.lasts = options.lasts ?? false
  }

  get status(): number {
    return failureCodes[this.code].status
  }

  get exitCode(): number {
    const { exit } = failureCodes[this.code]
    return this.lasts && exit === exitCodes.temporary ? exitCodes.failed : exit
  }
}

/** The refusal of a cursor that no page of the list gave. */
export function unknownCursor(): Failure {
  return new Failure('invalid_request', 'The cursor is not one that this list gave.', {
    hint: 'Leave `cursor` out to begin with the newest.',
    errors: [{ pointer: '/cursor', message: 'not a cursor' }],
  })
}
