import ignore from 'ignore'
import { materialOf, type Material } from './material.ts'
import { pagesOf, type PlacedPage, type SitePlan } from './plan.ts'
import type { Project } from './project.ts'
import type { Standing, State } from './state.ts'

/** A page of the plan, and what a run does about it. */
export interface PageWork {
  readonly page: PlacedPage
  readonly standing: Standing
  /**
   * `write` it anew; make a text to `offer`; `take` the one that was offered; `leave` it as it is; `wait`, because it was
   * not asked for.
   */
  readonly act: 'write' | 'offer' | 'take' | 'leave' | 'wait'
}

export interface Selection {
  /** Patterns, as those of .gitignore, of pages that are made; absent: of all. */
  readonly only?: readonly string[] | undefined
  /** Of pages whose new text replaces what somebody wrote or deleted. */
  readonly take?: readonly string[] | undefined
  /** Also pages whose sources are the same. */
  readonly force?: boolean | undefined
}

/** Compares the plan with what is in the output folder. Asks no model. */
export async function workOf(
  plan: SitePlan,
  project: Project,
  state: State,
  selection: Selection,
): Promise<PageWork[]> {
  const isTaken = matcherOf(selection.take ?? [])
  const isWanted = selection.only === undefined ? () => true : matcherOf(selection.only)
  const work: PageWork[] = []
  for (const page of pagesOf(plan)) {
    let material: Promise<Material> | undefined
    const standing = await state.standingOf(page, project, () => (material ??= materialOf(page, project)))
    const { generation } = state.lock
    const isOfThisRun = generation !== undefined && state.lock.pages[page.path]?.run === generation
    const act = acts[standing]({ take: isTaken(page.path), force: selection.force === true && !isOfThisRun })
    const isMade = act === 'write' || act === 'offer'
    work.push({ page, standing, act: isMade && !isWanted(page.path) && !isTaken(page.path) ? 'wait' : act })
  }
  return work
}

interface Wish {
  readonly take: boolean
  readonly force: boolean
}

const acts: Readonly<Record<Standing, (wish: Wish) => PageWork['act']>> = {
  new: () => 'write',
  stale: () => 'write',
  current: ({ force }) => (force ? 'write' : 'leave'),
  taken: ({ force }) => (force ? 'write' : 'leave'),
  edited: ({ take, force }) => (take ? 'write' : force ? 'offer' : 'leave'),
  'edited-stale': ({ take }) => (take ? 'write' : 'offer'),
  'edited-offered': ({ take, force }) => (take ? 'take' : force ? 'offer' : 'leave'),
  deleted: ({ take }) => (take ? 'write' : 'leave'),
  foreign: ({ take }) => (take ? 'write' : 'leave'),
}

/** Patterns as in .gitignore, for paths of pages with or without their ending. */
export function matcherOf(patterns: readonly string[]): (path: string) => boolean {
  const matcher = ignore().add(patterns.map((pattern) => pattern.replace(/\.mdx?$/, '')))
  return (path) => matcher.ignores(path)
}

/** Sentences about patterns that match no page: one that was mistyped makes nothing, and nobody would know why. */
export function unmatched(plan: SitePlan, { only = [], take = [] }: Selection): string[] {
  const paths = pagesOf(plan).map(({ path }) => path)
  const shown = paths.slice(0, 20).join(', ') + (paths.length > 20 ? ` and ${paths.length - 20} more` : '')
  const tell = (option: string, patterns: readonly string[]): string[] =>
    patterns
      .filter((pattern) => !pattern.startsWith('!') && !paths.some(matcherOf([pattern])))
      .map((pattern) => `${option} ${pattern} matches no page. There are ${shown}.`)
  return [...tell('--only', only), ...tell('--take', take)]
}
