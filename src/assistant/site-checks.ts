import type { Check } from '../contract/checks.ts'
import type { ErrorDetail } from '../contract/common.ts'
import { bounds } from './bounds.ts'
import { Refusal, type Draft } from './draft.ts'
import type { AssistantPorts } from './ports.ts'
import { lineOf } from './words.ts'

/** Findings that are told at once. */
const mostTold = 40

/** What a build would say of a turn's draft. */
export class SiteChecks {
  readonly #check: (changes: ReturnType<Draft['changes']>, signal: AbortSignal) => Promise<Check>
  #asked = 0
  #latest: { readonly revision: number; readonly check: Check } | undefined
  #before: Promise<Check> | undefined

  constructor(
    { branches }: Pick<AssistantPorts, 'branches'>,
    { projectId, id, head }: { readonly projectId: string; readonly id: string; readonly head: string },
  ) {
    this.#check = (changes, signal) => branches.check(projectId, id, { commit: head, changes }, signal)
  }

  /** As the model asks for it. Throws Refusal when it does so too often. */
  async ofModel(draft: Draft, signal: AbortSignal): Promise<Check> {
    if (this.#latest?.revision !== draft.revision) this.#asked += 1
    if (this.#asked > bounds.checks) throw new Refusal(`One turn may check the site ${bounds.checks} times.`)
    return this.#of(draft, signal)
  }

  /** Errors of the draft that the branch did not have before the turn. */
  async newErrors(draft: Draft, signal: AbortSignal): Promise<readonly ErrorDetail[]> {
    const { errors } = await this.#of(draft, signal)
    if (errors.length === 0) return []
    const before = await (this.#before ??= this.#check([], signal))
    const known = new Set(before.errors.map(keyOf))
    return errors.filter((error) => !known.has(keyOf(error)))
  }

  async #of(draft: Draft, signal: AbortSignal): Promise<Check> {
    const { revision } = draft
    if (this.#latest?.revision === revision) return this.#latest.check
    const check = await this.#check(draft.changes(), signal)
    this.#latest = { revision, check }
    return check
  }
}

/** Lines move when something is written above them. */
function keyOf({ path = '', message }: ErrorDetail): string {
  return `${path}\0${message}`
}

/** Findings as lines; they quote the files. */
export function describeDetails(details: readonly ErrorDetail[]): string {
  const lines = details.slice(0, mostTold).map(({ path, line, column, message }) => {
    const place = [path, line, column].filter((part) => part !== undefined).join(':')
    return lineOf(place === '' ? message : `${place}: ${message}`, 500)
  })
  const more = details.length - lines.length
  return lines.join('\n') + (more > 0 ? `\nand ${more} more` : '')
}
