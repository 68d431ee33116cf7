const sequences: Readonly<Record<string, string>> = {
  enter: '\r',
  escape: '\u001B',
  tab: '\t',
  'shift+tab': '\u001B[Z',
  backspace: '\u007F',
  space: ' ',
  'ctrl+space': '\0',
}
const arrows: Readonly<Record<string, string>> = { up: 'A', down: 'B', right: 'C', left: 'D', home: 'H', end: 'F' }
/** Keys that are told by a number, which is where they stand here. */
const numbered = ' home insert delete end pageup pagedown - - - - f1 f2 f3 f4 f5 - f6 f7 f8 f9 f10 - f11 f12'.split(' ')

/** Bytes that a terminal sends for a chord, such as `ctrl+s`, `alt+left`, `P` or `shift+tab`. */
export function bytesOf(chord: string): string {
  const whole = sequences[chord]
  if (whole !== undefined) return whole
  const parts = chord === '+' ? ['+'] : chord.split(/\+(?=.)/)
  const name = parts.pop() ?? ''
  const [shift, alt, ctrl] = ['shift', 'alt', 'ctrl'].map((modifier) => parts.includes(modifier))
  const modifiers = 1 + (shift ? 1 : 0) + (alt ? 2 : 0) + (ctrl ? 4 : 0)
  const arrow = arrows[name]
  if (arrow !== undefined) return modifiers === 1 ? `\u001B[${arrow}` : `\u001B[1;${modifiers}${arrow}`
  const number = name.length > 1 ? numbered.indexOf(name) : -1
  if (number > 0) return modifiers === 1 ? `\u001B[${number}~` : `\u001B[${number};${modifiers}~`
  const plain = sequences[name] ?? name
  const character = ctrl ? String.fromCharCode(plain.toUpperCase().charCodeAt(0) & 0x1f) : plain
  return alt ? `\u001B${character}` : character
}
