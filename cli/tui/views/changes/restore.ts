import type { BranchFileContent } from '../../../../src/contract/branch-files.ts'
import type { Branch, HistoryCommit } from '../../../../src/contract/branches.ts'
import { Failure } from '../../../../src/contract/failure.ts'
import { contract } from '../../../../src/contract/index.ts'
import type { Command, View } from '../../app/view.ts'
import type { Region, Size } from '../../canvas/pane.ts'
import { shown } from '../../canvas/width.ts'
import type { Draft } from '../../data/drafts/draft.ts'
import { textDiff } from '../../data/text-diff.ts'
import { DiffPane } from '../../panes/diff.ts'
import { agoText } from '../shared/age.ts'
import { readOnlyReason } from '../shared/refusals.ts'
import type { HistoryOptions } from './history-options.ts'

const onMain =
  'main changes when a branch is published: the history of a branch has this version, too; take it back there.'

interface CommandOptions extends HistoryOptions {
  readonly commit: HistoryCommit
  /** What the file was called then. */
  readonly path: string
  /** What it is called now. */
  readonly target: string
}

interface RestoreOptions extends CommandOptions {
  readonly branch: Branch
}

/**
 * Shows how the version that a commit left differs from the file as it is; only then it can be taken back. Of main,
 * which changes only when something is published, it says where that is done.
 */
export function restoreCommand({ branch, ...request }: CommandOptions): Command {
  const command = { id: 'history.restore', title: 'Take this version of the file back', keys: ['r'] }
  if (branch === 'main') return { ...command, unavailable: onMain, run: () => undefined }
  const options = { ...request, branch }
  return {
    ...command,
    hint: 'take back',
    ...readOnlyReason(options.context.workspace, { project: options.project, scope: 'write' }),
    run: async () => {
      const { app } = options.context
      const prepared = await app.task('Comparing the versions', () => prepare(options))
      if (prepared === undefined) return
      if (prepared.now === prepared.wanted) return app.notify('The file is as it was then already.')
      app.push(new RestoreView(options, prepared))
    },
  }
}

interface Prepared {
  /** Undefined: there is no such file now. */
  readonly now: string | undefined
  readonly wanted: string
  /** The commit that has it. */
  readonly oid: string
  /** Something was typed here and not saved: it is what would be replaced. */
  readonly isUnsaved: boolean
}

async function prepare(options: RestoreOptions): Promise<Prepared> {
  const { context, project, branch, path, target } = options
  const { file, oid } = await versionOf(options)
  if (file.encoding !== 'utf-8')
    throw new Failure('invalid_content', `${shown(path)} is not text: only texts can be taken back here.`)
  const files = context.workspace.project(project.slug).files(branch)
  const draft = await openDraft(() => files.edit(target))
  if (draft === undefined) return { now: undefined, wanted: file.content, oid, isUnsaved: false }
  try {
    return { now: draft.text, wanted: file.content, oid, isUnsaved: draft.state !== 'saved' }
  } finally {
    await draft.close()
  }
}

/** The file as the commit left it; where that deleted it, as it was before. */
async function versionOf({ context, project, branch, commit, path }: RestoreOptions): Promise<{
  readonly file: BranchFileContent
  readonly oid: string
}> {
  const params = { slug: project.slug, id: branch.id, path }
  const read = async (oid: string) => ({
    file: await context.workspace.client.call(contract.branches.readFile, { params, query: { commit: oid } }),
    oid,
  })
  try {
    return await read(commit.oid)
  } catch (error) {
    const [parent] = commit.parents
    if (!(error instanceof Failure) || error.code !== 'not_found' || parent === undefined) throw error
    return read(parent)
  }
}

/** Undefined where there is no such file. */
async function openDraft(open: () => Promise<Draft>): Promise<Draft | undefined> {
  try {
    return await open()
  } catch (error) {
    if (error instanceof Failure && error.code === 'not_found') return undefined
    throw error
  }
}

/** What taking a version back would change; Enter does it. */
class RestoreView implements View {
  readonly title = 'Take back'
  readonly about =
    'What would change in the file: its text now, and the version that would take its place. Enter does it, as a new save.'
  readonly #options: RestoreOptions
  readonly #prepared: Prepared
  readonly #diff: DiffPane

  constructor(options: RestoreOptions, prepared: Prepared) {
    this.#options = options
    this.#prepared = prepared
    this.#diff = new DiffPane({ onOpen: () => void this.#restore() })
    this.#diff.show([textDiff(options.target, prepared.now ?? '', prepared.wanted)])
  }

  layout({ width, height }: Size): readonly Region[] {
    const title = `${shown(this.#options.target)} would become what it was ${agoText(this.#options.commit.committedAt)}:`
    return [{ pane: this.#diff, row: 1, column: 0, width, height: Math.max(1, height - 1), title }]
  }

  commands(): readonly Command[] {
    return [
      {
        id: 'history.restore.do',
        title: 'Take this version back',
        keys: ['r'],
        hint: 'take it back',
        run: () => this.#restore(),
      },
    ]
  }

  async #restore(): Promise<void> {
    const { context, project, branch, commit, target } = this.#options
    const { app, workspace } = context
    const { now, wanted, oid, isUnsaved } = this.#prepared
    if (isUnsaved) {
      const confirmed = await app.dialogs.confirm({
        title: 'Replace what is not saved?',
        body: [
          `In ${shown(target)} something was typed here that is not saved on the branch. The version from ${agoText(commit.committedAt)} takes its place.`,
        ],
        act: 'Replace it',
        danger: true,
      })
      if (!confirmed) return
    }
    const saved = await app.task('Taking the version back', async () => {
      const files = workspace.project(project.slug).files(branch)
      const draft = now === undefined ? await files.create(target, wanted) : await files.edit(target)
      try {
        draft.changed(
          () => wanted,
          () => 0,
        )
        await draft.save(`Take ${target} back to ${oid.slice(0, 8)}`)
        return draft.state
      } finally {
        await draft.close()
      }
    })
    if (saved === undefined) return
    app.pop()
    if (saved === 'conflict')
      app.notify('Somebody saved the file meanwhile: open it to settle the conflict.', 'warning')
    else if (saved === 'waiting') app.notify('It is saved as soon as the service can be reached.', 'warning')
    else app.notify(`${shown(target)} is what it was ${agoText(commit.committedAt)}.`, 'success')
  }
}
