import { quoteOf, type Comment, type CommentLine } from '../../../contract/comments.ts'
import type { DiffHunk } from '../../../contract/comparisons.ts'
import { spotKey, spotsOf, type DiffSpot } from '../../ui/diff-notes.ts'
import { unifiedRows } from '../../ui/diff-rows.ts'

/** What is commented on: the branch, a file of it, a line of that. */
export interface Place {
  readonly path?: string
  readonly line?: CommentLine
}

export interface Thread extends Place {
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
      const place = { ...(path === undefined ? {} : { path }), ...(line === undefined ? {} : { line }) }
      threads.set(id, { id, ...place, resolved, comments: [comment] })
    } else known.comments.push(comment)
  }
  return [...threads.values()]
}

export function placeOfSpot(path: string, { side, number, text }: DiffSpot): Place {
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
export function placed<T extends Place>(items: readonly T[], hunks: readonly DiffHunk[]): Placed<T> {
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

type Kept = Place | { readonly thread: string } | { readonly comment: string }

/** Where what somebody writes on a branch is kept: for each place, thread to answer in, and comment that is edited. */
export class KeptComments {
  readonly #prefix: string

  /** @param account id @param branch id */
  constructor(account: string, branch: string) {
    this.#prefix = `quire-comment ${account} ${branch} `
  }

  keyOf(what: Kept): string {
    return this.#prefix + JSON.stringify(what)
  }

  has(what: { readonly thread: string } | { readonly comment: string }): boolean {
    return localStorage.getItem(this.keyOf(what)) !== null
  }

  /** Places at which a new thread was begun. */
  places(): readonly Place[] {
    return this.#all().flatMap(({ what }) => ('thread' in what || 'comment' in what ? [] : [what]))
  }

  /** What was written and not sent, each with what it is about. */
  written(): readonly { readonly path: string; readonly text: string }[] {
    return this.#all().map(({ what, text }) => {
      if ('thread' in what) return { path: 'an answer', text }
      if ('comment' in what) return { path: 'an edited comment', text }
      return { path: what.path ?? 'the branch', text }
    })
  }

  #all(): readonly { readonly what: Kept; readonly text: string }[] {
    return Object.keys(localStorage).flatMap((key) => {
      if (!key.startsWith(this.#prefix)) return []
      const what = parsed(key.slice(this.#prefix.length))
      return what === undefined ? [] : [{ what, text: localStorage.getItem(key) ?? '' }]
    })
  }
}

function parsed(json: string): Kept | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** A text in pieces: every second one is an address that can be followed. */
export function withAddresses(text: string): readonly string[] {
  return text.split(/(https?:\/\/[^\s<>"]*[^\s<>"'.,;:!?)\]}’”])/)
}
