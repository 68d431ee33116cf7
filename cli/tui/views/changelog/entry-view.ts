import type { ComponentInfo } from '#contract/components.ts'
import type { Command, View } from '../../app/view.ts'
import type { Pane, Region, Size } from '../../canvas/pane.ts'
import type { Line } from '../../canvas/style.ts'
import { shown } from '../../canvas/width.ts'
import type { Draft } from '../../data/drafts/draft.ts'
import type { Entries } from '../../data/entries.ts'
import { entryDocument, entryText } from '../../data/entry-text.ts'
import type { ProsePane } from '../../panes/prose.ts'
import { FindBar } from '../editor/find-bar.ts'
import { findCommands } from '../editor/find-commands.ts'
import { handOff } from '../editor/hand-off.ts'
import { catalogueOf } from '../editor/page.ts'
import { EntryForm, headRows } from './entry-form.ts'
import { EntrySaving } from './entry-saving.ts'
import { entryNamed, entryStatus, inWords } from './entry-words.ts'
import { ConflictMerge, type ConflictingText } from '../merge/conflict-merge.ts'
import { changelogOf, type ChangelogPlace } from './place.ts'
import { entryPreview, formatOf } from './preview-view.ts'
import { publishingCommands } from './publishing-commands.ts'

/** Columns from which on the preview stands beside the text. */
const wide = 110
/** Milliseconds without a key before the preview is made anew. */
const previewPauseMs = 200

/** Opens an entry to write it; a new one without a key. What cannot be opened is told. */
export async function openEntry(place: ChangelogPlace, key?: string): Promise<void> {
  const { app, entries } = place
  if (entries === undefined) return
  const draft = await app.task('Opening the entry', () => (key === undefined ? entries.create() : entries.edit(key)))
  if (draft !== undefined) app.push(new EntryView({ ...place, entries }, draft))
}

/** An entry of the changelog while it is written. */
export class EntryView implements View {
  readonly about =
    'What you type is kept on this machine within a second. Ctrl-S sends it to the changelog: a draft stays a draft until you publish it, an entry that is published changes for its readers at once.'
  focused: Pane | undefined
  readonly #place: ChangelogPlace & { readonly entries: Entries }
  readonly #draft: Draft
  readonly #form: EntryForm
  readonly #unsubscribe: () => void
  readonly #saving: EntrySaving
  readonly #find: FindBar
  #merge: ConflictMerge | undefined
  #isFinding = false
  #preview: ProsePane | undefined
  #previewTimer: NodeJS.Timeout | undefined
  #trouble: string | undefined
  #components: readonly ComponentInfo[] = []

