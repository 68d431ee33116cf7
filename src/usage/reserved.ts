/** A part of a plan's allowance that is taken: every one is settled in the end. */
export interface Reserved {
  /**
   * Makes it outlive the process: after a crash the next start asks whether `subject` came about. Before the point of
   * no return. Durable when the promise settles.
   */
  hold(subject: string): Promise<void>
  /**
   * Ends it, durably.
   * @param used 1 when something came about, 0 to give it back, which never rejects. A second call changes nothing.
   */
  settle(used: 0 | 1): Promise<void>
}

/** Takes one of the allowance of a kind of work. Throws Failure `quota_exceeded`, `not_found`. */
export type Reserve = (projectId: string) => Promise<Reserved>
