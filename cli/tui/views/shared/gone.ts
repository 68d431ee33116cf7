import { Failure } from '#contract/failure.ts'
import { shown } from '../../canvas/width.ts'

/** The service does not know what it was asked about, such as a branch that somebody deleted meanwhile. */
export function isGone(error: unknown): boolean {
  return error instanceof Failure && error.code === 'not_found'
}

/** Says of a branch that is gone its name, which the service does not know any more; other errors are left as they are. */
export function ofBranch(error: unknown, { name }: { readonly name: string }): unknown {
  if (!isGone(error)) return error
  return new Failure(
    'not_found',
    `The branch ${shown(name)} is gone for you: somebody published or deleted it, or took you out of the project.`,
    {
      hint: 'What is not saved on it stays on this machine.',
      cause: error,
    },
  )
}
