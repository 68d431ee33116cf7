import type { CommentAnchor } from '../../contract/comments.ts'

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
    return localStorage.getItem(this.keyOf(what)) !== null
  }

  /** CommentAnchors at which a new thread was begun. */
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
    return Object.keys(localStorage).flatMap((key) => {
      if (!key.startsWith(this.#prefix)) return []
      const what = parsed(key.slice(this.#prefix.length))
      return what === undefined ? [] : [{ what, text: localStorage.getItem(key) ?? '' }]
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
