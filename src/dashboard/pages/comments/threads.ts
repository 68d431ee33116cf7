import { quoteOf, type Comment, type CommentAnchor } from '#contract/comments.ts'
import type { DiffHunk } from '#contract/comparisons.ts'
import { spotKey, spotsOf, type DiffSpot } from '../../ui/diff-notes.ts'
import { unifiedRows } from '../../ui/diff-rows.ts'

export interface Thread extends CommentAnchor {
  readonly id: string
  readonly resolved: boolean
  /** Oldest first; one at least. */
  readonly comments: readonly Comment[]
}

/** Threads in the order in which they began. @param comments newest first */
export function threadsOf(comments: readonly Comment[]): readonly Thread[] {
  const threads = new Map<string, Thread & { readonly comments: Comment[] }>()
  for (const comment of comments.toReversed()) {
    const { thread: id, path, line, resolved } = comment
    const known = threads.get(id)
    if (known === undefined) {
      const anchor = { ...(path === undefined ? {} : { path }), ...(line === undefined ? {} : { line }) }
      threads.set(id, { id, ...anchor, resolved, comments: [comment] })
    } else known.comments.push(comment)
  }
  return [...threads.values()]
}

export function anchorOfSpot(path: string, { side, number, text }: DiffSpot): CommentAnchor {
  return { path, line: { side, number, text: quoteOf(text) } }
}

export interface Placed<T> {
  /** By `spotKey` of the line where they stand now. */
  readonly lines: ReadonlyMap<string, readonly T[]>
  /** About the file as a whole. */
  readonly whole: readonly T[]
  /** About lines that are not there any more. */
  readonly outdated: readonly T[]
}

/**
 * Where things about the lines of a file stand. A line that others have moved is followed where only one is like it; one
 * that was changed, or is not among the shown ones, is nowhere.
 */
export function placed<T extends CommentAnchor>(items: readonly T[], hunks: readonly DiffHunk[]): Placed<T> {
  const whole = items.filter(({ line }) => line === undefined)
  const lines = new Map<string, T[]>()
  const outdated: T[] = []
  const alike = whole.length === items.length ? new Map<string, string[]>() : spotsByText(hunks)
  for (const item of items) {
    if (item.line === undefined) continue
    const { side, text } = item.line
    const found = alike.get(`${side} ${quoteOf(text)}`) ?? []
    const own = spotKey(item.line)
    const at = found.includes(own) ? own : found.length === 1 ? found[0] : undefined
    if (at === undefined) outdated.push(item)
    else lines.set(at, [...(lines.get(at) ?? []), item])
  }
  return { lines, whole, outdated }
}

/** Keys of the shown lines by side and text. */
function spotsByText(hunks: readonly DiffHunk[]): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const spot of hunks.flatMap(unifiedRows).flatMap(spotsOf)) {
    const text = `${spot.side} ${quoteOf(spot.text)}`
    const keys = found.get(text)
    if (keys === undefined) found.set(text, [spotKey(spot)])
    else keys.push(spotKey(spot))
  }
  return found
}

/** A text in pieces: every second one is an address that can be followed. */
export function withAddresses(text: string): readonly string[] {
  return text.split(/(https?:\/\/[^\s<>"]*[^\s<>"'.,;:!?)\]}’”])/)
}
