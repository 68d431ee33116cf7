import type { Build } from './task.ts'
import type { Worker } from './worker.ts'

/** Pages that are worth another child. */
const pagesPerChild = 4

/** Pages looked at for one that suits; the first suits best when none differs. */
const maxCandidates = 512
const maxLanguages = 16

/** What became of the waiting pages of a build. */
export interface Assignment {
  /** At least one page went to a child. */
  readonly hasAssigned: boolean
  /** Children that the pages are worth beside those of the build. */
  readonly missing: number
}

/**
 * Gives waiting pages of a build to the children of its project.
 * @param share Children that the build may have at most.
 */
export function assignTasks(build: Build, workers: readonly Worker[], share: number): Assignment {
  const own = workers.filter((worker) => worker.project === build.project && !worker.retiring)
  const open = build.waiting.length + own.reduce((sum, worker) => sum + worker.tasks.length, 0)
  const wanted = Math.min(share, Math.ceil(open / pagesPerChild))
  const before = build.waiting.length
  while (build.waiting.length > 0) {
    const [worker] = own.filter((candidate) => candidate.hasRoom).sort((a, b) => a.tasks.length - b.tasks.length)
    if (worker === undefined) break
    const others = own.filter((other) => other !== worker).map((other) => other.languages)
    const [task] = build.waiting.splice(nextTask(build.waiting, worker.languages, others), 1)
    if (task === undefined) break
    worker.give(task)
  }
  return { hasAssigned: build.waiting.length < before, missing: Math.max(0, wanted - own.length) }
}

/** The languages of a page’s code blocks, as written. A rough look at the text, linear. */
export function languagesOf(source: Buffer): readonly string[] {
  const languages = new Set<string>()
  for (let at = source.indexOf('```'); at !== -1 && languages.size < maxLanguages; at = source.indexOf('```', at + 3)) {
    const [language] = /^[\w+#.-]+/.exec(source.toString('latin1', at + 3, at + 40)) ?? []
    if (language !== undefined) languages.add(language.toLowerCase())
  }
  return [...languages]
}

/**
 * Position of the page that a child should get next: the one that brings it the fewest new languages; a language that
 * no child knows yet counts less than one that another child knows. The first block of a language costs a child far
 * more than the next ones, because its grammar’s patterns are compiled then.
 * @param waiting Languages of the waiting pages, in their order.
 * @param own Languages that the child knows.
 * @param others What each of the other children knows.
 */
export function nextTask(
  waiting: readonly { readonly languages: readonly string[] }[],
  own: ReadonlySet<string>,
  others: readonly ReadonlySet<string>[],
): number {
  let best = 0
  let least = Infinity
  for (let position = 0; position < Math.min(maxCandidates, waiting.length); position++) {
    let cost = 0
    for (const language of waiting[position]?.languages ?? []) {
      if (!own.has(language)) cost += others.some((known) => known.has(language)) ? 2 : 1
    }
    if (cost === 0) return position
    if (cost >= least) continue
    best = position
    least = cost
  }
  return best
}
