import type { ProjectDocument } from '../../projects/document.ts'
import type { BranchingDocument } from '../../branching/state.ts'
import type { Finding } from '../../contract/operator.ts'
import type { DomainsDocument } from '../../domains/stored-domain.ts'
import type { DeployDocument } from '../../deploying/state.ts'
import type { FaultReport } from '../../storage/directory/reading.ts'

/** A project's document, as far as a check looks at it. */
export type CheckedDocument = ProjectDocument & DeployDocument & BranchingDocument & DomainsDocument

const restoreIt = 'Restore it from a backup.'

/** What one look found. */
export class Findings implements FaultReport {
  readonly problems: Finding[] = []
  readonly notes: Finding[] = []
  readonly #project: string | undefined

  /** @param project what people call it, where the look is at one. */
  constructor(project?: string) {
    this.#project = project
  }

  get none(): boolean {
    return this.problems.length + this.notes.length === 0
  }

  /** Something is lost or damaged. */
  problem(where: string, problem: string, next = restoreIt): void {
    this.problems.push(this.#finding(where, problem, next))
  }

  /** The service mends it, or it only takes room. */
  note(where: string, problem: string, next: string): void {
    this.notes.push(this.#finding(where, problem, next))
  }

  /** Only what another look found as well: the rest was a moment in the service's work. */
  confirm(again: Findings): Findings {
    const confirmed = new Findings(this.#project)
    const seen = new Set([...again.problems, ...again.notes].map(keyOf))
    confirmed.problems.push(...this.problems.filter((finding) => seen.has(keyOf(finding))))
    confirmed.notes.push(...this.notes.filter((finding) => seen.has(keyOf(finding))))
    return confirmed
  }

  #finding(where: string, problem: string, next: string): Finding {
    return { ...(this.#project === undefined ? {} : { project: this.#project }), where, problem, next }
  }
}

function keyOf({ where, problem }: Finding): string {
  return `${where} ${problem}`
}
