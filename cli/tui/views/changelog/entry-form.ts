import { entryLimits } from '#contract/changelog.ts'
import type { ComponentInfo } from '#contract/components.ts'
import type { App } from '../../app/app.ts'
import type { Pane, Region } from '../../canvas/pane.ts'
import { entryDocument, entryText, type EntryDocument } from '../../data/entry-text.ts'
import { PageCompleter } from '#authoring/completer.ts'
import { pageHighlighter } from '#authoring/highlighter.ts'
import type { PageIndex } from '#authoring/link-completion.ts'
import { WordCount } from '#authoring/word-count.ts'
import { EditorPane } from '../../panes/editor.ts'
import { LabelledField } from './labelled-field.ts'
import { TextBuffer } from '../../text/buffer.ts'

/** Rows above the text. */
export const headRows = 3

/** What is typed of an entry: three fields, and the text. */
export class EntryForm {
  readonly title: LabelledField
  readonly version: LabelledField
  readonly tags: LabelledField
  readonly editor: EditorPane
  readonly #buffer: TextBuffer
  readonly #words: WordCount
  /** What is put in is not typed. */
  #isLoading = false

  /** @param host told of what is typed, and of Enter in a field: the keyboard goes on to the pane named */
  constructor(app: App, text: string, { onChange, next, components }: FormHost) {
    const { title, version, tags, content } = entryDocument(text)
    const changed = (): void => {
      if (!this.#isLoading) onChange()
    }
    this.#buffer = new TextBuffer(content)
    this.#words = new WordCount(this.#buffer, () => app.refresh())
    this.editor = new EditorPane({
      buffer: this.#buffer,
      highlighter: pageHighlighter(this.#buffer, 'mdx', () => app.refresh()),
      completer: new PageCompleter(components, noPages),
      copy: (copied) => app.copy(copied),
    })
    this.#buffer.onChange((change) => {
      this.#words.changed(change)
      changed()
    })
    const field = (label: string, value: string, placeholder: string, then: () => Pane): LabelledField =>
      new LabelledField(label, { value, placeholder, onChange: changed, onSubmit: () => next(then()) })
    this.title = field('Title', title, 'What is new, in a line', () => this.editor)
    this.version = field('Version', version, 'such as 2.4.0', () => this.tags)
    this.tags = field('Tags', tags.join(', '), 'between commas', () => this.editor)
  }

  get panes(): readonly Pane[] {
    return [this.title, this.version, this.tags, this.editor]
  }

  /** Of the text; undefined while a long one is counted. */
  get words(): number | undefined {
    return this.#words.total
  }

  get content(): string {
    return this.#buffer.text()
  }

  get document(): EntryDocument {
    const { title, version, tags } = this
    return { title: title.value.trim(), version: version.value.trim(), tags: tagsIn(tags.value), content: this.content }
  }

  /** Nobody has written anything. */
  get isEmpty(): boolean {
    const { title, version, tags, content } = this.document
    return title === '' && version === '' && tags.length === 0 && content.trim() === ''
  }

  /** Where the cursor of the text stands in the text of the whole entry. */
  get cursor(): number {
    return this.#contentStart + this.#buffer.offsetOf(this.editor.position)
  }

  set cursor(offset: number) {
    this.editor.reveal(this.#buffer.positionOf(Math.max(0, offset - this.#contentStart)))
  }

  /** Another text of the entry takes the place of what is there. */
  load(text: string): void {
    const { title, version, tags, content } = entryDocument(text)
    this.#isLoading = true
    this.title.value = title
    this.version.value = version
    this.tags.value = tags.join(', ')
    this.#buffer.become(content)
    this.#isLoading = false
  }

  /** The fields, above the text. */
  head(width: number): Region[] {
    const left = Math.min(30, Math.floor(width / 2))
    return [
      { pane: this.title, row: 0, column: 0, width, height: 1 },
      { pane: this.version, row: 1, column: 0, width: left - 2, height: 1 },
      { pane: this.tags, row: 1, column: left, width: width - left, height: 1 },
    ]
  }

  get #contentStart(): number {
    const { document } = this
    return entryText({ ...document, content: '' }).length - 1
  }
}

interface FormHost {
  readonly onChange: () => void
  readonly next: (pane: Pane) => void
  /** Those that an entry may use, as far as they are known. */
  readonly components: () => readonly ComponentInfo[]
}

/** An entry is of no branch whose pages it could link to. */
const noPages: PageIndex = { pages: () => [], anchors: () => undefined, images: () => [] }

/** Each once. */
export function tagsIn(text: string): string[] {
  const tags = text.split(',').map((tag) => tag.trim())
  return [...new Set(tags.filter((tag) => tag !== ''))]
}

/** Why the service would refuse it; undefined where it would not. */
export function troubleOf({ title, version, tags, content }: EntryDocument): string | undefined {
  const over = (what: string, length: number, most: number): string | undefined =>
    length > most ? `${what} has ${length} characters, and may have ${most}.` : undefined
  const tag = tags.find(({ length }) => length > entryLimits.tag)
  return (
    over('The title', title.length, entryLimits.title) ??
    over('The version', version.length, entryLimits.version) ??
    (tag === undefined ? undefined : over(`The tag ${tag.slice(0, 20)} …`, tag.length, entryLimits.tag)) ??
    (tags.length > entryLimits.tags ? `There are ${tags.length} tags, and may be ${entryLimits.tags}.` : undefined) ??
    (content.length > entryLimits.contentBytes ? 'The text is longer than 1 MB.' : undefined)
  )
}
