import { blobOid } from '#contract/blob-oid.ts'
import type { App } from '../../app/app.ts'
import type { Command } from '../../app/view.ts'
import { span } from '../../canvas/lines.ts'
import type { Line } from '../../canvas/style.ts'
import type { DecisionPlace } from '../../data/drafts/decision.ts'
import type { Draft } from '../../data/drafts/draft.ts'
import type { MergePane } from '../../panes/merge.ts'
import { copyForPages } from '../shared/copy.ts'
import { mergeCommands } from './merge-commands.ts'
import type { PendingMerge } from './pending-merge.ts'
import type { PendingMerges } from './pending-merges.ts'

/** A text that is written, and of which somebody else saved another one meanwhile. */
export interface ConflictingText {
  readonly draft: Draft
  /** What it is one of: a branch, or a changelog. */
  readonly of: DecisionPlace
  /** Who has theirs: `the branch`. */
  readonly other: string
  /** As it stands on the screen. */
  readonly text: () => string
  /** Shows a text, as one that was typed. */
  readonly become: (text: string) => void
  /** @throws Failure where a text cannot be one of these */
  readonly check?: (text: string) => void
}

interface Ends {
  readonly app: App
  /** Keeps what is decided and written in it. */
  readonly pendingMerges: PendingMerges
  /** Back to the text. */
  readonly end: () => void
  readonly save: () => Promise<unknown>
}

/** Merges the text that somebody has written with the one that somebody else saved, piece by piece. */
export class ConflictMerge {
  readonly pane: MergePane
  readonly #conflicting: ConflictingText
  readonly #ends: Ends
  readonly #place: DecisionPlace
  /** Of theirs, as the merge began. */
  readonly #oid: string | null

  private constructor(
    conflicting: ConflictingText,
    ends: Ends,
    {
      pendingMerge,
      theirs,
      oid,
    }: { readonly pendingMerge: PendingMerge; readonly theirs: string; readonly oid: string | null },
  ) {
    this.#conflicting = conflicting
    this.#ends = ends
    this.#oid = oid
    const { path, base } = conflicting.draft
    this.#place = { ...conflicting.of, path }
    const mine = conflicting.text()
    const conflict = {
      path,
      type: 'content' as const,
      oids: { branch: blobOid(Buffer.from(mine)), ...(oid === null ? {} : { main: oid }) },
      branch: mine,
      main: theirs,
      ...(base.oid === null ? {} : { base: base.text }),
    }
    pendingMerge.take([conflict], [])
    const item = pendingMerge.items.find((one) => one.conflict.path === path)
    const about = item ?? { conflict, state: 'open' as const, decision: undefined, pieces: [] }
    this.pane = pendingMerge.paneOf(about, 'your text', `${conflicting.other}, as somebody else saved it`)
  }

  /**
   * Begins with the two texts. What goes together is merged and saved without a question.
   * @returns undefined: nothing is left to be decided
   */
  static async of(conflicting: ConflictingText, ends: Ends): Promise<ConflictMerge | undefined> {
    const { draft, of } = conflicting
    const pendingMerge = await ends.pendingMerges.open({ ...of, path: draft.path })
    const { theirs } = draft
    if (theirs === undefined || theirs.text === null) return undefined
    const merge = new ConflictMerge(conflicting, ends, { pendingMerge, theirs: theirs.text, oid: theirs.oid })
    // Nor is there anything that was written of it before.
    if (merge.pane.counts.all > 0 || merge.pane.unplaced.length > 0) return merge
    await merge.#take()
    return undefined
  }

  status(): Line {
    const { all, open } = this.pane.counts
    return open === 0
      ? [span('all decided: Ctrl-S saves', { color: 'success' })]
      : [span(`${all - open} of ${all} decided`, { color: 'warning' })]
  }

  commands(): readonly Command[] {
    const { open } = this.pane.counts
    return [
      ...mergeCommands(this.pane),
      ...this.#copyCommands(),
      {
        id: 'merge.save',
        title: 'Save the merged text',
        keys: ['ctrl+s'],
        ...(open === 0 && !this.pane.typing
          ? { hint: 'save' }
          : {
              unavailable: this.pane.typing
                ? 'Esc takes what you write; then save.'
                : 'There are pieces to be decided.',
            }),
        run: () => this.#take(),
      },
      {
        id: 'back',
        title: 'Go back to your text, and merge later',
        keys: ['escape'],
        hint: 'back',
        run: () => this.#ends.end(),
      },
    ]
  }

  #copyCommands(): readonly Command[] {
    const { unplaced, typing } = this.pane
    if (typing || unplaced.length === 0) return []
    const { app } = this.#ends
    const run = (): void => {
      copyForPages(app, unplaced.join('\n'))
      app.notify('Your text is copied: Ctrl-V in a text pastes it.', 'success')
    }
    return [{ id: 'merge.copy', title: 'Copy your text that is in no piece', keys: ['y'], hint: 'copy', run }]
  }

  async #take(): Promise<void> {
    const { text } = this.pane
    if (text === undefined) return
    const { app, end, save } = this.#ends
    const { draft, other, become, check } = this.#conflicting
    check?.(text)
    // Theirs is another one once more: what was decided is on a text that is there no longer.
    if (draft.theirs !== undefined && draft.theirs.oid !== this.#oid) {
      end()
      become(text)
      app.notify(
        `${other[0]?.toUpperCase()}${other.slice(1)} changed once more. Your merged text is in the editor; Ctrl-S merges again.`,
        'warning',
      )
      await this.#forget()
      return
    }
    draft.rebase(text)
    become(text)
    end()
    app.notify('Both texts are merged.', 'success')
    try {
      await save()
    } finally {
      // Else it goes on, perhaps in another merge already.
      if (draft.state !== 'conflict') await this.#forget()
    }
  }

  /** What was decided is kept until the draft has it on the disk, whatever came of the save. */
  async #forget(): Promise<void> {
    const isKept = await this.#conflicting.draft.keep().then(
      () => true,
      () => false,
    )
    if (isKept) await this.#ends.pendingMerges.forget(this.#place)
  }
}
