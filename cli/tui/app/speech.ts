import { chordText } from '../canvas/input.ts'
import type { Pane } from '../canvas/pane.ts'
import type { DialogBox } from './dialogs/box.ts'
import type { View } from './view.ts'

interface Scene {
  readonly view: View | undefined
  readonly dialog: DialogBox | undefined
  readonly focused: Pane | undefined
  readonly message: string
}

/** For a screen reader: a line for whatever is another than before, in the order in which one would ask for it. */
export class Speech {
  readonly #say: (text: string) => void
  #last: Scene = { view: undefined, dialog: undefined, focused: undefined, message: '' }
  #spoken = ''

  /** @param say writes a line; does nothing where the screen is painted */
  constructor(say: (text: string) => void) {
    this.#say = say
  }

  tell(scene: Scene): void {
    const last = this.#last
    this.#last = scene
    if (scene.message !== last.message && scene.message !== '') this.#say(scene.message)
    if (scene.view !== last.view && scene.view !== undefined)
      this.#say(`${scene.view.title}. ${scene.view.about} ${chordText('f1')} reads all keys.`)
    const spoken = scene.dialog?.here?.() ?? scene.focused?.spoken() ?? ''
    const news = scene.dialog?.news?.() ?? []
    if (scene.dialog !== last.dialog && scene.dialog !== undefined) this.#say(scene.dialog.spoken())
    else if (news.length > 0) for (const line of news) this.#say(line)
    else if (spoken !== this.#spoken && spoken !== '') this.#say(spoken)
    this.#spoken = spoken
  }
}
