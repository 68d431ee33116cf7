import { Failure } from '#contract/failure.ts'
import type { App } from '../../app/app.ts'
import { LinesPane } from '../../app/dialogs/reader.ts'
import type { Command, View } from '../../app/view.ts'
import { span, wrapText } from '../../canvas/lines.ts'
import type { Pane, Region, Size } from '../../canvas/pane.ts'
import type { Line } from '../../canvas/style.ts'
import { shown } from '../../canvas/width.ts'
import { ListPane } from '../../panes/list.ts'

export interface PanelOptions<T> {
  readonly title: string
  readonly about: string
  readonly load: (signal: AbortSignal) => Promise<readonly T[]>
  readonly row: (item: T, width: number) => Line
  /** What the filter looks in. */
  readonly text: (item: T) => string
  readonly key: (item: T) => string
  /** What stands there without items: how to have one. */
  readonly empty: string
  /** All that there is to say of an item. */
  readonly details: (item: T, width: number) => readonly Line[]
  readonly commands: (panel: PanelView<T>) => readonly Command[]
  /** Enter; absent: it goes to the details. */
  readonly onOpen?: (item: T) => void
  /** What that does, for the line of keys. */
  readonly opens?: string
}

/** Columns from which on the details stand beside the list. */
const wide = 100

/** A list with what there is to say of the selected item, and what can be done with it. */
export class PanelView<T> implements View {
  readonly title: string
  readonly about: string
  focused: Pane | undefined
  readonly #app: App
  readonly #options: PanelOptions<T>
  readonly #list: ListPane<T>
  readonly #details: LinesPane
  #trouble: string | undefined
  #state: 'loading' | 'loaded' | 'failed' = 'loading'

  constructor(app: App, options: PanelOptions<T>) {
    this.title = options.title
    this.about = options.about
    this.#app = app
    this.#options = options
    this.#list = new ListPane({
      row: (item, { width }) => options.row(item, width),
      text: options.text,
      key: options.key,
      empty: 'Loading …',
      onOpen: (item) => (options.onOpen === undefined ? (this.focused = this.#details) : options.onOpen(item)),
      opens: options.opens ?? 'details',
    })
    this.#details = new LinesPane((width) => this.#lines(width))
  }

  get selected(): T | undefined {
    return this.#list.selected
  }

  get items(): readonly T[] {
    return this.#list.items
  }

  get typing(): boolean {
    return this.#list.typing
  }

  shown(): void {
    void this.reload()
  }

  /** Asks the service again. What cannot be loaded is told; what was there stays. */
  async reload(): Promise<void> {
    const loaded = await this.#app.task(`Loading ${this.title.toLowerCase()}`, async (signal) => {
      try {
        return await this.#options.load(signal)
      } catch (error) {
        this.#trouble = error instanceof Failure ? [error.message, error.hint ?? ''].join(' ').trim() : undefined
        throw error
      }
    })
    if (loaded !== undefined) this.#list.items = loaded
    this.#state = loaded === undefined ? 'failed' : 'loaded'
    this.#app.refresh()
  }

  commands(): readonly Command[] {
    return [
      ...this.#options.commands(this),
      { id: 'panel.refresh', title: 'Refresh', keys: ['r'], hint: 'refresh', run: () => this.reload() },
    ]
  }

  layout({ width, height }: Size): readonly Region[] {
    if (this.items.length === 0) {
      const message = new LinesPane((columns) =>
        wrapText(this.#message, columns).map((text): Line => [span(text, { color: 'muted' })]),
      )
      return [{ pane: message, row: 0, column: 0, width, height }]
    }
    const list = { pane: this.#list, title: this.title, row: 1, column: 0 }
    const details = { pane: this.#details, title: 'Details' }
    if (width >= wide) {
      const left = Math.floor(width * 0.5)
      const below = { row: 1, height: height - 1 }
      return [
        { ...list, ...below, width: left },
        { ...details, ...below, column: left + 2, width: width - left - 2 },
      ]
    }
    // A row more than there are items: for the filter.
    const top = Math.min(Math.max(3, this.items.length + 1), Math.floor(height / 2))
    return [
      { ...list, width, height: Math.min(top, height - 1) },
      ...(height > top + 2 ? [{ ...details, row: top + 2, column: 0, width, height: height - top - 2 }] : []),
    ]
  }

  get #message(): string {
    if (this.#state === 'loading') return 'Loading …'
    if (this.#state === 'failed') return `${shown(this.#trouble ?? 'This could not be loaded.')} r tries again.`
    return this.#options.empty
  }

  #lines(width: number): readonly Line[] {
    const { selected } = this
    return selected === undefined ? [] : this.#options.details(selected, width)
  }
}
