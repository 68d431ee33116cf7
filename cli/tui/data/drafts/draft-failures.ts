import { Failure } from '#contract/failure.ts'

/** Whether the same save may succeed later, or has succeeded without anybody knowing. */
export function mayPass(error: unknown): boolean {
  if (!(error instanceof Failure)) return true
  return error.status >= 500 || error.code === 'rate_limited' || error.code === 'unauthenticated'
}

/** Whether the service has for certain not done it: it refused, or was never asked. */
export function isUndone(error: unknown): boolean {
  return !mayPass(error) || (error instanceof Failure && error.extra['isSent'] === false)
}

/** A disk, or a share of it, that is full. */
export function isFull(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOSPC' || code === 'EDQUOT'
}

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'your share of the disk is used up',
  EROFS: 'the disk is read-only',
}

/** Why the disk refuses, as part of a sentence. */
export function diskText(error: unknown): string {
  const { code = '', message, path } = error as NodeJS.ErrnoException
  if (code === 'EACCES' || code === 'EPERM' || code === 'ENOTDIR')
    return `nothing can be written at ${path ?? 'its place'}`
  return reasons[code] ?? message
}

/** For who leaves. */
export function cannotKeep(path: string, error: unknown): Failure {
  return new Failure('unavailable', `What you typed in ${path} cannot be kept on this machine: ${diskText(error)}.`, {
    hint: 'Save it on the branch, or copy it elsewhere, before you leave.',
    cause: error,
  })
}

/** A refusal with the file that it is about, and that nothing is lost. */
export function explained(error: unknown, path: string): unknown {
  if (!(error instanceof Failure)) return error
  const { code, message, hint, errors, extra, retryAfter } = error
  return new Failure(code, `${path} could not be saved. ${message}`, {
    hint: [hint, 'What you typed is kept on this machine.'].filter(Boolean).join(' '),
    errors,
    extra,
    ...(retryAfter === undefined ? {} : { retryAfter }),
    cause: error,
  })
}
