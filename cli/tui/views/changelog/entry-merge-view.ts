import { count } from '../../../output.ts'
import type { App } from '../../app/app.ts'
import type { Command, View } from '../../app/view.ts'
import { span } from '../../canvas/lines.ts'
import type { Region, Size } from '../../canvas/pane.ts'
import type { Line } from '../../canvas/style.ts'
import type { Draft } from '../../data/drafts/draft.ts'
import { entryDocument } from '../../data/entry-text.ts'
import { MergePane } from '../../panes/merge.ts'

/** Puts what two people wrote of an entry into one text, piece by piece. */
export class EntryMergeView implements View {
  readonly title = 'Two texts'
  readonly about =
    'You and somebody else changed this entry. Decide what stays, piece by piece: 1 takes yours, 2 theirs, 3 both, e writes another text. Nothing is saved before you take the result.'
  readonly #app: App
  readonly #pane: MergePane
  readonly #take: (text: string) => void

  /** @param take gets what came of it */
  constructor(app: App, { base, text, theirs }: Pick<Draft, 'base' | 'text' | 'theirs'>, take: (text: string) => void) {
    this.#app = app
    this.#take = take
    this.#pane = new MergePane({
      base: base.oid === null ? undefined : base.text,
      mine: text,
      theirs: theirs?.text ?? '',
      labels: { mine: 'yours', theirs: 'theirs' },
      onChange: () => app.refresh(),
    })
  }

  layout({ width, height }: Size): readonly Region[] {
    return [{ pane: this.#pane, row: 0, column: 0, width, height }]
  }

  status(): Line {
    const { open, all } = this.#pane.counts
    return [span(open === 0 ? 'all decided' : `${open} of ${count(all, 'piece')} to be decided`, { color: 'muted' })]
  }

  commands(): readonly Command[] {
    const { open } = this.#pane.counts
    return [
      {
        id: 'entry.take',
        title: 'Take the result, and save it',
        keys: ['ctrl+s'],
        hint: 'take it',
        ...(this.#pane.text === undefined
          ? { unavailable: `${count(open, 'piece')} to be decided: 1 yours, 2 theirs.` }
          : {}),
        run: () => this.#finish(),
      },
    ]
  }

  #finish(): void {
    const { text } = this.#pane
    if (text === undefined) return
    // Of two titles only one can stay: that is told here, where it can be mended.
    entryDocument(text)
    this.#app.pop()
    this.#take(text)
  }
}
