import type { Scope } from '../../contract/endpoint.ts'
import { Failure } from '../../contract/failure.ts'
import type { Command } from './receive-commands.ts'
import { branchPrefix, checkBranchName, mainRef } from '../refs/ref-names.ts'
import type { Oid } from '../repository.ts'

export interface PushRights {
  /** What the repository’s branches are now, by full ref. */
  readonly current: ReadonlyMap<string, Oid>
  readonly may: (scope: Scope) => boolean
}

/** Refusals by command. */
export type Refusals = Map<Command, Failure>

/** What can be said about a push before its pack is read: which refs, by whom, from where. */
export function police(commands: readonly Command[], rights: PushRights): Refusals {
  const refusals: Refusals = new Map()
  const seen = new Set<string>()
  for (const command of commands) {
    const failure = seen.has(command.ref)
      ? new Failure('invalid_request', `${command.ref} is given twice.`)
      : refusalOf(command, rights)
    seen.add(command.ref)
    if (failure) refusals.set(command, failure)
  }
  return refusals
}

function refusalOf(command: Command, rights: PushRights): Failure | null {
  const { ref } = command
  if (!ref.startsWith(branchPrefix)) {
    return new Failure('invalid_branch_name', `${ref} is no branch: only refs/heads/… can be pushed.`, {
      hint: 'Tags and other refs are not kept here. Push branches only.',
    })
  }
  return (ref === mainRef ? refuseMain(command, rights) : refuseBranch(command, rights)) ?? refuseStale(command, rights)
}

function refuseMain(command: Command, { may }: PushRights): Failure | null {
  if (command.new === null) return new Failure('forbidden', 'main cannot be deleted: it is what is live.')
  return may('deploy') ? null : lacks('deploy', 'A push to main is a deploy')
}

function refuseBranch(command: Command, { may }: PushRights): Failure | null {
  try {
    checkBranchName(command.ref.slice(branchPrefix.length))
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
  return may('write') ? null : lacks('write', 'A push to a branch is a save')
}

function lacks(scope: Scope, why: string): Failure {
  return new Failure('forbidden', `${why}: the key lacks the scope ${scope}.`, {
    hint: `Use a key that has the scope ${scope}.`,
  })
}

/** The client decided by what it saw; meanwhile others may have pushed. */
function refuseStale({ ref, old, new: value }: Command, { current }: PushRights): Failure | null {
  const now = current.get(ref) ?? null
  if (old === null && value === null) return new Failure('not_found', `There is no ${ref} to delete.`)
  if (now === old) return null
  const what = now === null ? 'is gone' : old === null ? 'exists already' : 'has moved'
  return new Failure('stale_ref', `${ref} ${what} since you fetched: fetch first.`, {
    hint: 'Run `git fetch`, look at what is new, and push again.',
  })
}
