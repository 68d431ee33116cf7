import type { App } from '../../app/app.ts'
import { chordOf, typedBy, type Input, type Key } from '../../canvas/input.ts'
import { fit, span } from '../../canvas/lines.ts'
import type { Cursor, Pane, Size } from '../../canvas/pane.ts'
import type { Line } from '../../canvas/style.ts'
import { shown } from '../../canvas/width.ts'
import type { EditorPane } from '../../panes/editor.ts'
import { TextField } from '../../panes/text-field.ts'
import { type Count, Finder } from '../../text/find.ts'
import type { Position, Range } from '#authoring/lines.ts'
import { rangeOf } from '../../text/positions.ts'

/** Columns of `Replace  `. */
const labelWidth = 9

/** Finds in the editor while it is typed what; with a second row, replaces. */
export class FindBar implements Pane {
  readonly typing = true
  readonly #app: Pick<App, 'refresh' | 'notify' | 'fail'>
  readonly #editor: EditorPane
  readonly #close: () => void
  readonly #find = new TextField({ placeholder: 'what to look for', onChange: () => this.#renew() })
  readonly #replace = new TextField({ placeholder: 'what to write there' })
  #isReplacing = false
  #isInReplace = false
  /** Of a long text, it takes a moment. */
  #isReplacingAll = false
  /** The text was changed here, and no field since: what is taken back is that. */
  #hasReplaced = false
  /** What is looked for stood there before: it looks selected, and what is typed takes its place. */
  #isOld = false
  #pattern = false
  #wholeWord = false
  #finder: Finder | undefined
  #count: Count | undefined
  /** Where the search began: what is typed is looked for from here on. */
  #from: Position = { line: 0, column: 0 }
  #search = new AbortController()
  #trouble: string | undefined

  /** @param close the person wants back to the text */
  constructor(app: Pick<App, 'refresh' | 'notify' | 'fail'>, editor: EditorPane, close: () => void) {
    this.#app = app
    this.#editor = editor
    this.#close = close
  }

  get height(): number {
    return this.#isReplacing ? 2 : 1
  }

