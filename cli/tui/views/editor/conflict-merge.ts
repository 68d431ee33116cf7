import type { App } from '../../app/app.ts'
import type { Command } from '../../app/view.ts'
import { span } from '../../canvas/lines.ts'
import type { Line } from '../../canvas/style.ts'
import { MergePane } from '../../panes/merge.ts'
import { mergeCommands } from '../merge/merge-commands.ts'
import type { Page } from './page.ts'

interface Ends {
  /** Back to the text. */
  readonly end: () => void
  readonly save: () => Promise<void>
}

/** Somebody else saved the page meanwhile: both texts are merged, piece by piece, and saved. */
export class ConflictMerge {
  readonly pane: MergePane
  readonly #page: Page
  readonly #app: App
  readonly #ends: Ends
  /** Of the branch, as the merge began. */
  readonly #oid: string | null
  /** Of the text here, as the merge began. */
  readonly #version: number

  private constructor(page: Page, app: App, ends: Ends & { readonly theirs: string; readonly oid: string | null }) {
    this.#page = page
    this.#app = app
    this.#ends = ends
    this.#oid = ends.oid
    this.#version = page.buffer.version
    this.pane = new MergePane({
      base: page.draft?.base.oid === null ? undefined : page.draft?.base.text,
      mine: page.buffer.text(),
      theirs: ends.theirs,
      labels: { mine: 'your text', theirs: 'the branch, as somebody else saved it' },
      onChange: () => app.refresh(),
    })
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
    const merge = new ConflictMerge(page, app, { ...ends, theirs: theirs.text, oid: theirs.oid })
    // What goes together needs nobody.
    if (merge.pane.counts.all > 0) return merge
    await merge.#take()
    return undefined
  }

  /** What was decided still holds: both texts are as they were. */
  get holds(): boolean {
    const { draft, buffer } = this.#page
    return draft?.theirs !== undefined && draft.theirs.oid === this.#oid && buffer.version === this.#version
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
      return
    }
    draft.rebase(text)
    this.#page.become(text)
    this.#ends.end()
    this.#app.notify('Both texts are merged.', 'success')
    await this.#ends.save()
  }
}

/** The branch has no such file any more, or no text in it. */
async function keepOrDrop(page: Page, app: App, { save }: Ends): Promise<void> {
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
