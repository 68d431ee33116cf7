import type { BranchFileContent } from '#contract/branch-files.ts'
import type { Branch, HistoryCommit } from '#contract/branches.ts'
import { Failure } from '#contract/failure.ts'
import { contract } from '#contract/index.ts'
import { fileSize } from '#cli/output.ts'
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
      const version = await app.task('Reading the version', () => versionOf(options))
      if (version === undefined) return
      if (version.file.encoding !== 'utf-8') return restoreBytes(options, version.file)
      const prepared = await app.task('Comparing the versions', () => prepare(options, version))
      if (prepared === undefined) return
      if (prepared.now === prepared.wanted) return app.notify('The file is as it was then already.')
      app.push(new RestoreView(options, prepared))
    },
  }
}

interface Version {
  readonly file: BranchFileContent
  /** The commit that has it. */
  readonly oid: string
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

/** An image, say: there is no diff to look at, so its sizes are told. */
async function restoreBytes(
  { context, project, branch, commit, target }: RestoreOptions,
  file: BranchFileContent,
): Promise<void> {
  const { app, workspace } = context
  const files = workspace.project(project.slug).files(branch)
  const listed = await app.task('Comparing the versions', () => files.list())
  if (listed === undefined) return
  const now = listed.value.find(({ path, status }) => path === target && status !== 'deleted')
  if (now?.oid === file.oid) return app.notify('The file is as it was then already.')
  const before = now === undefined ? 'There is no such file now' : `Now it has ${fileSize(now.size)}`
  const isMeant = await app.dialogs.confirm({
    title: `Take ${shown(target)} back?`,
    body: [
      `${before}; the version from ${agoText(commit.committedAt)} has ${fileSize(file.size)}.`,
      'It is no text, so what differs cannot be shown here. The history keeps both.',
    ],
    act: 'Take it back',
  })
  if (!isMeant) return
  const bytes = Buffer.from(file.content, 'base64')
  const done = await app.task('Taking the version back', async () => {
    await files.upload(target, bytes, now?.oid)
    return true
  })
  if (done === true) app.notify(`${shown(target)} is what it was ${agoText(commit.committedAt)}.`, 'success')
}

async function prepare(options: RestoreOptions, { file, oid }: Version): Promise<Prepared> {
  const { context, project, branch, target } = options
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
async function versionOf({ context, project, branch, commit, path }: RestoreOptions): Promise<Version> {
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
        title: 'Save what you typed, and take the version back?',
        body: [
          `In ${shown(target)} something was typed here that is not saved on the branch. It is saved first, so the history keeps it; then the version from ${agoText(commit.committedAt)} takes its place.`,
        ],
        act: 'Save it, and take back',
      })
      if (!confirmed) return
    }
    const saved = await app.task('Taking the version back', async () => {
      const files = workspace.project(project.slug).files(branch)
      const draft = now === undefined ? await files.create(target, wanted) : await files.edit(target)
      try {
        if (isUnsaved) await draft.save(`Keep ${target} before it is taken back`)
        if (isUnsaved && draft.state !== 'saved') return draft.state
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
    else if (saved === 'waiting' && isUnsaved)
      app.notify(
        'What you typed is saved as soon as the service can be reached: take the version back then.',
        'warning',
      )
    else if (saved === 'waiting') app.notify('It is saved as soon as the service can be reached.', 'warning')
    else app.notify(`${shown(target)} is what it was ${agoText(commit.committedAt)}.`, 'success')
  }
}
