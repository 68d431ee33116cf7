import { chordOf, typedBy, type Input, type Mouse } from '../canvas/input.ts'
import type { Pane, Region } from '../canvas/pane.ts'
import type { Commands } from './commands.ts'
import type { DialogBox } from './dialogs/box.ts'
import type { ViewStack } from './view-stack.ts'

interface InputTargets {
  readonly views: ViewStack
  /** What is on the screen. */
  readonly screen: {
    /** Nothing can be seen: the window is too small. */
    readonly isBlind: boolean
    readonly panes: readonly Pane[]
    readonly focused: Pane | undefined
    regionAt(mouse: Mouse): Region | undefined
    crumbAt(mouse: Mouse): number | undefined
  }
  readonly dialog: () => DialogBox | undefined
  readonly commands: Commands
  /** Breaks off the work that began last; false when there is none. */
  readonly interrupt: () => boolean
  readonly quit: () => void
}

/** Who has an input: a dialog first, then text that is typed, then commands, then the pane with the keyboard. */
export class InputRouter {
  readonly #targets: InputTargets

  constructor(targets: InputTargets) {
    this.#targets = targets
  }

  take(input: Input): void {
    if (input.type === 'mouse') {
      this.#mouse(input.mouse)
      return
    }
    const { views, screen, dialog, interrupt, quit } = this.#targets
    const chord = input.type === 'key' ? chordOf(input.key) : undefined
    if (chord === 'ctrl+q') {
      quit()
      return
    }
    if (screen.isBlind) return
    const box = dialog()
    if (box !== undefined) {
      box.input(input)
      return
    }
    const { focused } = screen
    const typing = views.top?.typing === true || focused?.typing === true
    if (typing && isForText(input) && focused?.input(input) === true) return
    if (chord !== undefined && this.#runChord(chord)) return
    if (focused?.input(input) === true) return
    if (chord === 'tab' || chord === 'shift+tab') this.#focusNext(chord === 'tab' ? 1 : -1)
    else if (chord === 'escape') interrupt()
  }

  #runChord(chord: string): boolean {
    const { screen, commands, interrupt } = this.#targets
    // Esc goes to the pane first, which may have something to close; then it breaks off work; then it goes back.
    if (chord === 'escape' && (screen.focused?.input(escape) === true || interrupt())) return true
    const command = commands.all().find(({ keys = [] }) => keys.includes(chord))
    if (command !== undefined) commands.run(command)
    return command !== undefined
  }

  #focusNext(step: number): void {
    const { views, screen } = this.#targets
    const panes = screen.panes.filter(({ inert }) => inert !== true)
    if (views.top === undefined || panes.length < 2) return
    const at = screen.focused === undefined ? 0 : panes.indexOf(screen.focused)
    views.top.focused = panes[(at + step + panes.length) % panes.length]
  }

  #mouse(mouse: Mouse): void {
    const { views, screen, dialog, commands } = this.#targets
    if (screen.isBlind) return
    const box = dialog()
    const crumb = box === undefined && mouse.action === 'press' ? screen.crumbAt(mouse) : undefined
    if (crumb !== undefined) commands.run({ id: 'back', title: 'Go back', run: () => views.backTo(crumb) })
    const region = screen.regionAt(mouse)
    if (region === undefined) return
    const input: Input = {
      type: 'mouse',
      mouse: { ...mouse, row: mouse.row - region.row, column: mouse.column - region.column },
    }
    if (box !== undefined) {
      box.input(input, region.pane)
      return
    }
    if (mouse.action === 'press' && views.top !== undefined && region.pane.inert !== true)
      views.top.focused = region.pane
    region.pane.input(input)
  }
}

const escape: Input = { type: 'key', key: { name: 'escape', ctrl: false, alt: false, shift: false } }

/** Input that a text field needs for itself: what types, and what moves in text; not keys with Ctrl, Alt or F1 … F12. */
function isForText(input: Input): boolean {
  if (input.type !== 'key') return true
  const { key } = input
  return typedBy(key) !== undefined || !(key.ctrl || key.alt || /^f\d/.test(key.name))
}
