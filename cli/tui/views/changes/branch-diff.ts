import type { Branch, FileDiff } from '#contract/branches.ts'
import { contract } from '#contract/index.ts'
import type { Project } from '#contract/projects.ts'
import { count } from '#cli/output.ts'
import type { Command, View } from '../../app/view.ts'
import { span } from '../../canvas/lines.ts'
import type { Pane, Region, Size } from '../../canvas/pane.ts'
import type { Line } from '../../canvas/style.ts'
import { shown, widthOf } from '../../canvas/width.ts'
import { changesOf, DiffPane } from '../../panes/diff.ts'
import { ListPane } from '../../panes/list.ts'
import { changeCommands } from './change-commands.ts'
import type { Context } from '../shared/context.ts'
import { readOnlyReason } from '../shared/refusals.ts'
import { row, widest } from '../shared/row.ts'

/** Narrower, the list stands above the diff. */
const wide = 90
const widestList = 44
const highestList = 8
const marks = {
  added: ['+', 'added'],
  modified: ['~', 'accent'],
  deleted: ['−', 'deleted'],
  renamed: ['→', 'accent'],
} as const

/** What a branch changed since it left main: its files, and what is different in each. */
export class BranchDiffView implements View {
  readonly title: string
  readonly about =
    'What this branch changed since it left main. ] and [ go from change to change, Enter opens the page there, and x takes main’s version of the file back.'
  focused: Pane | undefined
  readonly #context: Context
  readonly #project: Project
  readonly #branch: Branch
  readonly #list: ListPane<FileDiff>
  readonly #diff: DiffPane
  #isLoaded = false

  constructor(context: Context, project: Project, branch: Branch) {
    this.#context = context
    this.#project = project
    this.#branch = branch
    this.title = `Changes of ${branch.name}`
    this.#list = new ListPane<FileDiff>({
      row: fileRow,
      text: ({ path, status }) => `${path}, ${status}`,
      key: ({ path }) => path,
      empty: () => this.#emptyText(),
      onOpen: (file) => this.#open(file),
      onSelect: (file) => file !== undefined && this.#diff.reveal(file),
    })
    this.#diff = new DiffPane({
      empty: () => this.#emptyText(),
      onOpen: (file, line) => this.#open(file, line),
      onFile: (file) => (this.#list.selected = file),
    })
  }

  get typing(): boolean {
    return this.#list.typing
  }

  layout({ width, height }: Size): readonly Region[] {
    const files = { pane: this.#list, title: 'Files', row: 1, column: 0 }
    const diff = { pane: this.#diff, title: 'Since it left main' }
    if (width < wide) {
      const above = Math.max(1, Math.min(this.#list.items.length, highestList, Math.floor(height / 3)))
      return [
        { ...files, width, height: above },
        { ...diff, row: above + 3, column: 0, width, height: Math.max(0, height - above - 3) },
      ]
    }
    const left = Math.min(widestList, Math.floor(width * 0.3))
    return [
      { ...files, width: left, height: Math.max(0, height - 1) },
      { ...diff, row: 1, column: left + 2, width: width - left - 2, height: Math.max(0, height - 1) },
    ]
  }

  shown(): void {
    void this.#load()
  }

  commands(): readonly Command[] {
    const file = this.#list.selected
    return [
      {
        id: 'diff.restore',
        title: 'Take main’s version of the file back',
        keys: ['x'],
        hint: 'undo changes',
        ...(file === undefined ? { unavailable: 'There is no change to take back.' } : {}),
        ...readOnlyReason(this.#context.workspace, { project: this.#project, scope: 'write' }),
        run: () => (file === undefined ? undefined : this.#restore(file)),
      },
      ...changeCommands(this.#diff),
      { id: 'diff.reload', title: 'Refresh', keys: ['r'], run: () => this.#load() },
    ]
  }

  status(): Line {
    const total = { added: 0, deleted: 0 }
    for (const file of this.#diff.files) {
      const { added, deleted } = changesOf(file)
      total.added += added
      total.deleted += deleted
    }
    return this.#isLoaded
      ? [
          span(`${count(this.#diff.files.length, 'file')}  `),
          span(`+${total.added}`, { color: 'added' }),
          span(` −${total.deleted}`, { color: 'deleted' }),
        ]
      : []
  }

  #emptyText(): string {
    return this.#isLoaded ? 'This branch has changed nothing yet.' : 'Loading …'
  }

  #open(file: FileDiff, line?: number): void {
    const { app, routes } = this.#context
    if (file.status === 'deleted') return app.notify('The branch deleted this file: x takes it back.', 'warning')
    const first = line ?? file.hunks[0]?.lines.findIndex(({ kind }) => kind !== 'context') ?? 0
    const at = line ?? (file.hunks[0]?.newStart ?? 1) + Math.max(0, first)
    app.push(routes.page(this.#project, this.#branch, { path: file.path, line: Math.max(1, at) }))
  }

  async #load(): Promise<void> {
    const { app, workspace } = this.#context
    try {
      const params = { slug: this.#project.slug, id: this.#branch.id }
      const { files } = await workspace.client.call(contract.branches.diff, { params })
      this.#isLoaded = true
      this.#diff.show(files)
      this.#list.items = files
      const { selected } = this.#list
      if (selected !== undefined) this.#diff.reveal(selected)
      app.refresh()
    } catch (error) {
      app.fail(error)
    }
  }

  async #restore(file: FileDiff): Promise<void> {
    const { app, workspace } = this.#context
    const isNew = file.status === 'added'
    const confirmed = await app.dialogs.confirm({
      title: isNew ? `Delete ${shown(file.path)}?` : `Take main’s version of ${shown(file.path)} back?`,
      body: [
        isNew
          ? 'Main has no such file: it is deleted on this branch.'
          : 'What this branch changed in it is undone, in a commit of its own: its history keeps what it was.',
      ],
      act: isNew ? 'Delete it' : 'Take main’s version',
      danger: isNew,
    })
    if (!confirmed) return
    const done = await app.task('Taking main’s version back', async () => {
      const files = workspace.project(this.#project.slug).files(this.#branch)
      for (const path of file.oldPath === undefined ? [file.path] : [file.path, file.oldPath]) {
        const { value } = await files.list()
        const listed = value.find((one) => one.path === path)
        if (listed !== undefined) await files.restore(listed)
      }
      return true
    })
    if (done === undefined) return
    app.notify(`${shown(file.path)} is as on main.`, 'success')
    await this.#load()
  }
}

function fileRow(file: FileDiff, { width }: { readonly width: number }): Line {
  const [mark, color] = marks[file.status]
  const { added, deleted } = changesOf(file)
  const numbers = file.binary ? '' : `+${added} −${deleted}`
  return row(width, [
    { line: [span(mark, { color })], width: 1 },
    { line: [span(shownPath(file.path, width - 6 - widthOf(numbers)))] },
    { line: [span(numbers, { color: 'muted' })], width: widest([widthOf(numbers)], 14), right: true, from: 24 },
  ])
}

/** The end of a path says more than its beginning. */
function shownPath(path: string, width: number): string {
  const text = shown(path)
  return widthOf(text) <= width ? text : `…${text.slice(Math.max(0, text.length - Math.max(1, width - 1)))}`
}
