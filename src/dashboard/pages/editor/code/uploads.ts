import { StateEffect, StateField, type Extension } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view'

/** What stands where an image will be while it is on its way. */
class Waiting extends WidgetType {
  readonly #label: string

  constructor(label: string) {
    super()
    this.#label = label
  }

  override toDOM(): HTMLElement {
    const element = document.createElement('span')
    element.className = 'q-waiting'
    element.setAttribute('role', 'status')
    element.textContent = this.#label
    return element
  }
}

const begin = StateEffect.define<{ readonly id: object; readonly at: number; readonly label: string }>({
  map: (value, change) => ({ ...value, at: change.mapPos(value.at) }),
})
const end = StateEffect.define<object>()

const field = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(waiting, transaction) {
    let next = waiting.map(transaction.changes)
    for (const effect of transaction.effects) {
      if (effect.is(begin)) {
        const { id, at, label } = effect.value
        next = next.update({ add: [Decoration.widget({ widget: new Waiting(label), side: 1, id }).range(at)] })
      } else if (effect.is(end)) next = next.update({ filter: (_from, _to, { spec }) => spec['id'] !== effect.value })
    }
    return next
  },
  provide: (waiting) => EditorView.decorations.from(waiting),
})

export interface Uploading {
  /** @returns what to write for it */
  readonly upload: (file: File) => Promise<string | undefined>
  /** The text that comes of it where the editor is gone meanwhile. */
  readonly whenClosed: (text: string) => void
}

/** @param onFiles images that were pasted or dropped, and where in the text. Answers what to write for each */
export function uploads(isImage: (file: File) => boolean, uploading: Uploading): Extension {
  const take = (view: EditorView, files: FileList | undefined, at: number): boolean => {
    const images = Array.from(files ?? []).filter(isImage)
    if (images.length === 0 || view.state.readOnly) return false
    addImages(view, images, uploading, at)
    return true
  }
  return [
    field,
    EditorView.domEventHandlers({
      paste: (event, view) => {
        const isTaken = take(view, event.clipboardData?.files, view.state.selection.main.head)
        if (isTaken) event.preventDefault()
        return isTaken
      },
      drop: (event, view) => {
        const at = view.posAtCoords({ x: event.clientX, y: event.clientY }) ?? view.state.selection.main.head
        const isTaken = take(view, event.dataTransfer?.files, at)
        if (isTaken) event.preventDefault()
        return isTaken
      },
    }),
  ]
}

/** @param at UTF-16 units into the text; absent: at the cursor */
export function addImages(
  view: EditorView,
  images: readonly File[],
  uploading: Uploading,
  at: number = view.state.selection.main.head,
): void {
  for (const image of images) void insertWhenDone(view, image, at, uploading)
}

/** Where the image was dropped, whatever is typed around it until it is there. */
async function insertWhenDone(
  view: EditorView,
  file: File,
  at: number,
  { upload, whenClosed }: Uploading,
): Promise<void> {
  const id = {}
  view.dispatch({ effects: begin.of({ id, at, label: `Uploading ${file.name}…` }) })
  const text = await upload(file)
  let place: number | undefined
  view.state.field(field).between(0, view.state.doc.length, (from, _to, { spec }) => {
    if (spec['id'] === id) place = from
  })
  view.dispatch({
    effects: end.of(id),
    ...(text !== undefined && place !== undefined && { changes: { from: place, insert: text }, userEvent: 'input' }),
  })
  // An editor that is closed has its text still, and nobody else hears of it.
  if (text !== undefined && !view.dom.isConnected) whenClosed(view.state.doc.toString())
}
