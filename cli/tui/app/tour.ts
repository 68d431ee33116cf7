import { fit, span, wrapText } from '../canvas/lines.ts'
import type { Line } from '../canvas/style.ts'
import type { Settings } from './settings.ts'
import type { Command, TourNote, View } from './view.ts'

const width = 46

/** Notes on the real screens, one the first time that each is seen, until the person has read the last one. */
export class Tour {
  readonly #settings: Settings
  readonly #read = new Set<TourNote>()

  constructor(settings: Settings) {
    this.#settings = settings
  }

  /** A box to be laid over a corner of the screen; undefined where there is nothing to say. */
  box(view: View | undefined): readonly Line[] | undefined {
    const note = this.#noteOf(view)
    if (note === undefined) return undefined
    const inner = width - 4
    const text = note.text.flatMap((paragraph, index) => [...(index === 0 ? [] : ['']), ...wrapText(paragraph, inner)])
    const edge = (left: string, right: string): Line => [span(`${left}${'─'.repeat(width - 2)}${right}`, border)]
    const row = (line: Line): Line => [span('│ ', border), ...fit(line, inner), span(' │', border)]
    return [
      edge('╭', '╮'),
      ...text.map((line) => row([span(line)])),
      row([]),
      row([
        span('Ctrl-T', { bold: true, color: 'accent' }),
        span(note.last === true ? ' ends the tour' : ' got it', muted),
      ]),
      edge('╰', '╯'),
    ]
  }

  spoken(view: View | undefined): string {
    return this.#noteOf(view)?.text.join(' ') ?? ''
  }

  commands(view: View | undefined): readonly Command[] {
    const note = this.#noteOf(view)
    const end = (): void => this.#settings.change({ toured: true })
    const next = (): void => {
      if (note !== undefined) this.#read.add(note)
      if (note?.last === true) end()
    }
    if (this.#settings.values.toured) {
      const begin = (): void => {
        this.#read.clear()
        this.#settings.change({ toured: false })
      }
      return [{ id: 'tour.begin', title: 'Begin the guided tour', run: begin }]
    }
    const gotIt = { id: 'tour.next', title: 'Guided tour: got it', keys: ['ctrl+t'], hint: 'got it', run: next }
    return [...(note === undefined ? [] : [gotIt]), { id: 'tour.end', title: 'End the guided tour', run: end }]
  }

  #noteOf(view: View | undefined): TourNote | undefined {
    const note = view?.tour
    return this.#settings.values.toured || note === undefined || this.#read.has(note) ? undefined : note
  }
}

const border = { color: 'accent' } as const
const muted = { color: 'muted' } as const
