import { Failure } from '../contract/failure.ts'

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of the disk is used up',
  EIO: 'the disk fails',
  EROFS: 'the file system takes no writes',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EPIPE: 'the program that was to read it has ended',
}

/** A Failure in the place of an error that is the disk's, or the receiver's; any other error as it is. */
export function diskFailure(error: unknown, what: string): unknown {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return error
  const reason = reasons[error.code]
  if (error instanceof Failure || reason === undefined) return error
  return new Failure('unavailable', `${what} could not be written: ${reason}.`, {
    hint: 'Nothing half is left. Mend that and repeat the command.',
    cause: error,
  })
}
