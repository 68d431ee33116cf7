import { blobOid } from '../../../../src/contract/blob-oid.ts'
import type { App } from '../../app/app.ts'
import type { Command } from '../../app/view.ts'
import { span } from '../../canvas/lines.ts'
import type { Line } from '../../canvas/style.ts'
import type { Draft } from '../../data/drafts/draft.ts'
import type { MergePane } from '../../panes/merge.ts'
import { mergeCommands } from '../merge/merge-commands.ts'
import type { Settlement } from '../merge/settlement.ts'
import type { Page } from './page.ts'
import { copyForPages } from '../shared/copy.ts'

interface Ends {
  /** Keeps what is decided and written in it. */
  readonly settlement: Settlement
  /** Back to the text. */
  readonly end: () => void
  readonly save: () => Promise<void>
  /** What was decided is in the text. */
  readonly taken: () => Promise<void>
}

/** Somebody else saved the page meanwhile: both texts are merged, piece by piece, and saved. */
export class ConflictMerge {
  readonly pane: MergePane
  readonly #page: Page
  readonly #app: App
  readonly #ends: Ends
  /** Of the branch, as the merge began. */
  readonly #oid: string | null

  private constructor(
    page: Page,
    app: App,
    ends: Ends & { readonly draft: Draft; readonly theirs: string; readonly oid: string | null },
  ) {
    this.#page = page
    this.#app = app
    this.#ends = ends
    this.#oid = ends.oid
    const { draft, oid, theirs, settlement } = ends
    const { base } = draft
    const mine = page.buffer.text()
    const conflict = {
      path: page.path,
      type: 'content' as const,
      oids: { branch: blobOid(Buffer.from(mine)), ...(oid === null ? {} : { main: oid }) },
      branch: mine,
      main: theirs,
      ...(base.oid === null ? {} : { base: base.text }),
    }
    settlement.take([conflict], [])
    const item = settlement.items.find(({ conflict: { path } }) => path === page.path)
    const about = item ?? { conflict, state: 'open' as const, decision: undefined, pieces: [] }
    this.pane = settlement.paneOf(about, 'your text', 'the branch, as somebody else saved it')
  }

  /**
   * Begins with the two texts. Where the branch has none any more, it asks what is to be.
   * @returns undefined: nothing is left to be merged, or the person wants to go on writing
   */
  static async of(page: Page, app: App, ends: Ends): Promise<ConflictMerge | undefined> {
    const { draft } = page
    const theirs = draft?.theirs
    if (draft === undefined || theirs === undefined) return undefined
    if (theirs.text === null) {
      await keepOrDrop(page, app, ends)
      return undefined
    }
    const merge = new ConflictMerge(page, app, { ...ends, draft, theirs: theirs.text, oid: theirs.oid })
    // What goes together needs nobody, where nothing was written of it before.
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
    const run = (): void => {
      copyForPages(this.#app, unplaced.join('\n'))
      this.#app.notify('Your text is copied: Ctrl-V in a page pastes it.', 'success')
    }
    return [
      { id: 'merge.copy', title: 'Copy your text of a place that is another one now', keys: ['y'], hint: 'copy', run },
    ]
  }

  async #take(): Promise<void> {
    const { text } = this.pane
    const { draft } = this.#page
    if (text === undefined || draft === undefined) return
    // The branch moved once more: what was decided is on a text that it has no longer.
    if (draft.theirs !== undefined && draft.theirs.oid !== this.#oid) {
      this.#ends.end()
      this.#page.become(text)
      this.#app.notify(
        'The branch changed once more. Your merged text is in the editor; Ctrl-S merges again.',
        'warning',
      )
      await this.#ends.taken()
      return
    }
    draft.rebase(text)
    this.#page.become(text)
    this.#ends.end()
    this.#app.notify('Both texts are merged.', 'success')
    try {
      await this.#ends.save()
    } finally {
      // The draft has it by then, whatever came of the save.
      await this.#ends.taken()
    }
  }
}

/** The branch has no such file any more, or no text in it. */
async function keepOrDrop(page: Page, app: App, { save }: Pick<Ends, 'save'>): Promise<void> {
  const { draft } = page
  const isDeleted = draft?.theirs?.oid === null
  const choice = await app.dialogs.choose({
    title: isDeleted ? 'Somebody deleted this page on the branch' : 'The branch has something here that is no text',
    choices: [
      { value: 'keep', label: 'Save your text there', detail: isDeleted ? 'it is there again' : 'it takes its place' },
      { value: 'later', label: 'Go on writing', detail: 'your text is kept here' },
    ],
  })
  if (choice !== 'keep' || draft === undefined) return
  draft.rebase(page.buffer.text())
  await save()
}