  get cursor(): Cursor | undefined {
    const { column } = this.#field.cursor
    return { row: this.#isInReplace ? 1 : 0, column: column + labelWidth }
  }

  /** It is shown: what is selected, if it is of one line, is what is looked for. */
  open(isReplacing: boolean): void {
    this.#isReplacing = isReplacing && !this.#editor.readOnly
    this.#isInReplace = false
    const { start, end } = rangeOf(this.#editor.buffer.selection)
    const selected = start.line === end.line ? this.#editor.selectedText.slice(0, 200) : ''
    if (selected !== '') this.#find.value = selected
    this.#isOld = this.#find.value !== ''
    this.#from = start
    this.#renew()
  }

  /** It is shown no more. */
  closed(): void {
    this.#search.abort()
    this.#editor.matches = undefined
  }

  /** The text has changed: what was found is counted again. */
  changed(): void {
    this.#count = undefined
    void this.#recount()
  }

  draw({ width }: Size): readonly Line[] {
    const state = this.#state()
    const room = Math.max(10, width - labelWidth - state.length - 2)
    const [found = []] = this.#find.draw({ width: room, height: 1 })
    const query = this.#isOld ? found.map(({ text }) => span(text, { background: 'selected' })) : found
    const first = [span('Find     ', { bold: true }), ...fit(query, room), span(`  ${state}`, { color: this.#color })]
    if (!this.#isReplacing) return [first]
    const [replaced = []] = this.#replace.draw({ width: width - labelWidth, height: 1 })
    return [first, [span('Replace  ', { bold: true }), ...replaced]]
  }

  input(input: Input): boolean {
    if (input.type === 'mouse') {
      this.#isInReplace = this.#isReplacing && input.mouse.row === 1
      const mouse = { ...input.mouse, row: 0, column: input.mouse.column - labelWidth }
      return this.#field.input({ type: 'mouse', mouse })
    }
    const chord = input.type === 'key' ? chordOf(input.key) : undefined
    switch (chord) {
      case 'escape':
        this.#close()
        return true
      case 'enter':
        if (this.#isInReplace) void this.replaceOne()
        else void this.next()
        return true
      case 'down':
        void this.next()
        return true
      case 'up':
        void this.previous()
        return true
      case 'tab':
      case 'shift+tab':
        this.#isInReplace = this.#isReplacing && !this.#isInReplace
        return true
      case 'alt+p':
        this.#pattern = !this.#pattern
        this.#renew()
        return true
      case 'alt+w':
        this.#wholeWord = !this.#wholeWord
        this.#renew()
        return true
      case 'alt+a':
        // What would be written instead is not to be seen.
        if (this.#isReplacing) void this.replaceAll()
        return true
      case 'ctrl+z':
      case 'ctrl+y':
        return this.#hasReplaced ? this.#editor.input(input) : this.#field.input(input)
      default:
        this.#hasReplaced = false
        if (!this.#isInReplace) this.#giveWay(input)
        return this.#field.input(input)
    }
  }

  spoken(): string {
    return `${this.#isInReplace ? 'Replace' : 'Find'}: ${this.#field.spoken()}. ${this.#state()}`
  }

  async next(): Promise<void> {
    const { end } = rangeOf(this.#editor.buffer.selection)
    await this.#go((finder, signal) => finder.next(end, signal))
  }

  async previous(): Promise<void> {
    const { start } = rangeOf(this.#editor.buffer.selection)
    await this.#go((finder, signal) => finder.previous(start, signal))
  }

  /** Replaces what is selected, where it is a find, and goes to the next one. */
  async replaceOne(): Promise<void> {
    const { buffer } = this.#editor
    const range = rangeOf(buffer.selection)
    const text = this.#finder?.replacement(range, { text: this.#replace.value, isPattern: this.#pattern })
    if (text !== undefined && !this.#editor.readOnly) {
      buffer.replace(range, text)
      this.#hasReplaced = true
    }
    await this.next()
  }

  async replaceAll(): Promise<void> {
    const finder = this.#finder
    if (this.#isReplacingAll || this.#editor.readOnly) return
    if (finder === undefined) {
      if (this.#trouble === undefined) this.#app.notify('Type what to look for first.')
      else this.#app.notify(this.#trouble, 'warning')
      return
    }
    this.#isReplacingAll = true
    try {
      const replaced = await finder.replaceAll({ text: this.#replace.value, isPattern: this.#pattern })
      if (replaced === undefined) this.#app.notify('The text changed meanwhile: nothing was replaced.', 'warning')
      else if (replaced === 0) this.#app.notify(`“${shown(this.#find.value)}” was not found: nothing was replaced.`)
      else {
        this.#hasReplaced = true
        this.#app.notify(`Replaced ${replaced}. Ctrl-Z takes all of it back.`, 'success')
      }
    } catch (error) {
      this.#app.fail(error)
    } finally {
      this.#isReplacingAll = false
    }
    this.#app.refresh()
  }

  #giveWay(input: Input): void {
    const takesItsPlace = input.type === 'key' ? takesPlace(input.key) : input.type === 'paste'
    if (this.#isOld && takesItsPlace) {
      this.#find.value = ''
      this.#renew()
    }
    this.#isOld = false
  }

  get #field(): TextField {
    return this.#isInReplace ? this.#replace : this.#find
  }

  get #color(): 'muted' | 'danger' {
    return this.#trouble !== undefined || this.#count?.total === 0 ? 'danger' : 'muted'
  }

  #state(): string {
    const flags = `${this.#pattern ? ' [pattern]' : ''}${this.#wholeWord ? ' [words]' : ''}`
    if (this.#trouble !== undefined) return `${this.#trouble}${flags}`
    const count = this.#count
    if (this.#finder === undefined || count === undefined) return flags.trim()
    if (count.total === 0) return `not found${flags}`
    const { start, end } = rangeOf(this.#editor.buffer.selection)
    const isOn = this.#finder
      .on(start.line, start.column)
      .some(({ from, to }) => from === start.column && to === end.column && start.line === end.line)
    return isOn ? `${count.before(start) + 1} of ${count.total}${flags}` : `${count.total} found${flags}`
  }

  /** What is looked for is another one. */
  #renew(): void {
    this.#search.abort()
    this.#search = new AbortController()
    this.#trouble = undefined
    this.#count = undefined
    this.#finder = undefined
    this.#editor.matches = undefined
    const text = this.#find.value
    if (text === '') return
    try {
      this.#finder = new Finder(this.#editor.buffer, { text, pattern: this.#pattern, wholeWord: this.#wholeWord })
    } catch (error) {
      // Half a pattern is none yet: it is said here, not as a failure.
      this.#trouble = error instanceof Error ? error.message : String(error)
      return
    }
    this.#editor.matches = this.#finder
    void this.#go((finder, signal) => finder.next(this.#from, signal))
    void this.#recount()
  }

  async #go(search: (finder: Finder, signal: AbortSignal) => Promise<Range | undefined>): Promise<void> {
    const finder = this.#finder
    const { signal } = this.#search
    if (finder === undefined) return
    try {
      const range = await search(finder, signal)
      if (signal.aborted || range === undefined) return
      this.#editor.reveal(range)
      this.#app.refresh()
    } catch (error) {
      this.#told(error, signal)
    }
  }

  async #recount(): Promise<void> {
    const { signal } = this.#search
    try {
      const count = await this.#finder?.count(signal)
      if (signal.aborted || count === undefined) return
      this.#count = count
      this.#app.refresh()
    } catch (error) {
      this.#told(error, signal)
    }
  }

  #told(error: unknown, signal: AbortSignal): void {
    if (signal.aborted) return
    this.#trouble = error instanceof Error ? error.message : String(error)
    this.#app.refresh()
  }
}

/** Whether a key would write over what is selected. */
function takesPlace(key: Key): boolean {
  return typedBy(key) !== undefined || key.name === 'backspace' || key.name === 'delete'
}