  constructor(place: ChangelogPlace & { readonly entries: Entries }, draft: Draft) {
    this.#place = place
    this.#draft = draft
    this.#form = new EntryForm(place.app, draft.text, {
      onChange: () => this.#changed(),
      next: (pane) => (this.focused = pane),
      components: () => this.#components,
    })
    this.#saving = new EntrySaving({ place, draft, form: this.#form, merge: () => this.#openMerge() })
    this.#find = new FindBar(place.app, this.#form.editor, () => this.#closeFind())
    void catalogueOf(place.workspace).then((components) => (this.#components = components))
    this.#form.cursor = draft.cursor
    if (!this.#form.isEmpty) this.focused = this.#form.editor
    this.#unsubscribe = draft.onChange(() => this.#told())
    this.#greet()
  }

  get title(): string {
    const { title } = this.#form
    return title.value.trim() === '' ? 'New entry' : title.value.trim()
  }

  get typing(): boolean {
    return this.#merge === undefined
  }

  shown(): void {
    void this.#saving.learn()
  }

  layout({ width, height }: Size): readonly Region[] {
    if (this.#merge !== undefined) return [{ pane: this.#merge.pane, row: 0, column: 0, width, height }]
    const { editor } = this.#form
    const bar = this.#isFinding ? this.#find.height : 0
    const body = { row: headRows, height: Math.max(1, height - headRows - bar) }
    const head = this.#form.head(width)
    if (bar > 0) head.push({ pane: this.#find, row: height - bar, column: 0, width, height: bar })
    const preview = this.#preview
    const isAlone = preview === undefined || (width < wide && this.#isFinding)
    const text = { ...body, pane: editor, title: 'Text', column: 0 }
    if (isAlone) return [...head, { ...text, width }]
    const beside = { ...body, pane: preview, title: 'Preview' }
    if (width < wide) {
      // What is typed next must not go to the title: the text has made room.
      if (this.focused === editor) this.focused = preview
      return [...head, { ...beside, column: 0, width }]
    }
    const left = Math.floor(width / 2)
    return [...head, { ...text, width: left - 1 }, { ...beside, column: left + 1, width: width - left - 1 }]
  }

  status(): Line {
    if (this.#merge !== undefined) return this.#merge.status()
    return entryStatus({ words: this.#form.words, entry: this.#saving.entry, state: this.#draft.state })
  }

  commands(): readonly Command[] {
    if (this.#merge !== undefined) return this.#merge.commands()
    const { app, workspace, publication } = this.#place
    const { editor } = this.#form
    const save = { id: 'entry.save', title: 'Save', keys: ['ctrl+s'], hint: 'save', run: () => this.#save() }
    const finding = findCommands({
      find: this.#find,
      isFinding: this.#isFinding,
      openFind: (isReplacing) => this.#openFind(isReplacing),
      closeFind: () => this.#closeFind(),
      page: { draft: this.#draft },
    })
    // Alt-P is of the search while it is open.
    if (this.#isFinding) return [save, ...finding]
    return [
      save,
      {
        id: 'entry.preview',
        title: this.#preview === undefined ? 'Show the preview' : 'Hide the preview',
        keys: ['f7'],
        hint: this.#preview === undefined ? 'preview' : 'close preview',
        run: () => this.#togglePreview(),
      },
      { id: 'entry.next', title: 'Next field', keys: ['f6'], hint: 'next field', run: () => this.#next() },
      ...publishingCommands({
        isPublished: this.#saving.entry?.status === 'published',
        isOffline: workspace.connection === 'offline',
        publication,
        act: (work) => this.#saving.act(work),
      }),
      {
        id: 'entry.handOff',
        title: `Open its text in ${shown(app.environment.editor)}`,
        keys: ['ctrl+e'],
        run: () => handOff('entry.mdx', editor, { app, draft: this.#draft }),
      },
      ...finding,
    ]
  }

  async mayLeave(): Promise<boolean> {
    const { trouble, state } = this.#draft
    if (trouble === undefined || state === 'saved') return true
    return this.#place.app.dialogs.confirm({
      title: 'This entry is not safe',
      body: [trouble, 'When you leave it now, what you typed last may be lost.'],
      act: 'Leave it',
      danger: true,
    })
  }

  closed(): void {
    clearTimeout(this.#previewTimer)
    this.#find.closed()
    this.#unsubscribe()
    void this.#leave()
  }

  async #leave(): Promise<void> {
    const { entries, app } = this.#place
    try {
      // Nobody is reminded of an entry that was begun and left at once.
      if (this.#form.isEmpty && entries.idOf(this.#draft) === undefined) await this.#draft.discard()
      await this.#draft.close()
    } catch (error) {
      app.fail(inWords(error, this.#draft.path))
    }
  }

  #greet(): void {
    const { app } = this.#place
    const { notice, recovered } = this.#draft
    if (notice !== undefined) app.notify(entryNamed(notice, this.#draft.path), 'warning')
    else if (recovered) app.notify('This text was written here before, and is not saved yet.', 'info')
  }

  #changed(): void {
    this.#draft.changed(
      () => entryText(this.#form.document),
      () => this.#form.cursor,
    )
    if (this.#isFinding) this.#find.changed()
    if (this.#preview === undefined) return
    clearTimeout(this.#previewTimer)
    this.#previewTimer = setTimeout(() => this.#render(), previewPauseMs)
  }

  #told(): void {
    const { app } = this.#place
    const { trouble } = this.#draft
    if (trouble !== undefined && trouble !== this.#trouble) app.notify(trouble, 'error')
    this.#trouble = trouble
    app.refresh()
  }

  async #save(): Promise<void> {
    await this.#saving.save()
  }

  async #openMerge(): Promise<void> {
    const { app, pendingMerges, project } = this.#place
    const form = this.#form
    const conflicting: ConflictingText = {
      draft: this.#draft,
      of: changelogOf(project),
      other: 'the entry',
      text: () => entryText(form.document),
      become: (text) => {
        form.load(text)
        this.#changed()
      },
      // Of two titles only one can stay: that is told while it can be mended.
      check: entryDocument,
    }
    const end = (): void => {
      this.#merge = undefined
      this.focused = form.editor
    }
    const merge = await ConflictMerge.of(conflicting, { app, pendingMerges, end, save: () => this.#saving.save() })
    if (merge === undefined) return
    if (this.#isFinding) this.#closeFind()
    this.#merge = merge
    this.focused = merge.pane
    app.refresh()
  }

  /** What is looked for is in the text, which is shown then. */
  #openFind(isReplacing: boolean): void {
    this.#isFinding = true
    this.focused = this.#find
    this.#find.open(isReplacing)
  }

  #closeFind(): void {
    this.#find.closed()
    this.#isFinding = false
    this.focused = this.#form.editor
  }

  #togglePreview(): void {
    const { app } = this.#place
    if (this.#preview !== undefined && this.focused === this.#preview) this.focused = this.#form.editor
    this.#preview = this.#preview === undefined ? entryPreview(app) : undefined
    this.#render()
  }

  #render(): void {
    const { content } = this.#form
    this.#preview?.show(content, formatOf(content))
    this.#preview?.scrollTo(this.#form.editor.position.line)
  }

  #next(): void {
    const { panes, title } = this.#form
    const all = this.#preview === undefined ? panes : [...panes, this.#preview]
    this.focused = all[(all.indexOf(this.focused ?? title) + 1) % all.length]
  }
}
