import { usageMonths, type UsageMonth } from '../contract/usage.ts'
import type { Store } from '../storage/store.ts'
import { historyDocument, monthIn, ownerIn, projectIn, usageFolder, usedIn, type OwnedProject } from './documents.ts'
import { nanosOfDollar, periodOf, quantityNames, type Counted, type Period } from './plans.ts'

const counts = ['generations', 'deploys', 'agentMessages', 'answers', ...quantityNames] as const
type CountName = (typeof counts)[number]
/** What is not named is 0. */
type Use = Readonly<Partial<Record<CountName, number>>>

/** Projects of an account in a month that are told apart: about 30 KB. */
const maxProjects = 200

/** Use of an account in a month that is over. */
interface MonthDocument {
  /** By id. */
  readonly projects: Readonly<Record<string, Use>>
  /** Of all further ones. */
  readonly others?: Use
}

export interface UsageHistoryOptions {
  readonly store: Store
  readonly now: () => Date
}

/**
 * What was used in former months: what the documents of an account’s projects had counted is kept in one document for
 * each month, when they go.
 */
export class UsageHistory {
  readonly #options: UsageHistoryOptions

  constructor(options: UsageHistoryOptions) {
    this.#options = options
  }

  /** Takes over what a project’s document of a past month counts. Durable; once more changes nothing. */
  async keep(document: string): Promise<void> {
    const use = await this.#useIn(document)
    if (Object.keys(use).length === 0) return
    const project = projectIn(document)
    await this.#options.store.mutate<MonthDocument, void>(
      historyDocument(ownerIn(document), monthIn(document)),
      (draft = { projects: {} }) => {
        const { projects, others = {} } = draft
        const isApart = projects[project] !== undefined || Object.keys(projects).length < maxProjects
        const kept = isApart
          ? { ...draft, projects: { ...projects, [project]: use } }
          : { ...draft, others: sumOf([others, use]) }
        return { document: kept, result: undefined }
      },
    )
  }

  /** Whether the document of a former month is so old that nobody is shown it. */
  isOver(document: string): boolean {
    return document.slice(document.lastIndexOf('/') + 1) < monthsBack(this.#options.now(), usageMonths - 1).key
  }

  /** The running month and those before it, newest first, back to the first of which something is known. */
  async read(project: OwnedProject, months: number): Promise<UsageMonth[]> {
    const items: UsageMonth[] = []
    let known = 1
    for (let back = 0; back < Math.min(months, usageMonths); back++) {
      const month = monthsBack(this.#options.now(), back)
      const uses = await this.#usesIn(project.owner, month)
      items.push(present(month, sumOf(uses.values()), uses.get(project.id) ?? {}))
      if (uses.size > 0) known = items.length
    }
    return items.slice(0, known)
  }

  /** By project; under no name what is not told apart. A document that is still there knows better. */
  async #usesIn(owner: string, { key }: Period): Promise<Map<string, Use>> {
    const { store } = this.#options
    const folder = `${usageFolder(owner, key)}/`
    const { projects = {}, others } = (await store.read<MonthDocument>(historyDocument(ownerIn(folder), key))) ?? {}
    const uses = new Map(Object.entries(projects))
    if (others !== undefined) uses.set('', others)
    for (const document of await store.list(folder)) uses.set(projectIn(document), await this.#useIn(document))
    return uses
  }

  async #useIn(document: string): Promise<Use> {
    const month = monthIn(document)
    const use: Partial<Record<CountName, number>> = {}
    for (const name of counts) {
      const used = await usedIn(this.#options.store, document, { meter: name, period: periodOfCount(name, month) })
      if (used > 0) use[name] = used
    }
    return use
  }
}

/** Deploys are counted by day. */
function periodOfCount(name: Counted, month: string): string {
  return name === 'deploys' ? `${month}-` : month
}

function monthsBack(at: Date, months: number): Period {
  return periodOf('month', new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - months)))
}

function sumOf(uses: Iterable<Use>): Use {
  const sum: Partial<Record<CountName, number>> = {}
  for (const use of uses)
    for (const name of counts) if (use[name] !== undefined) sum[name] = (sum[name] ?? 0) + use[name]
  return sum
}

function present({ start, end }: Period, all: Use, own: Use): UsageMonth {
  const of = (name: CountName) => ({ used: all[name] ?? 0, ofProject: own[name] ?? 0 })
  return {
    period: { start: start.toISOString(), end: end.toISOString() },
    generations: of('generations'),
    deploys: of('deploys'),
    agentMessages: of('agentMessages'),
    answers: of('answers'),
    models: { ...modelsOf(all), ofProject: modelsOf(own) },
  }
}

function modelsOf({ inputTokens = 0, outputTokens = 0, costNanoUsd = 0 }: Use) {
  return { inputTokens, outputTokens, costUsd: costNanoUsd / nanosOfDollar }
}
