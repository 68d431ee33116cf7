import type { HistoryCommit } from '#contract/branches.ts'
import type { Command, View } from '../../app/view.ts'
import { fit, span } from '../../canvas/lines.ts'
import type { Pane, Region, Size } from '../../canvas/pane.ts'
import type { Line } from '../../canvas/style.ts'
import { shown } from '../../canvas/width.ts'
import { DiffPane } from '../../panes/diff.ts'
import { agoText } from '../shared/age.ts'
import { firstLine } from '../branches/branch-details.ts'
import { changeCommands } from './change-commands.ts'
import { changesOfCommit, type HistoryOptions } from './history-options.ts'
import { restoreCommand } from './restore.ts'

export interface CommitOptions extends HistoryOptions {
  readonly commit: HistoryCommit
  /** What the file of the history is called now. */
  readonly target?: string
}

/** What one commit changed. */
export class CommitView implements View {
  readonly title: string
  readonly about =
    'What one save changed. ] and [ go from change to change; r takes the version of the file in sight back that it left.'
  focused: Pane | undefined
  readonly #options: CommitOptions
  readonly #diff: DiffPane
  readonly #head: Pane
  #isLoaded = false

  constructor(options: CommitOptions) {
    this.#options = options
    const { commit } = options
    this.title = shown(firstLine(commit.message)).slice(0, 40)
    this.#diff = new DiffPane({ empty: () => (this.#isLoaded ? 'It changed no file.' : 'Loading …') })
    this.focused = this.#diff
    this.#head = {
      draw: ({ width }) => headLines(commit).map((line) => fit(line, width)),
      input: () => false,
      spoken: () => `${firstLine(commit.message)}, ${commit.author.name}, ${agoText(commit.committedAt)}`,
    }
  }

  layout({ width, height }: Size): readonly Region[] {
    const head = Math.min(headLines(this.#options.commit).length, Math.max(1, height - 4))
    return [
      { pane: this.#diff, row: head + 1, column: 0, width, height: Math.max(1, height - head - 1) },
      { pane: this.#head, row: 0, column: 0, width, height: head },
    ]
  }

  shown(): void {
    void this.#load()
  }

  commands(): readonly Command[] {
    const { commit, target } = this.#options
    const { file } = this.#diff
    if (file === undefined) return []
    return [
      restoreCommand({ ...this.#options, commit, path: file.path, target: target ?? file.path }),
      ...changeCommands(this.#diff),
    ]
  }

  async #load(): Promise<void> {
    if (this.#isLoaded) return
    const { context, commit, path } = this.#options
    try {
      const files = await changesOfCommit(this.#options, commit, path)
      this.#isLoaded = true
      this.#diff.show(files)
      context.app.refresh()
    } catch (error) {
      context.app.fail(error)
    }
  }
}

/** Lines of a message that are shown. */
const mostLines = 4

function headLines({ message, author, committedAt, oid }: HistoryCommit): readonly Line[] {
  const [title = '', ...others] = message.trim().split('\n', mostLines)
  return [
    [span(shown(title), { bold: true })],
    ...others.filter((line) => line.trim() !== '').map((line) => [span(shown(line))]),
    [span(`${shown(author.name)}, ${agoText(committedAt)}, ${oid.slice(0, 8)}`, { color: 'muted' })],
  ]
}
