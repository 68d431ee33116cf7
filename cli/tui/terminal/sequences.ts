import type { Key, Mouse } from '../canvas/input.ts'

/** How long a sequence may be that is waited for; mouse, keys and answers are far below. */
export const longestSequence = 1024

const finals: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  F: 'end',
  H: 'home',
  P: 'f1',
  Q: 'f2',
  R: 'f3',
  S: 'f4',
  // Keypads.
  M: 'enter',
  I: 'tab',
}

/** `[3~` and their like; those of rxvt and of the Linux console as well. */
const numbered: Readonly<Record<number, string>> = {
  1: 'home',
  2: 'insert',
  3: 'delete',
  4: 'end',
  5: 'pageup',
  6: 'pagedown',
  7: 'home',
  8: 'end',
  11: 'f1',
  12: 'f2',
  13: 'f3',
  14: 'f4',
  15: 'f5',
  17: 'f6',
  18: 'f7',
  19: 'f8',
  20: 'f9',
  21: 'f10',
  23: 'f11',
  24: 'f12',
}

const controls: Readonly<Record<number, string>> = {
  0x09: 'tab',
  0x0d: 'enter',
  0x1b: 'escape',
  0x7f: 'backspace',
}

/** Of the keypad, in the private use area, as the keyboard protocol of kitty counts (57,399 on). */
const keypad =
  '0 1 2 3 4 5 6 7 8 9 . / * - + enter = , left right up down pageup pagedown home end insert delete'.split(' ')
const keypadFirst = 57_399

const plain = { ctrl: false, alt: false, shift: false }

/** The key of one character; undefined: of what is no key, such as bytes that are no UTF-8. */
export function singleKey(character: string): Key | undefined {
  const code = character.codePointAt(0) ?? 0
  // Terminals send a line feed for Enter with a modifier, and for the lines of what is pasted into them plainly.
  if (code === 0x0a) return { ...plain, name: 'enter' }
  const control = controls[code]
  if (control !== undefined) return { ...plain, name: control }
  if (code === 0x08) return { ...plain, name: 'backspace', ctrl: true }
  if (code === 0) return { ...plain, name: ' ', ctrl: true }
  // Ctrl-/ and Ctrl-_ are one byte; people press the former.
  if (code === 0x1f) return { ...plain, name: '/', ctrl: true }
  if (code < 0x20) return { ...plain, name: String.fromCharCode(code + 0x40).toLowerCase(), ctrl: true }
  if ((code >= 0x80 && code < 0xa0) || code === 0xfffd) return undefined
  return { ...plain, name: character }
}

/**
 * The key of a control sequence or single shift.
 * @param sequence without the escape, such as `[1;5D` or `OP`
 */
export function keyOf(sequence: string): Key | undefined {
  const final = sequence.at(-1) ?? ''
  const body = sequence.slice(1, -1)
  if (sequence.startsWith('O')) return singleShiftKey(final, body)
  if (sequence.startsWith('[[')) return named({ name: 'ABCDE'.includes(final) ? `f${final.charCodeAt(0) - 0x40}` : '' })
  // Of old mice.
  if (sequence.startsWith('[M') && sequence.length > 2) return undefined
  if (final === 'Z') return { ...plain, name: 'tab', shift: true }
  const [first = [], second = [], third = []] = body.split(';').map((part) => part.split(':').map(Number))
  // The end of a press: nobody waits for it.
  if (second[1] === 3) return undefined
  const modifiers = modifiersOf(second[0])
  if (final === 'u') return characterKey(codeOf(first, modifiers), modifiers)
  if (final === '~' && first[0] === 27) return characterKey(third[0] ?? 0, modifiers)
  if (final === '~') return named({ name: numbered[first[0] ?? 0], ...modifiers })
  if (final === '^') return named({ name: numbered[first[0] ?? 0], ctrl: true })
  if (final === '@') return named({ name: numbered[first[0] ?? 0], ctrl: true, shift: true })
  if (final === '$') return named({ name: numbered[first[0] ?? 0], shift: true })
  if ('abcd'.includes(final)) return named({ name: finals[final.toUpperCase()], shift: true })
  // `[O` and `[I` tell of the focus; `[12;40R` of the cursor.
  if (!'ABCDFHPQRS'.includes(final) || !/^(?:1?;[\d:]+)?$/.test(body)) return undefined
  return named({ name: finals[final], ...modifiers })
}

/** Old terminals put modifiers between `O` and the letter; rxvt writes arrows with Ctrl in lower case. */
function singleShiftKey(final: string, body: string): Key | undefined {
  if ('abcd'.includes(final)) return named({ name: finals[final.toUpperCase()], ctrl: true })
  const modifiers = modifiersOf(/^\d+$/.test(body) ? Number(body) : undefined)
  // `Oj` to `Oy`: a keypad in its application mode.
  const onKeypad = final >= 'j' && final <= 'y' ? String.fromCharCode(final.charCodeAt(0) - 0x40) : undefined
  return named({ name: finals[final] ?? onKeypad, ...modifiers })
}

function named(key: Partial<Omit<Key, 'name'>> & { readonly name: string | undefined }): Key | undefined {
  const { name } = key
  return name ? { ...plain, ...key, name } : undefined
}

