import type { FileDiff } from '#contract/comparisons.ts'
import type { Command, View } from '../../app/view.ts'
import type { Region, Size } from '../../canvas/pane.ts'
import { DiffPane } from '../../panes/diff.ts'
import { changeCommands } from '../changes/change-commands.ts'

/** All that a turn changed: the conversation shows only the beginning of each file. */
export class TurnDiffView implements View {
  readonly title = 'What it changed'
  readonly about = 'What the last turn changed on the branch. ] and [ go from change to change.'
  readonly #diff = new DiffPane()

  constructor(files: readonly FileDiff[]) {
    this.#diff.show(files)
  }

  layout({ width, height }: Size): readonly Region[] {
    return [{ pane: this.#diff, row: 0, column: 0, width, height }]
  }

  commands(): readonly Command[] {
    return changeCommands(this.#diff)
  }
}
