import { chordOf, chordText, typedBy, type Input } from '../canvas/input.ts'
import type { Pane } from '../canvas/pane.ts'
import { graphemesOf } from '../canvas/width.ts'
import type { DialogBox } from './dialogs/box.ts'
import type { View } from './view.ts'

interface Scene {
  readonly view: View | undefined
  readonly dialog: DialogBox | undefined
  readonly focused: Pane | undefined
  readonly message: string
  /** Of the guided tour. */
  readonly note: string
  /** The state of what is worked on, such as `saved`. */
  readonly state: string
  /** What led to it; undefined: nothing that the person did. */
  readonly input: Input | undefined
}

interface Voice {
  /** Writes a line; does nothing where the screen is painted. */
  say(text: string): void
  /** Writes what was typed, as it would be seen. */
  echo(text: string): void
}

/** For a screen reader: a line for whatever is another than before, in the order in which one would ask for it. */
export class Speech {
  readonly #voice: Voice
  #last: Scene = {
    view: undefined,
    dialog: undefined,
    focused: undefined,
    message: '',
    note: '',
    state: '',
    input: undefined,
  }
  #stands: readonly string[] = []
  #behindCursor: string | undefined
  #viewSpoken = ''

  constructor(voice: Voice) {
    this.#voice = voice
  }

  tell(scene: Scene): void {
    const { view, dialog, focused, message, note, state } = scene
    const [last, stood, wasBehind] = [this.#last, this.#stands, this.#behindCursor]
    const stands = dialog?.stands() ?? [focused?.spoken() ?? '']
    this.#last = scene
    this.#stands = stands
    this.#behindCursor = focused?.behindCursor
    if (message !== last.message && message !== '') this.#voice.say(message)
    if (view !== last.view && view !== undefined)
      this.#voice.say(`${view.title}. ${view.about} ${chordText('f1')} reads all keys.`)
    if (note !== last.note && note !== '') this.#voice.say(note)
    const viewSpoken = view?.spoken?.() ?? ''
    if (viewSpoken !== this.#viewSpoken && viewSpoken !== '') this.#voice.say(viewSpoken)
    this.#viewSpoken = viewSpoken
    const news = dialog?.news?.() ?? []
    if (dialog !== last.dialog && dialog !== undefined) this.#voice.say(dialog.spoken())
    else if (news.length > 0) for (const line of news) this.#voice.say(line)
    else if (dialog !== last.dialog || focused !== last.focused) this.#sayAll(stands)
    else this.#sayNew(stands, stood, scene.input)
    const isSame = stands.every((part, index) => part === stood[index])
    if (isSame && focused === last.focused && this.#behindCursor !== wasBehind) this.#spell(scene.input)
    if (state !== last.state && state !== '' && view === last.view) this.#voice.say(state)
  }

  #sayAll(parts: readonly string[]): void {
    const text = parts.filter((part) => part !== '').join('. ')
    if (text !== '') this.#voice.say(text)
  }

  #sayNew(parts: readonly string[], before: readonly string[], input: Input | undefined): void {
    const typed = input?.type === 'key' ? typedBy(input.key) : undefined
    const isEchoed = (part: string, index: number): boolean =>
      typed !== undefined && isWithTyped(part, before[index] ?? '', typed)
    if (typed !== undefined && parts.some((part, index) => part !== before[index] && isEchoed(part, index)))
      this.#voice.echo(typed)
    this.#sayAll(parts.filter((part, index) => part !== before[index] && !isEchoed(part, index)))
  }

  /** The cursor moved within a line: the character or the word at which it is now. */
  #spell(input: Input | undefined): void {
    if (input?.type !== 'key' || typedBy(input.key) !== undefined) return
    const text = this.#behindCursor ?? ''
    const isByWord = /^(?:ctrl|alt)\+(?:shift\+)?(?:left|right)$/.test(chordOf(input.key))
    const [character = ''] = graphemesOf(text)
    const word = /^\S+/.exec(text)?.[0] ?? character
    const said = isByWord ? word : character
    this.#voice.say(said === '' ? 'end of line' : said === ' ' ? 'space' : said)
  }
}

/** Whether a text is the one before with what was typed put somewhere into it. */
function isWithTyped(text: string, before: string, typed: string): boolean {
  if (text.length !== before.length + typed.length) return false
  let at = 0
  while (at < before.length && text[at] === before[at]) at++
  // Of letters that are the same, the last one may be the new one.
  for (let from = at; from >= Math.max(0, at - typed.length); from--)
    if (text.startsWith(typed, from) && text.slice(from + typed.length) === before.slice(from)) return true
  return false
}