/** Modifiers are counted from 1: Shift 1, Alt 2, Ctrl 4, Super 8, Hyper 16, Meta 32. */
function modifiersOf(parameter: number | undefined): Omit<Key, 'name'> {
  const bits = Number.isInteger(parameter) ? Math.max(0, (parameter ?? 1) - 1) : 0
  return { shift: (bits & 1) !== 0, alt: (bits & (2 | 8 | 32)) !== 0, ctrl: (bits & 4) !== 0 }
}

/**
 * The code point of a key of the keyboard protocol, which tells up to three: without Shift, with it, and on a keyboard
 * with Latin letters. Commands are named by those: who writes Russian or Greek presses the same key for Ctrl-S.
 */
function codeOf(
  [code = 0, shifted = 0, latin = 0]: readonly number[],
  { shift, alt, ctrl }: Omit<Key, 'name'>,
): number {
  const isCommand = alt || ctrl
  if (isCommand && latin > 0x20 && isOtherScript(code)) return latin
  return isCommand && shift && shifted > 0x20 ? shifted : code
}

function isOtherScript(code: number): boolean {
  return code > 0x7f && code <= 0x10_ff_ff && /^(?!\p{Script=Latin})\p{L}$/u.test(String.fromCodePoint(code))
}

/** A key told by its code point, without what modifiers make of it. */
function characterKey(code: number, { shift, alt, ctrl }: Omit<Key, 'name'>): Key | undefined {
  const control = code === 0x08 ? 'backspace' : controls[code]
  if (control !== undefined) return { name: control, shift, alt, ctrl }
  const onKeypad = keypad[code - keypadFirst]
  if (onKeypad !== undefined) return { name: onKeypad, shift: shift && onKeypad.length > 1, alt, ctrl }
  // Keys without a character, such as modifiers themselves, are numbered in the private use area.
  const isCharacter =
    Number.isInteger(code) && code >= 0x20 && code <= 0x10_ff_ff && !(code >= 0xd8_00 && code < 0xf9_00)
  if (!isCharacter || (code >= 0x7f && code < 0xa0)) return undefined
  const character = String.fromCodePoint(code)
  const upper = character.toUpperCase()
  const isLetter = upper !== character && Array.from(upper).length === 1
  return { name: shift && isLetter ? upper : character, alt, ctrl, shift: false }
}

const buttons = ['left', 'middle', 'right', 'none'] as const

/** A mouse event in the SGR form, `[<0;12;5M`; undefined for buttons that nobody uses. */
export function mouseOf(sequence: string): Mouse | undefined {
  const parts = /^\[<(\d{1,4});(\d{1,5});(\d{1,5})([Mm])$/.exec(sequence)
  if (parts === null) return undefined
  const [code = 0, column = 0, row = 0] = parts.slice(1, 4).map(Number)
  // Beyond are wheels that go sideways, and buttons beside the usual three.
  if (code >= 128 || ((code & 64) !== 0 && (code & 3) > 1)) return undefined
  const wheel = (code & 1) === 0 ? ('wheelUp' as const) : ('wheelDown' as const)
  const move = (code & 32) !== 0 ? ('drag' as const) : parts[4] === 'M' ? ('press' as const) : ('release' as const)
  const isWheel = (code & 64) !== 0
  return {
    action: isWheel ? wheel : move,
    button: isWheel ? 'none' : (buttons[code & 3] ?? 'none'),
    row: Math.max(0, row - 1),
    column: Math.max(0, column - 1),
    shift: (code & 4) !== 0,
    alt: (code & 8) !== 0,
    ctrl: (code & 16) !== 0,
  }
}

/**
 * Where a control sequence (`ESC [ … final`) or a single shift (`ESC O final`) that begins at `at` ends.
 * @returns undefined when it is none: broken, or too long
 */
export function endOfSequence(text: string, at: number): number | 'unfinished' | undefined {
  let end = at + 2
  // The Linux console sends `[[A` for F1; old mice send three characters behind `[M`.
  if (text[at + 1] === '[' && text[end] === '[') return text[end + 1] === undefined ? 'unfinished' : end + 2
  if (text[at + 1] === '[' && text[end] === 'M') return text.length < end + 4 ? 'unfinished' : end + 4
  for (; end < text.length && end - at < longestSequence; end++) {
    const code = text.charCodeAt(end)
    // rxvt ends keys with Shift by `$`, which is no end elsewhere.
    if (code === 0x24 && /^[235678]$/.test(text.slice(at + 2, end))) return end + 1
    if (code >= 0x40 && code <= 0x7e) return end + 1
    if (code < 0x20 || code > 0x3f) return undefined
  }
  return end - at < longestSequence ? 'unfinished' : undefined
}

/** How much of a broken control sequence is dropped: all before the character that broke it. */
export function brokenLength(text: string, at: number): number {
  let end = at + 2
  while (
    end < text.length &&
    end - at < longestSequence &&
    text[end] !== undefined &&
    isParameter(text.charCodeAt(end))
  )
    end++
  return end - at
}

function isParameter(code: number): boolean {
  return code >= 0x20 && code <= 0x3f
}
