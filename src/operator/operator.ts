import type { Member } from '../contract/members.ts'
import type { CollectedProject, CreatedAccount, OperatorAccount, RemovedAccount } from '../contract/operator.ts'
import type { Plan } from '../contract/projects.ts'
import type { Snapshot } from './snapshot.ts'

/** The part of accounts and members that an operator works with. */
export interface AccountsPort {
  list(): Promise<readonly OperatorAccount[]>
  createByOperator(email: string, password?: string): Promise<CreatedAccount>
  resetPassword(email: string, password?: string): Promise<string>
  setPlan(email: string, plan: Plan): Promise<OperatorAccount>
  remove(email: string): Promise<RemovedAccount | null>
  transferProject(slug: string, email: string): Promise<Member>
}

/** A project that stays readable: what its snapshot refers to is not removed until it is released. */
export interface Hold {
  readonly snapshot: Snapshot
  /** Aborted with a Failure when the service takes it back. */
  readonly lost: AbortSignal
  release(): Promise<void>
}

/**
 * What only the owner of the data directory may do: the running service, or a process that has locked it. All else an
 * operator's commands do by reading the directory.
 */
export interface Operator {
  /** Somebody else works on the directory, too. */
  readonly shared: boolean
  readonly accounts: AccountsPort
  /** Throws Failure `unavailable`. */
  hold(slug: string): Promise<Hold>
  /** Collects the garbage of a project. Throws Failure `not_found`. */
  collect(slug: string): Promise<CollectedProject>
  close(): Promise<void>
}

/** Runs work on a held project; when the hold is lost, that is what went wrong. */
export async function whileHeld<T>(
  operator: Pick<Operator, 'hold'>,
  slug: string,
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  const hold = await operator.hold(slug)
  try {
    const result = await work(hold.snapshot)
    hold.lost.throwIfAborted()
    return result
  } catch (error) {
    hold.lost.throwIfAborted()
    throw error
  } finally {
    await hold.release()
  }
}
