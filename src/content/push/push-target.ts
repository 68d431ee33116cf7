import type { Author, Oid } from '../repository.ts'

/** What a push asks of a branch. `old: null`: it must not exist; `new: null`: delete it. */
export interface BranchPush {
  /** Without `refs/heads/`; it obeys the rules for names. Never `main`. */
  readonly name: string
  readonly old: Oid | null
  readonly new: Oid | null
  /** Who pushes; the commits have authors of their own. */
  readonly author: Author
}

/** What a push asks of main: fast-forward, or the first commit. */
export interface MainPush {
  readonly old: Oid | null
  readonly new: Oid
  readonly author: Author
}

/**
 * Where a push arrives, one call for each ref, in the client’s order, when its objects are checked and durable in the
 * repository. The implementation moves the ref by compare-and-swap and does what follows from it.
 *
 * `report` prints a line in the developer’s terminal at once. A refusal is a Failure: its message, hint and errors are
 * shown and the ref is reported as rejected. The other refs of the push go on.
 */
export interface PushTarget {
  /** Saves, creates or deletes a branch and builds its preview. A build that fails is reported, and rejects nothing. */
  saveBranch(slug: string, push: BranchPush, report: (line: string) => void): Promise<void>
  /** Deploys: main moves when the site is built. Failure `build_failed` with the places that are wrong. */
  deployMain(slug: string, push: MainPush, report: (line: string) => void): Promise<void>
}
