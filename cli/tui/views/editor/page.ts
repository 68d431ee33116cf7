import type { ComponentInfo } from '#contract/components.ts'
import { BranchIndex } from '#authoring/branch-index.ts'
import { isPage } from '#authoring/page-paths.ts'
import { contract } from '#contract/index.ts'
import { span } from '../../canvas/lines.ts'
import type { Line } from '../../canvas/style.ts'
import type { BranchFiles } from '../../data/branch-files.ts'
import type { Draft, DraftState } from '../../data/drafts/draft.ts'
import type { Workspace } from '../../data/workspace.ts'
import { PageCompleter } from '#authoring/completer.ts'
import { highlighterOf } from '#authoring/highlighter.ts'
import { PageChecker } from '#authoring/page-checker.ts'
import { WordCount } from '#authoring/word-count.ts'
import { EditorPane } from '../../panes/editor.ts'
import { TextBuffer } from '../../text/buffer.ts'
import type { Marker } from '#authoring/language.ts'
import { cursorAt, endOf } from '../../text/positions.ts'
import { agoText } from '../shared/age.ts'
import type { Context } from '../shared/context.ts'

/** What the service knows of components, once for each sign-in. */
const catalogues = new WeakMap<Workspace, Promise<readonly ComponentInfo[]>>()

export function catalogueOf(workspace: Workspace): Promise<readonly ComponentInfo[]> {
  let catalogue = catalogues.get(workspace)
  if (catalogue === undefined) {
    catalogue = workspace.client.call(contract.components.list).then(
      ({ items }) => items,
      () => {
        // Nothing is completed then; the next page asks again.
        catalogues.delete(workspace)
        return []
      },
    )
    catalogues.set(workspace, catalogue)
  }
  return catalogue
}

const conflictWords = 'The branch has another text than the one that you began from. Ctrl-S merges the two.'

export interface PageOptions {
  readonly context: Context
  readonly files: BranchFiles
  readonly path: string
  readonly text: string
  /** Undefined: it is only read. */
  readonly draft: Draft | undefined
}

/** A file that is open: its text, the pane in which it is written, and what is known of it. */
export class Page {
  readonly path: string
  readonly buffer: TextBuffer
  readonly pane: EditorPane
  readonly draft: Draft | undefined
  readonly checker: PageChecker | undefined
  /** It is Markdown or MDX. */
  readonly isProse: boolean
  readonly #words: WordCount | undefined
  readonly #workspace: Workspace
  readonly #stops: (() => void)[] = []
  #components: readonly ComponentInfo[] = []
  /** The text is set to what the draft has: that is no typing. */
  #isFollowing = false
  #trouble: string | undefined
  readonly #cursor = (): number => this.buffer.offsetOf(this.pane.position)
  /** Of the draft, when it was heard of last. */
  #state: DraftState | undefined

