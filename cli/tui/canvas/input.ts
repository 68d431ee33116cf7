/** A key as it was pressed. */
export interface Key {
  /**
   * The character that it types without Ctrl and Alt (`a`, `A`, `?`, ` `, `é`), or one of `enter`, `escape`, `tab`,
   * `backspace`, `delete`, `up`, `down`, `left`, `right`, `home`, `end`, `pageup`, `pagedown`, `insert`, `f1` … `f12`.
   */
  readonly name: string
  readonly ctrl: boolean
  readonly alt: boolean
  /** Only of named keys: of characters, the character tells it. */
  readonly shift: boolean
}

export interface Mouse {
  readonly action: 'press' | 'release' | 'drag' | 'wheelUp' | 'wheelDown'
  readonly button: 'left' | 'middle' | 'right' | 'none'
  /** From 0: of the screen, or of the region of the pane that is given the input. */
  readonly row: number
  readonly column: number
  readonly shift: boolean
  readonly ctrl: boolean
  readonly alt: boolean
}

export type Input =
  | { readonly type: 'key'; readonly key: Key }
  /** Line ends are `\n`. */
  | { readonly type: 'paste'; readonly text: string }
  | { readonly type: 'mouse'; readonly mouse: Mouse }

/** A key in words: `ctrl+s`, `alt+shift+left`, `P`, `?`, `space`. Commands name their keys in this form. */
export function chordOf({ name, ctrl, alt, shift }: Key): string {
  const base = name === ' ' ? 'space' : name
  return `${ctrl ? 'ctrl+' : ''}${alt ? 'alt+' : ''}${shift ? 'shift+' : ''}${base}`
}

/** The character that a key types; undefined where it types none. */
export function typedBy({ name, ctrl, alt }: Key): string | undefined {
  // One character, however many code units: names of keys are longer, and ASCII.
  return ctrl || alt || (name.length > 1 && /^[a-z0-9]+$/.test(name)) ? undefined : name
}

/** Whether a chord types a character: while somebody types, it is no command. */
export function isTyped(chord: string): boolean {
  return chord === 'space' || Array.from(chord).length === 1
}

const words: Readonly<Record<string, string>> = {
  ctrl: 'Ctrl',
  alt: 'Alt',
  shift: 'Shift',
  enter: 'Enter',
  escape: 'Esc',
  tab: 'Tab',
  backspace: 'Backspace',
  delete: 'Del',
  up: '↑',
  down: '↓',
  left: '←',
  right: '→',
  home: 'Home',
  end: 'End',
  pageup: 'PgUp',
  pagedown: 'PgDn',
  space: 'Space',
}

/** A chord for people: `Ctrl-S`, `Shift-P`, `F1`. */
export function chordText(chord: string): string {
  const parts = chord === '+' ? ['+'] : chord.split(/\+(?=.)/)
  const base = parts.at(-1) ?? ''
  const isCapital = parts.length === 1 && base.length === 1 && base !== base.toLowerCase()
  const named = parts.map((part) => words[part] ?? (part.length > 1 || parts.length > 1 ? part.toUpperCase() : part))
  return isCapital ? `Shift-${base}` : named.join('-')
}
