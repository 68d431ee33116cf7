import { AsyncLocalStorage } from 'node:async_hooks'

/** Work on input of any size that may pause wherever it yields; `'large'` says that this step took a millisecond or more. */
export type Steps<T> = Generator<'large' | void, T, void>

/**
 * Work of one turn of the event loop, in milliseconds. Whatever else is asked meanwhile waits for it at every step, and a
 * deploy has dozens: of the loop's turns themselves, each costs some hundredths.
 */
const slice = 1

/** Small steps between two looks at the clock, which costs more than most of them. */
const unwatched = 8

/** When the slice of this turn began; undefined in a turn that has had none. */
let began: number | undefined
/** For whom the work is done that runs now. */
const working = new AsyncLocalStorage<string>()
/** Works that wait for a turn, first come first, by owner. */
const waiting = new Map<string, (() => void)[]>()
/** Owners that have had a turn lately; the one that had the last is last. */
const served = new Set<string>()
const mostServed = 1000

/** Does work for an owner: with whatever it leads to, it shares the turns that are for this owner’s works. */
export function forOwner<T>(owner: string, work: () => T): T {
  return working.run(owner, work)
}

/**
 * Does work in slices, with whole turns of the event loop between them: meanwhile others are answered. All such works of
 * the process share one slice a turn, however many there are, and their owners have it by turns. Throws the signal’s reason when nobody waits for it any more.
 */
export async function inSlices<T>(steps: Steps<T>, signal?: AbortSignal): Promise<T> {
  for (let small = 0; ;) {
    if (small === 0 && isTurnOver()) {
      await nextTurn()
      signal?.throwIfAborted()
    }
    const step = steps.next()
    if (step.done === true) return step.value
    small = step.value === 'large' ? 0 : (small + 1) % unwatched
  }
}

/** Does work without a pause, in a process where nobody else waits. */
export function wholly<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** Items that are under way together where nobody says how many: whoever answers them is never out of work. */
const commonlyAtOnce = 256

/**
 * Does work that waits for others for each of many items, some of them at a time and in slices: a promise for each of
 * them at once holds the event loop by itself, and so do many that find their answer in memory. Rejects with the first
 * failure, and begins no other work after it.
 */
export async function eachInTurns<T>(
  items: Iterable<T>,
  work: (item: T) => Promise<void>,
  atOnce = commonlyAtOnce,
): Promise<void> {
  const all = [...items]
  let taken = 0
  let failed = false
  const go = async (): Promise<void> => {
    try {
      for (;;) {
        if (isTurnOver()) await nextTurn()
        if (failed || taken >= all.length) return
        await work(all[taken++] as T)
      }
    } catch (error) {
      failed = true
      throw error
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, all.length) }, go))
}

/** Items that are sorted, and merged, without a pause: a millisecond or two where they are long and begin alike. */
const sortedAtOnce = 250

/** The items in order; a stable sort. */
export function* sorted<T>(items: readonly T[], compare: (one: T, other: T) => number): Steps<T[]> {
  if (items.length <= sortedAtOnce) return items.toSorted(compare)
  const middle = items.length >> 1
  const left = yield* sorted(items.slice(0, middle), compare)
  yield 'large'
  const right = yield* sorted(items.slice(middle), compare)
  const merged: T[] = []
  let at = 0
  for (const item of left) {
    for (let next = right[at]; next !== undefined && compare(next, item) < 0; next = right[at]) {
      merged.push(next)
      at += 1
      if (merged.length % sortedAtOnce === 0) yield 'large'
    }
    merged.push(item)
    if (merged.length % sortedAtOnce === 0) yield 'large'
  }
  for (; at < right.length; at++) merged.push(right[at] as T)
  return merged
}

/** Whether this turn’s slice is over: then `await nextTurn()`. Nothing between two looks may take long by itself. */
export function isTurnOver(): boolean {
  const now = performance.now()
  if (began === undefined) begin(now)
  return now - (began ?? now) >= slice
}

/** Lets everybody else go first. */
export function nextTurn(): Promise<void> {
  if (began === undefined) begin(performance.now())
  const owner = working.getStore() ?? ''
  return new Promise((resolve) => {
    const others = waiting.get(owner)
    if (others === undefined) waiting.set(owner, [resolve])
    else others.push(resolve)
  })
}

function begin(now: number): void {
  began = now
  // Runs when this turn has had its slice, and before the next one waits for anything.
  setImmediate(() => {
    began = undefined
    const next = takeNext()
    if (next === undefined) return
    begin(performance.now())
    next()
  })
}

/** The first work of the owner that was served longest ago. */
function takeNext(): (() => void) | undefined {
  let owner: string | undefined
  if (waiting.size > 1) {
    for (const one of waiting.keys()) if (!served.has(one)) owner ??= one
    if (owner === undefined) for (const one of served) if (waiting.has(one)) owner ??= one
  }
  owner ??= waiting.keys().next().value
  if (owner === undefined) return undefined
  const works = waiting.get(owner) ?? []
  const next = works.shift()
  if (works.length === 0) waiting.delete(owner)
  served.delete(owner)
  served.add(owner)
  if (served.size > mostServed) for (const oldest of served) if (served.size > mostServed) served.delete(oldest)
  return next
}
