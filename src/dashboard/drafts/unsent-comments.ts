import type { CommentAnchor } from '../../contract/comments.ts'
import { storedKeys, storedText } from '../local-storage.ts'

type Unsent = CommentAnchor | { readonly thread: string } | { readonly comment: string }

/** Where what somebody writes on a branch is kept: for each place, thread to answer in, and comment that is edited. */
export class UnsentComments {
  readonly #prefix: string

  /** @param account id @param branch id */
  constructor(account: string, branch: string) {
    this.#prefix = `quire-comment ${account} ${branch} `
  }

  keyOf(what: Unsent): string {
    return this.#prefix + JSON.stringify(what)
  }

  has(what: { readonly thread: string } | { readonly comment: string }): boolean {
    return storedText(this.keyOf(what)) !== undefined
  }

  /** Places at which a new thread was begun. */
  anchors(): readonly CommentAnchor[] {
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

  #all(): readonly { readonly what: Unsent; readonly text: string }[] {
    return storedKeys(this.#prefix).flatMap((key) => {
      const what = parsed(key.slice(this.#prefix.length))
      return what === undefined ? [] : [{ what, text: storedText(key) ?? '' }]
    })
  }
}

function parsed(json: string): Unsent | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