  constructor({ context, files, path, text, draft }: PageOptions) {
    const { app, workspace } = context
    this.#workspace = workspace
    this.path = path
    this.draft = draft
    this.buffer = new TextBuffer(text)
    this.isProse = isPage(path)
    const refresh = (): void => app.refresh()
    const highlighter = highlighterOf(path, this.buffer, refresh)
    const index = new BranchIndex(async (at) => (await files.read(at)).value.text ?? '')
    const isWritten = this.isProse && draft !== undefined
    this.pane = new EditorPane({
      buffer: this.buffer,
      readOnly: draft === undefined,
      copy: (copied) => app.copy(copied),
      onMove: () => draft?.moved?.(this.#cursor),
      ...(highlighter === undefined ? {} : { highlighter }),
      ...(isWritten ? { completer: new PageCompleter(() => this.#components, index) } : {}),
    })
    this.#words = this.isProse ? new WordCount(this.buffer, refresh) : undefined
    this.checker =
      draft === undefined || !/\.mdx?$|(?:^|\/)docs\.json$/i.test(path) ? undefined : this.#newChecker(context, files)
    if (isWritten) {
      // Without the list there is nothing to complete: that is no failure of what the person does.
      files.list().then(
        ({ value }) => index.show(value),
        () => undefined,
      )
      void catalogueOf(workspace).then((components) => (this.#components = components))
    }
    if (draft !== undefined) this.buffer.selection = cursorAt(this.buffer.positionOf(draft.cursor))
    this.#stops.push(this.buffer.onChange((change) => this.#words?.changed(change)))
    if (draft !== undefined) this.#keep(draft, context)
    this.#stops.push(
      workspace.onChange(() => {
        if (workspace.connection === 'online' && this.checker?.state.kind === 'offline') this.checker.changed()
      }),
    )
    this.checker?.changed(0)
  }

  get problems(): readonly Marker[] {
    return this.pane.markers
  }

  /** Makes the text another one, in one step of undo. */
  become(text: string): void {
    this.buffer.become(text)
  }

  /** The text of the draft is another one, because the branch has it so: nothing was typed. */
  follow(): void {
    const { draft } = this
    if (draft === undefined) return
    this.#isFollowing = true
    try {
      this.buffer.become(draft.text)
    } finally {
      this.#isFollowing = false
    }
    this.checker?.changed()
  }

  status(): Line {
    const { line, column } = this.pane.position
    const words = this.#words?.total
    const counted = words === undefined ? '' : `${words} ${words === 1 ? 'word' : 'words'} · `
    return [span(`${counted}${line + 1}:${column + 1}`, { color: 'muted' }), ...this.#safety()]
  }

  /** @throws when what was typed cannot be kept */
  async close(): Promise<void> {
    for (const stop of this.#stops) stop()
    this.checker?.close()
    await this.draft?.close()
  }

  #safety(): Line {
    const { draft } = this
    if (draft === undefined) return [span(' · read-only', { color: 'muted' })]
    if (draft.trouble !== undefined && draft.state !== 'saved')
      return [span(' · not kept here', { color: 'danger', bold: true })]
    // Of a service that is there and refuses for now, Ctrl-S tells the reason.
    const awaited = this.#workspace.connection === 'offline' ? 'connection' : 'service'
    const words = {
      saved: span(' · saved', { color: 'success' }),
      changed: span(' · draft kept here', { color: 'muted' }),
      saving: span(' · saving', { color: 'muted' }),
      waiting: span(` · waiting for the ${awaited}`, { color: 'warning' }),
      conflict: span(' · conflict', { color: 'danger' }),
    }
    return [words[draft.state]]
  }

  #keep(draft: Draft, { app }: Context): void {
    const text = (): string => this.buffer.text()
    this.#stops.push(
      this.buffer.onChange(() => {
        if (this.#isFollowing) return
        draft.changed(text, this.#cursor, () => this.buffer.pieces())
        this.checker?.changed()
      }),
      draft.onChange(() => {
        const { trouble } = draft
        if (trouble !== undefined && trouble !== this.#trouble) app.notify(trouble, 'error')
        this.#trouble = trouble
        // A save that waited for the connection may find another text on the branch.
        if (draft.state === 'conflict' && this.#state === 'waiting') app.notify(conflictWords, 'warning')
        this.#state = draft.state
        app.refresh()
      }),
    )
  }

  #newChecker({ app, workspace }: Context, { slug, branchId }: BranchFiles): PageChecker | undefined {
    if (branchId === undefined) return undefined
    return new PageChecker({
      path: this.path,
      text: () => this.buffer.text(),
      length: () => this.buffer.offsetOf(endOf(this.buffer)),
      version: () => this.buffer.version,
      isOffline: () => workspace.connection === 'offline',
      ask: (content, signal) =>
        workspace.client.call(contract.branches.check, {
          params: { slug, id: branchId },
          body: { changes: [{ path: this.path, content }] },
          signal,
        }),
      onChange: ({ kind, markers }) => {
        if (kind === 'done' || kind === 'tooLong') this.pane.markers = markers
        app.refresh()
      },
    })
  }
}

/** What is to be told of a page when it is opened, in sentences. */
export function openingWords({ state, recovered, notice, others = [] }: Draft): readonly string[] {
  // Of one that another window has, the notice tells.
  const left = others.filter(({ elsewhere }) => !elsewhere)
  const [other] = left
  const own =
    state === 'conflict'
      ? [conflictWords]
      : recovered
        ? ['This is what you wrote here and did not save. Ctrl-S saves it on the branch.']
        : []
  return [
    ...own,
    ...(notice === undefined ? [] : [notice]),
    ...(other === undefined
      ? []
      : [
          left.length === 1
            ? `F4 shows another text of this page, written ${agoText(other.changedAt)}.`
            : `F4 shows ${left.length} other texts of this page.`,
        ]),
  ]
}
