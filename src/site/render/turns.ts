/** Whose turn it is, and how many children each may have. */
import type { Build } from './task.ts'
import type { Worker } from './worker.ts'

/** What a turn needs to know of a build with waiting pages. */
export type WaitingBuild = Pick<Build, 'project' | 'turn'>

/** The builds of one owner that have waiting pages. */
export interface OwnerTurn<B extends WaitingBuild> {
  readonly owner: string
  /** Children that the owner may have at most while others wait, too. */
  readonly share: number
  /** In the order in which they are served, each with the children that it may have at most. */
  readonly builds: readonly { readonly build: B; readonly share: number }[]
}

/**
 * Divides the children among the owners of builds with waiting pages, and each owner’s among its projects. The owner
 * that has used the least processor time lately comes first, then the one that was served longest ago; of an owner the
 * project, of a project the build that was served longest ago.
 * @param size Children at most.
 * @param ownerOf Owner of a project.
 * @param useOf Processor time that an owner has used lately, in milliseconds.
 */
export function turnsOf<B extends WaitingBuild>(
  waiting: readonly B[],
  size: number,
  { ownerOf, useOf }: { readonly ownerOf: (project: string) => string; readonly useOf: (owner: string) => number },
): readonly OwnerTurn<B>[] {
  const owners = groups(waiting, (build) => ownerOf(build.project))
    .map(([owner, builds]) => ({ owner, builds, use: useOf(owner), turn: latest(builds) }))
    .sort((a, b) => a.use - b.use || a.turn - b.turn)
  return owners.map(({ owner, builds }, index) => {
    const share = part(size, owners.length, index)
    const ordered = groups(builds, (build) => build.project)
      .sort(([, a], [, b]) => latest(a) - latest(b))
      .flatMap(([, own]) => own.toSorted((a, b) => a.turn - b.turn))
    return { owner, share, builds: ordered.map((build, at) => ({ build, share: part(share, ordered.length, at) })) }
  })
}

/** What the one at `index` of `count` gets: what cannot be divided goes to the first, and none gets nothing. */
function part(size: number, count: number, index: number): number {
  return Math.max(1, Math.floor(size / count) + (index < size % count ? 1 : 0))
}

function groups<B>(builds: readonly B[], keyOf: (build: B) => string): [string, B[]][] {
  const found = new Map<string, B[]>()
  for (const build of builds) {
    const group = found.get(keyOf(build))
    if (group === undefined) found.set(keyOf(build), [build])
    else group.push(build)
  }
  return [...found]
}

function latest(builds: readonly WaitingBuild[]): number {
  return builds.reduce((most, { turn }) => Math.max(most, turn), 0)
}

/** Children without an open build, the one that has been idle longest first. They take no place of those at work. */
export function idleOf(workers: Iterable<Worker>, builds: Iterable<Build>): readonly Worker[] {
  const open = new Set([...builds].map((build) => build.project))
  return [...workers]
    .filter((worker) => worker.tasks.length === 0 && !open.has(worker.project))
    .sort((a, b) => a.idleSince - b.idleSince)
}

/** After this time half of what an owner has used is forgotten. */
const halfLifeMs = 60_000
/** Less than this counts as nothing. */
const leastMs = 1

/** Processor time of owners, the latest most: who has used much lately lets others go first. */
export class RecentUse {
  readonly #used = new Map<string, { readonly ms: number; readonly at: number }>()

  add(owner: string, ms: number, now: number): void {
    this.#used.set(owner, { ms: this.of(owner, now) + ms, at: now })
  }

  of(owner: string, now: number): number {
    const used = this.#used.get(owner)
    return used === undefined ? 0 : used.ms * 0.5 ** ((now - used.at) / halfLifeMs)
  }

  /** Forgets owners whose use no longer counts. */
  prune(now: number): void {
    for (const owner of this.#used.keys()) if (this.of(owner, now) < leastMs) this.#used.delete(owner)
  }
}
