import { Failure } from '#contract/failure.ts'
import type { Command, TourNote, View } from '../../app/view.ts'
import { readOnlyReason } from '../shared/refusals.ts'
import { span } from '../../canvas/lines.ts'
import type { Pane, Region, Size } from '../../canvas/pane.ts'
import type { Line } from '../../canvas/style.ts'
import { shown } from '../../canvas/width.ts'
import type { BranchFiles } from '../../data/branch-files.ts'
import type { Draft, DraftState } from '../../data/drafts/draft.ts'
import { ProsePane } from '../../panes/prose.ts'
import { editorCommands } from './commands.ts'
import { ConflictMerge } from '../merge/conflict-merge.ts'
import { conflictingPage, keepOrDrop } from './conflicting-page.ts'
import { FindBar } from './find-bar.ts'
import { NoteLine } from './note-line.ts'
import type { EditorOptions } from './options.ts'
import { openingWords, Page } from './page.ts'

/** Columns from which on the preview stands beside the text. */
const wide = 100
/** So long nobody has typed before the preview is made anew, in milliseconds. */
const previewRest = 200

const editorTour: TourNote = {
  text: [
    'Write as you like: what you type is kept on this machine within a second, whatever happens.',
    'Ctrl-S saves it on the branch. F7 shows what the page looks like; a dot in front of a line means that something is wrong there.',
    'Ctrl-P finds every command, Esc goes back.',
  ],
  last: true,
}

/** A page is read and written. */
export class EditorView implements View {
  readonly title: string
  readonly tour = editorTour
  focused: Pane | undefined
  readonly #options: EditorOptions
  readonly #files: BranchFiles
  readonly #stops: (() => void)[] = []
  #page: Page | undefined
  #note: NoteLine | undefined
  #find: FindBar | undefined
  #isFinding = false
  #preview: ProsePane | undefined
  #isPreviewing = false
  #previewTimer: NodeJS.Timeout | undefined
  /** The line that the preview stands at. */
  #previewLine = -1
  #merge: ConflictMerge | undefined
  #isClosed = false
  #hasBegun = false

  constructor(options: EditorOptions) {
    const { context, project, branch, place } = options
    this.#options = options
    this.title = place.path
    this.#files = context.workspace.project(project.slug).files(branch)
  }

  get about(): string {
    return this.#page?.pane.readOnly === true
      ? 'A page as it is. What is published changes through branches: create one to write on it.'
      : 'Write. What you type is kept on this machine within a second; Ctrl-S saves it on the branch, where its preview shows it. Ctrl-F finds, F7 shows what the page looks like, F8 goes to the next problem.'
  }

  layout({ width, height }: Size): readonly Region[] {
    const page = this.#page
    if (page === undefined) return [{ pane: opening, row: 0, column: 0, width, height }]
    if (this.#merge !== undefined) return [{ pane: this.#merge.pane, row: 0, column: 0, width, height }]
    const bar = this.#isFinding ? this.#find : undefined
    const rows = Math.max(1, height - 1 - (bar?.height ?? 0))
    const bottom: Region[] = [
      ...(bar === undefined ? [] : [{ pane: bar, row: rows, column: 0, width, height: bar.height }]),
      ...(this.#note === undefined ? [] : [{ pane: this.#note, row: height - 1, column: 0, width, height: 1 }]),
    ]
    const preview = this.#isPreviewing ? this.#preview : undefined
    if (preview === undefined) return [{ pane: page.pane, row: 0, column: 0, width, height: rows }, ...bottom]
    this.#scrollAlong(page, preview)
    if (width < wide) {
      const upper = Math.floor(rows / 2)
      return [
        { pane: page.pane, row: 0, column: 0, width, height: upper },
        { pane: preview, row: upper + 1, column: 0, width, height: rows - upper - 1, title: 'Preview' },
        ...bottom,
      ]
    }
    const left = Math.floor((width - 2) / 2)
    return [
      { pane: page.pane, row: 0, column: 0, width: left, height: rows },
      { pane: preview, row: 0, column: left + 2, width: width - left - 2, height: rows },
      ...bottom,
    ]
  }

  commands(): readonly Command[] {
    const page = this.#page
    if (page === undefined) return []
    if (this.#merge !== undefined) return this.#merge.commands()
    return editorCommands({
      options: this.#options,
      page,
      find: this.#find,
      isFinding: this.#isFinding,
      isPreviewing: this.#isPreviewing,
      openFind: (isReplacing) => this.#openFind(isReplacing),
      closeFind: () => this.#closeFind(),
      togglePreview: () => this.#togglePreview(),
      save: () => this.#save(),
      merge: () => this.#openMerge(),
    })
  }

  status(): Line {
    return this.#merge?.status() ?? this.#page?.status() ?? []
  }

  shown(): void {
    if (!this.#hasBegun) {
      this.#hasBegun = true
      void this.#open()
    } else void this.#lookAgain()
  }

  closed(): void {
    const { app } = this.#options.context
    this.#isClosed = true
    for (const stop of this.#stops) stop()
    clearTimeout(this.#previewTimer)
    this.#find?.closed()
    this.#page?.close().catch((error: unknown) => app.fail(error))
  }

  /** What is typed is kept on this machine, so nothing is asked; only where it cannot be. */
  async mayLeave(): Promise<boolean> {
    const draft = this.#page?.draft
    if (draft?.trouble === undefined || draft.state === 'saved') return true
    return this.#options.context.app.dialogs.confirm({
      title: 'What you typed is not safe yet',
      body: [draft.trouble, 'Save it on the branch with Ctrl-S, or copy it, before you leave.'],
      act: 'Leave and lose it',
      danger: true,
    })
  }

  async #open(): Promise<void> {
    const { context, place, project } = this.#options
    const { app, workspace } = context
    try {
      const isWriter = readOnlyReason(workspace, { project, scope: 'write' }).unavailable === undefined
      const isReadOnly = this.#files.readOnly || !isWriter
      const { text, draft } = isReadOnly ? await this.#read(place.path) : await this.#edit(place.path)
      if (this.#isClosed) {
        await draft?.close()
        return
      }
      this.#begin(new Page({ context, files: this.#files, path: place.path, text, draft }))
    } catch (error) {
      if (this.#isClosed) return
      // Where the person is elsewhere it stays below, and is opened when they come back.
      this.#hasBegun = false
      app.pop()
      app.fail(error)
    }
    app.refresh()
  }

  async #edit(path: string): Promise<{ readonly text: string; readonly draft: Draft }> {
    const draft = await this.#files.edit(path)
    return { text: draft.text, draft }
  }

  async #read(path: string): Promise<{ readonly text: string; readonly draft: undefined }> {
    const { value } = await this.#files.read(path)
    if (value.text === undefined)
      throw new Failure('invalid_request', `${path} is no text.`, { hint: 'Look at it on the site.' })
    return { text: value.text, draft: undefined }
  }

  #begin(page: Page): void {
    const { app } = this.#options.context
    const { place } = this.#options
    this.#page = page
    this.#note = new NoteLine(page)
    this.#find = new FindBar(app, page.pane, () => this.#closeFind())
    this.focused = page.pane
    this.#stops.push(
      page.buffer.onChange(() => {
        if (this.#isFinding) this.#find?.changed()
        this.#renewPreview()
      }),
    )
    if (place.line !== undefined) page.pane.reveal({ line: place.line - 1, column: (place.column ?? 1) - 1 })
    else page.pane.reveal(page.pane.position)
    const words = page.draft === undefined ? [] : openingWords(page.draft)
    if (words.length > 0) app.notify(words.join(' '), 'warning')
  }

