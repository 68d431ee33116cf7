import { Failure, type FailureOptions } from '../src/contract/failure.ts'

/** A failure that stays until somebody does something about it: it is not tried again, and its exit code does not ask for it. */
export class Lasting extends Failure {
  constructor(detail: string, options: FailureOptions = {}) {
    super('unavailable', detail, { ...options, lasts: true })
  }
}

/** Codes of Node and its TLS for what a second try meets again. */
const lastingNetwork =
  /^(?:ENOTFOUND|EACCES|EPERM|EPROTO|EADDRNOTAVAIL|HPE_\w+|ERR_SSL_\w+|ERR_TLS_CERT_\w+|ERR_INVALID_URL|CERT_\w+|\w*SELF_SIGNED_CERT\w*|UNABLE_TO_\w+|HOSTNAME_MISMATCH)$/

/** What a user is to be told of anything that was thrown: a failure in a sentence; a bug comes back as it is. */
export function plain(error: unknown): unknown {
  if (!(error instanceof Failure)) return ofSystem(error)
  if (error.lasts) return error
  const { message, hint, extra, cause } = rootOf(error)
  const { foreign, network } = extra
  const isLasting =
    foreign !== undefined || (typeof network === 'string' && lastingNetwork.test(network)) || isForbidden(cause)
  return isLasting ? new Lasting(message, { ...(hint === undefined ? {} : { hint }), extra, cause: error }) : error
}

/** What this user may not do, or the disk does not take, is so the next time, too. */
function isForbidden(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && ['EACCES', 'EPERM', 'EROFS'].includes(String(cause.code))
}

/** What was made of a stranger’s answer on its way here is about something that is not there. */
function rootOf(failure: Failure): Failure {
  return failure.cause instanceof Failure ? rootOf(failure.cause) : failure
}

const systemReasons: Readonly<Partial<Record<string, readonly [why: string, next: string]>>> = {
  EACCES: ['this user may not', 'Give yourself the right to it, or run this as its owner.'],
  EPERM: ['this user may not', 'Give yourself the right to it, or run this as its owner.'],
  EROFS: ['the disk is read-only', 'Choose a folder on another disk.'],
  ENOSPC: ['the disk is full', 'Make room, and run it again.'],
  EDQUOT: ['your share of the disk is used up', 'Make room, and run it again.'],
  ENOENT: ['it is not there', 'Check its name.'],
  ENOTDIR: ['a part of it is a file, not a folder', 'Check its name.'],
  EISDIR: ['it is a folder', 'Name a file.'],
  EMFILE: ['too many files are open', 'Raise the limit (ulimit -n), and run it again.'],
}

const verbs: Readonly<Partial<Record<string, string>>> = {
  open: 'opened',
  read: 'read',
  write: 'written',
  mkdir: 'made',
  scandir: 'read',
  opendir: 'read',
  unlink: 'removed',
  rmdir: 'removed',
  rename: 'put in its place',
}

function ofSystem(error: unknown): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error
  const { code = '', path, syscall = '' } = error as NodeJS.ErrnoException
  const [why, hint] = systemReasons[code] ?? []
  if (why === undefined || hint === undefined) return error
  const detail = `${path ?? 'A file'} cannot be ${verbs[syscall] ?? 'used'}: ${why} (${code}).`
  // A disk may have room again.
  return code === 'ENOSPC'
    ? new Failure('unavailable', detail, { hint, cause: error })
    : new Lasting(detail, { hint, cause: error })
}
