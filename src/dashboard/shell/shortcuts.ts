import { forgetText, storedText, storeText } from '../local-storage.ts'
import { paths } from '../paths.ts'

/** What a key does: opens something over the page, or shows the part of a project, or all projects. */
type Act = 'palette' | 'help' | ((slug: string | undefined) => string | undefined)

export interface Shortcut {
  /** Pressed one after the other. `Mod` is ⌘ on a Mac, Ctrl elsewhere. */
  readonly keys: readonly string[]
  readonly words: string
  readonly act: Act
}

const inProject =
  (address: (slug: string) => string): Act =>
  (slug) =>
    slug === undefined ? undefined : address(slug)

/** All shortcuts of the dashboard: from here they are handled, and from here the help tells of them. */
export const shortcuts: readonly Shortcut[] = [
  { keys: ['Mod+K'], words: 'Go to a page, branch or file, or do something', act: 'palette' },
  { keys: ['?'], words: 'Show the keyboard shortcuts', act: 'help' },
  { keys: ['g', 'p'], words: 'Go to your projects', act: () => paths.projects },
  { keys: ['g', 'o'], words: 'Go to the overview of the project', act: inProject(paths.project) },
  { keys: ['g', 'b'], words: 'Go to its branches', act: inProject(paths.branches) },
  { keys: ['g', 'd'], words: 'Go to its deploys', act: inProject(paths.deploys) },
  { keys: ['g', 'c'], words: 'Go to its changelog', act: inProject(paths.entries) },
  { keys: ['g', 's'], words: 'Go to its settings', act: inProject(paths.settings) },
]

/** What the editor itself does while its text has the focus. */
export const editorShortcuts: readonly Omit<Shortcut, 'act'>[] = [
  { keys: ['Mod+S'], words: 'Save the file' },
  { keys: ['Mod+B'], words: 'Bold' },
  { keys: ['Mod+I'], words: 'Italic' },
  { keys: ['Mod+E'], words: 'Code' },
  { keys: ['Mod+K'], words: 'Link' },
  { keys: ['Mod+F'], words: 'Find and replace' },
  { keys: ['Ctrl+Space'], words: 'Complete a component, a link or an image' },
  { keys: ['F8'], words: 'Next problem' },
  { keys: ['Escape', 'Tab'], words: 'Leave the text' },
]

export const isMac = /Mac|iP(?:hone|ad)/.test(navigator.platform)

/** A key as people call it. */
export function keyName(key: string): string {
  return key.replace('Mod+', isMac ? '⌘' : 'Ctrl+').replace('Escape', 'Esc')
}

const kept = 'quire-single-keys'

/** Whether keys without ⌘ or Ctrl do something: who dictates, or presses keys by accident, turns them off. */
export function hasSingleKeys(): boolean {
  return storedText(kept) !== 'off'
}

export function setSingleKeys(on: boolean): void {
  if (on) forgetText(kept)
  else storeText(kept, 'off')
}

/** Where keys have a meaning of their own. */
const taken =
  '[data-single-keys="off"], input, textarea, select, [contenteditable], [role="dialog"], [role="alertdialog"], [role="menu"]'

/** Milliseconds in which the next key of a sequence has to come. */
const patience = 1_500

/** Finds what is meant by the keys that are pressed. */
export class KeyReader {
  #before: string[] = []
  #at = 0

  /** @returns the shortcut that the key completes */
  read(event: KeyboardEvent): Shortcut | undefined {
    if (event.defaultPrevented || event.isComposing || event.repeat || event.altKey) return undefined
    const mod = isMac ? event.metaKey : event.ctrlKey
    if (mod && !event.shiftKey) {
      const name = `Mod+${event.key.toUpperCase()}`
      return shortcuts.find(({ keys }) => keys.length === 1 && keys[0] === name)
    }
    if (event.metaKey || event.ctrlKey || !hasSingleKeys()) return undefined
    // The editor's text is in a tree of its own, of which the event names only the host.
    const [target] = event.composedPath()
    if (target instanceof Element && target.closest(taken) !== null) return undefined
    if (event.key === 'Shift') return undefined
    if (event.timeStamp - this.#at > patience) this.#before = []
    this.#at = event.timeStamp
    const pressed = [...this.#before, event.key]
    const found = shortcuts.find(
      ({ keys }) => keys.length === pressed.length && keys.every((key, i) => key === pressed[i]),
    )
    const mayGoOn = shortcuts.some(
      ({ keys }) => keys.length > pressed.length && pressed.every((key, i) => key === keys[i]),
    )
    this.#before = mayGoOn ? pressed : []
    return found
  }
}