  /** The view is seen again: the branch may have another text by now. */
  async #lookAgain(): Promise<void> {
    const page = this.#page
    // Whoever comes back has signed in again, say.
    if (page?.checker?.state.kind === 'failed') page.checker.changed(0)
    if (page?.draft?.refresh === undefined) return
    try {
      const before = page.buffer.version
      await page.draft.refresh()
      if (page.draft.state === 'saved' && page.buffer.version === before) page.follow()
    } catch (error) {
      // Offline, what is here is what there is.
      if (!(error instanceof Failure)) throw error
    }
    this.#options.context.app.refresh()
  }

  async #save(): Promise<void> {
    const { app } = this.#options.context
    const draft = this.#page?.draft
    if (draft === undefined) return
    const stateNow = (): DraftState => draft.state
    if (stateNow() === 'conflict') return this.#openMerge()
    await draft.save()
    const state = stateNow()
    if (state === 'saved') app.notify(`Saved on ${shown(this.#files.branch)}. F9 opens its preview.`, 'success')
    if (state === 'waiting')
      app.notify('The service cannot be reached. It is saved as soon as it can; until then it is kept here.', 'warning')
    if (state === 'conflict') await this.#openMerge()
  }

  async #openMerge(): Promise<void> {
    const { app, pendingMerges } = this.#options.context
    const page = this.#page
    if (page?.draft?.theirs === undefined) return
    const { slug, branchId = '' } = this.#files
    const save = (): Promise<void> => this.#save()
    const keep = (): Promise<void> => {
      void pendingMerges.giveUp({ slug, branchId, path: page.path })
      return save()
    }
    if (page.draft.theirs.text === null) return keepOrDrop(page, app, keep)
    const end = (): void => {
      this.#merge = undefined
      this.focused = page.pane
    }
    const conflicting = conflictingPage(page, page.draft, { slug, branchId })
    const merge = await ConflictMerge.of(conflicting, { app, pendingMerges, end, save })
    if (merge === undefined) return
    this.#closeFind()
    this.#merge = merge
    this.focused = merge.pane
    app.refresh()
  }

  #openFind(isReplacing: boolean): void {
    this.#isFinding = true
    this.focused = this.#find
    this.#find?.open(isReplacing)
  }

  #closeFind(): void {
    if (this.#isFinding) this.#find?.closed()
    this.#isFinding = false
    this.focused = this.#page?.pane
  }

  #togglePreview(): void {
    const { app } = this.#options.context
    this.#isPreviewing = !this.#isPreviewing
    this.#preview ??= new ProsePane({ onChange: () => app.refresh(), empty: 'The page is empty.' })
    this.#previewLine = -1
    if (this.#isPreviewing) this.#showPreview()
  }

  #renewPreview(): void {
    clearTimeout(this.#previewTimer)
    if (this.#isPreviewing) this.#previewTimer = setTimeout(() => this.#showPreview(), previewRest)
  }

  #showPreview(): void {
    const page = this.#page
    if (page !== undefined) this.#preview?.show(page.buffer.text(), page.path.endsWith('.md') ? 'md' : 'mdx')
  }

  #scrollAlong(page: Page, preview: ProsePane): void {
    const { line } = page.pane.position
    if (line === this.#previewLine) return
    this.#previewLine = line
    preview.scrollTo(line)
  }
}

const opening: Pane = {
  draw: () => [[span('Opening …', { color: 'muted' })]],
  input: () => false,
  spoken: () => 'Opening',
}
