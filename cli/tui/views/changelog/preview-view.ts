import type { App } from '../../app/app.ts'
import type { Command, View } from '../../app/view.ts'
import type { Region, Size } from '../../canvas/pane.ts'
import { ProsePane } from '../../panes/prose.ts'

/** An entry as its readers see it. */
export class PreviewView implements View {
  readonly title: string
  readonly about = 'The entry as readers see it. It cannot be changed here.'
  readonly #pane: ProsePane

  /** @param content its Markdown */
  constructor(app: App, title: string, content: string) {
    this.title = title
    this.#pane = entryPreview(app)
    this.#pane.show(content, formatOf(content))
  }

  layout({ width, height }: Size): readonly Region[] {
    return [{ pane: this.#pane, row: 0, column: 0, width, height }]
  }

  commands(): readonly Command[] {
    return []
  }
}

export function entryPreview(app: App): ProsePane {
  return new ProsePane({ onChange: () => app.refresh(), empty: 'Nothing is written yet.' })
}

/** As the service reads it: text that uses a component is MDX, and has its rules. */
export function formatOf(content: string): 'md' | 'mdx' {
  return /<[A-Z]/.test(content) ? 'mdx' : 'md'
}
