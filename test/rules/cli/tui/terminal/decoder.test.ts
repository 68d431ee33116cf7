import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chordOf, type Input } from '#cli/tui/canvas/input.ts'
import { Decoder } from '#cli/tui/terminal/decoder.ts'

interface Heard {
  readonly inputs: Input[]
  readonly answers: string[]
  readonly decoder: Decoder
  /** Milliseconds, which pass when a test says so. */
  now: number
}

/** So long passes, and the decoder is asked as often as it wants to be. */
function wait(heard: Heard, ms: number): void {
  const until = heard.now + ms
  for (let { patience } = heard.decoder; patience !== undefined; { patience } = heard.decoder) {
    if (heard.now + patience > until) break
    heard.now += patience
    heard.decoder.idle()
  }
  heard.now = until
}

function hear(...pieces: readonly (string | Uint8Array)[]): Heard {
  const heard: Heard = {
    inputs: [],
    answers: [],
    now: 0,
    decoder: new Decoder(
      {
        input: (input) => heard.inputs.push(input),
        answer: (answer) => heard.answers.push(answer),
      },
      () => heard.now,
    ),
  }
  for (const piece of pieces) heard.decoder.write(typeof piece === 'string' ? Buffer.from(piece) : piece)
  return heard
}

/** Keys as chords, pasted text in guillemets. */
function said({ inputs }: Heard): string {
  return inputs
    .map((input) => {
      if (input.type === 'key') return chordOf(input.key)
      return input.type === 'paste'
        ? `«${input.text}»`
        : `${input.mouse.action}@${input.mouse.row},${input.mouse.column}`
    })
    .join(' ')
}

const sequences = [
  '\u001B[A \u001BOP \u001B[1;5D \u001B[3~ \u001B[200~ \u001B[201~ \u001B[<0;12;5M \u001B[<35;1;1m \u001B[27;5;99~ \u001B[99;5u',
  '\u001B[?2026;2$y \u001B[7$ \u001B]11;rgb:ff/ff/ff\u001B\\ \u001B]0; \u0007 \u001BP1$r \u001B \u001B[ \u001B\u001B[B \r\n é 漢 👩‍🚀',
]
const samples = [...sequences.flatMap((some) => some.split(' ')), '\u001B[M !!']

/** Parts of what terminals send, so that random streams have sequences in them, whole and broken. */
const stream = fc
  .array(fc.oneof(fc.constantFrom(...samples), fc.string({ unit: 'binary', maxLength: 4 })), { maxLength: 20 })
  .map((parts) => Buffer.from(parts.join('')))

function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].toSorted((a, b) => a - b)
  return [0, ...ends].map((start, index) => bytes.subarray(start, ends[index] ?? bytes.length))
}

describe('keys', () => {
  it.each([
    ['letters, also those beyond ASCII', 'aZ é漢🚀', 'a Z space é 漢 🚀'],
    ['Ctrl with a letter', '\u0001\u0013\u001A', 'ctrl+a ctrl+s ctrl+z'],
    ['Ctrl with other characters', '\u0000\u001F', 'ctrl+space ctrl+/'],
    ['Alt as an escape ahead', '\u001Bb\u001B\r\u001B\u007F', 'alt+b alt+enter alt+backspace'],
    ['Enter, also as a line feed', '\r\n', 'enter enter'],
    ['Backspace apart from Delete', '\u007F\u0008\u001B[3~', 'backspace ctrl+backspace delete'],
    ['arrows', '\u001B[A\u001BOB\u001B[C\u001B[D', 'up down right left'],
    [
      'arrows with modifiers',
      '\u001B[1;5D\u001B[1;2A\u001B[1;4C\u001B[1;8B',
      'ctrl+left shift+up alt+shift+right ctrl+alt+shift+down',
    ],
    [
      'Home and End of several terminals',
      '\u001B[H\u001B[F\u001BOH\u001BOF\u001B[1~\u001B[4~\u001B[7~\u001B[8~',
      'home end home end home end home end',
    ],
    ['pages', '\u001B[5~\u001B[6~\u001B[6;5~', 'pageup pagedown ctrl+pagedown'],
    ['function keys', '\u001BOP\u001B[11~\u001B[[A\u001B[15~\u001B[24~\u001B[1;2R', 'f1 f1 f1 f5 f12 shift+f3'],
    ['Shift-Tab', '\t\u001B[Z\u001B[9;2u', 'tab shift+tab shift+tab'],
    ['modifyOtherKeys', '\u001B[27;5;105~\u001B[27;2;13~', 'ctrl+i shift+enter'],
    [
      'the keyboard protocol',
      '\u001B[27u\u001B[97;5u\u001B[97;6u\u001B[233;3u\u001B[13;5u\u001B[57417;5u',
      'escape ctrl+a ctrl+A alt+é ctrl+enter ctrl+left',
    ],
    // https://sw.kovidgoyal.net/kitty/keyboard-protocol/: what kitty sends with the flags that are asked for.
    [
      'Ctrl and Alt with letters of another alphabet by the key that is pressed',
      '\u001B[1099::115;5u\u001B[1079::112;5u\u001B[963::115;5u\u001B[1092:1060:97;4u\u001B[1514::44;5u',
      'ctrl+s ctrl+p ctrl+s alt+A ctrl+,',
    ],
    ['such letters as they are where nothing else is told', '\u001B[1099;5u\u001B[233::50;3u', 'ctrl+ы alt+é'],
    ['what Shift makes of a key with Ctrl', '\u001B[47:63;6u\u001B[97:65;6u\u001B[97::113;5u', 'ctrl+? ctrl+A ctrl+a'],
    [
      'keys of kitty with all modifiers, also beside Caps Lock and Num Lock',
      '\u001B[13~\u001B[13;2~\u001B[127;5u\u001B[32;5u\u001B[9;6u\u001B[13;3u\u001B[115;69u\u001B[115;133u\u001B[1;130A\u001B[57441;2u',
      'f3 shift+f3 ctrl+backspace ctrl+space ctrl+shift+tab alt+enter ctrl+s ctrl+s shift+up',
    ],
    // https://invisible-island.net/xterm/modified-keys.html: the character is the one with Shift.
    [
      'Ctrl-Shift of modifyOtherKeys',
      '\u001B[27;6;65~\u001B[27;6;63~\u001B[27;6;9~\u001B[27;5;8~\u001B[27;2;32~\u001B[27;4;66~\u001B[65;6u',
      'ctrl+A ctrl+? ctrl+shift+tab ctrl+backspace space alt+B ctrl+A',
    ],
    ['no release of a key', '\u001B[97;1:3u\u001B[1;1:3A\u001B[97;1:1u', 'a'],
    ['rxvt', '\u001BOd\u001B[3^\u001B[7$x', 'ctrl+left ctrl+delete shift+home x'],
    ['Alt with an arrow as two escapes', '\u001B\u001B[A', 'alt+up'],
  ])('knows %s', (_, bytes, chords) => {
    expect(said(hear(bytes))).toBe(chords)
  })

  it('does not type what it does not know', () => {
    const unknown =
      '\u001B[?1;2c\u001B[12;40R\u001B[I\u001B[O\u001B[57358u\u001B[99;99X\u001BPxyz\u001B\\\u001B[M !!\u009B'
    expect(said(hear(unknown))).toBe('')
    expect(said(hear(new Uint8Array([0xff, 0xc3, 0x28])))).toBe('(')
  })

  it('takes a lone escape for the key only when nothing follows', () => {
    const heard = hear('\u001B')
    expect(said(heard)).toBe('')
    expect(heard.decoder.patience).toBe(25)
    heard.decoder.idle()
    expect(said(heard)).toBe('escape')
    expect(heard.decoder.patience).toBeUndefined()
    const twice = hear('\u001B\u001B')
    twice.decoder.idle()
    expect(said(twice)).toBe('escape escape')
  })

  it('waits for the rest of a key that comes slowly', () => {
    const heard = hear('\u001B[1;')
    heard.decoder.idle()
    heard.decoder.write(Buffer.from('5Dx'))
    expect(said(heard)).toBe('ctrl+left x')
  })

  it('takes Alt with a bracket for what it is', () => {
    const heard = hear('\u001B]ab')
    heard.decoder.idle()
    expect(said(heard)).toBe('alt+] a b')
  })
})

describe('a mouse', () => {
  it('is told by rows and columns from 0', () => {
    const heard = hear('\u001B[<0;12;5M\u001B[<32;13;5M\u001B[<0;13;5m\u001B[<64;1;1M\u001B[<65;1;1M')
    expect(said(heard)).toBe('press@4,11 drag@4,12 release@4,12 wheelUp@0,0 wheelDown@0,0')
    expect(hear('\u001B[<22;1;1M').inputs[0]).toMatchObject({
      mouse: { button: 'right', shift: true, ctrl: true, alt: false },
    })
  })

  it('has no buttons that nobody uses', () => {
    expect(said(hear('\u001B[<128;1;1M\u001B[<66;1;1M'))).toBe('')
  })
})

describe('pasted text', () => {
  it('is one input, with line ends as the text has them elsewhere', () => {
    expect(said(hear('a\u001B[200~one\r\ntwo\rthree\n\u001B[201~b'))).toBe('a «one\ntwo\nthree\n» b')
  })

  it('may hold escapes', () => {
    expect(said(hear('\u001B[200~\u001B[31mred\u001B[20\u001B[201~'))).toBe('«\u001B[31mred\u001B[20»')
  })

  it('may be large, and come in pieces', () => {
    const text = 'All of it.\r\n'.repeat(100_000)
    const bytes = Buffer.from(`\u001B[200~${text}\u001B[201~`)
    const pieces = Array.from({ length: Math.ceil(bytes.length / 4095) }, (_, n) =>
      bytes.subarray(n * 4095, (n + 1) * 4095),
    )
    expect(said(hear(...pieces))).toBe(`«${text.replaceAll('\r\n', '\n')}»`)
  })

  it('is not lost when its end does not come', () => {
    const heard = hear('\u001B[200~half')
    expect(heard.decoder.patience).toBe(1000)
    heard.decoder.idle()
    expect(said(heard)).toBe('«half»')
    // It went on after all.
    heard.decoder.write(Buffer.from(' and half\u001B[201~'))
    expect(said(heard)).toBe('«half» « and half»')
    const broken = hear('\u001B[200~half')
    broken.decoder.idle()
    broken.decoder.write(Buffer.from('\u0013'))
    expect(said(broken)).toBe('«half» ctrl+s')
  })
})

describe('text in one piece, from a terminal that does not mark what is pasted', () => {
  const read = (...pieces: readonly Uint8Array[]): string => {
    const heard = hear()
    for (const piece of pieces) heard.decoder.read(piece)
    return said(heard)
  }
  const long = '漢字 and words. '.repeat(10)

  it('is one input; the Enter behind it is a key', () => {
    expect(read(Buffer.from(`${long}\r${long}\r`))).toBe(`«${long}\n${long}» enter`)
  })

  it('may be cut within a character', () => {
    const bytes = Buffer.from(`${long}${long}漢`)
    const text = read(bytes.subarray(0, 201), bytes.subarray(201)).replaceAll(/[«»]/g, '').replaceAll(' space ', ' ')
    expect(text.replaceAll(' ', '')).toBe(`${long}${long}漢`.replaceAll(' ', ''))
  })

  it('is keys where it is short, or holds others', () => {
    expect(read(Buffer.from('abc\r'))).toBe('a b c enter')
    expect(read(Buffer.from('\u001B[B'.repeat(40)))).toBe('down '.repeat(40).trim())
  })
})

describe('answers of the terminal', () => {
  it('are told apart from keys', () => {
    const heard = hear('\u001B]11;rgb:1e1e/1e1e/1e1e\u0007\u001B[?2026;2$yx\u001B[?62;22c')
    expect(heard.answers).toEqual([']11;rgb:1e1e/1e1e/1e1e', '[?2026;2$y', '[?62;22c'])
    expect(said(heard)).toBe('x')
  })
})

describe('what has no end', () => {
  it.each([
    ['an answer that stops halfway', '\u001B]11;rgb:1e1e/1e', 'h e l l o'],
    ['an answer with letters behind it', '\u001B]11;rgb:1e1e/1e1e/1e1ewords', 'w o r d s h e l l o'],
    ['an answer whose end is cut', '\u001B]11;rgb:1e1e/1e1e/1e1e\u001B', 'escape h e l l o'],
    ['a name of a terminal', '\u001BP>|xterm(3', 'h e l l o'],
    ['a key', '\u001B[1;', 'h e l l o'],
    ['a press of an old mouse', '\u001B[M', 'h e l l o'],
    ['Alt with a bracket, and a number', '\u001B]12', 'alt+] 1 2 h e l l o'],
    ['Alt with an underscore, and a letter', '\u001B_Go', 'alt+_ G o h e l l o'],
  ])('%s keeps nothing from what is typed a second later', (_, bytes, keys) => {
    const [waited, slept] = [hear(bytes), hear(bytes)]
    wait(waited, 1000)
    waited.decoder.write(Buffer.from('hello'))
    expect(said(waited)).toBe(keys)
    // Nobody was asked: the process was stopped meanwhile.
    slept.now += 1000
    slept.decoder.write(Buffer.from('hello'))
    expect(said(slept)).toBe(keys)
  })

  it('is waited for on a slow line', () => {
    const heard = hear('\u001B]11;rgb:1e1e/')
    wait(heard, 900)
    heard.decoder.write(Buffer.from('1e1e/1e1e\u001B\\x'))
    expect(heard.answers).toEqual([']11;rgb:1e1e/1e1e/1e1e'])
    expect(said(heard)).toBe('x')
  })

  it('is not waited for by who goes on typing', () => {
    const heard = hear('\u001B]11;')
    for (const letter of 'abcdefghij') {
      wait(heard, 200)
      heard.decoder.write(Buffer.from(letter))
    }
    expect(said(heard)).toBe('a b c d e f g h i j')
  })

  it('takes no letter of what is long', () => {
    const text = 'x'.repeat(3000)
    expect(said(hear(`\u001B]${text}`))).toBe(`alt+] ${Array.from(text).join(' ')}`)
  })

  it('whatever it is, letters that come a second later arrive', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat(), { maxLength: 6 }), fc.nat({ max: 300 }), (bytes, places, pause) => {
        const heard = hear()
        for (const piece of cut(bytes, places)) {
          heard.decoder.read(piece)
          wait(heard, pause)
        }
        wait(heard, 1000)
        const before = heard.inputs.length
        for (const letter of 'Hello') heard.decoder.read(Buffer.from(letter))
        expect(said({ ...heard, inputs: heard.inputs.slice(before) })).toMatch(/^(?:escape |«\n» |\uFFFD )*H e l l o$/)
      }),
    )
  })
})

describe('any bytes', () => {
  it('make the same inputs, however they are cut', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat(), { maxLength: 12 }), (bytes, places) => {
        const [whole, pieces] = [hear(bytes), hear(...cut(bytes, places))]
        expect(pieces.inputs).toEqual(whole.inputs)
        expect(pieces.answers).toEqual(whole.answers)
      }),
    )
  })

  it('never throw, and never type a control character', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 30 }), { maxLength: 10 }), (pieces) => {
        const heard = hear()
        for (const piece of pieces) {
          heard.decoder.write(piece)
          heard.decoder.idle()
        }
        const names = heard.inputs.flatMap((input) => (input.type === 'key' ? [input.key.name] : []))
        expect(names.filter((name) => /\p{Cc}/u.test(name))).toEqual([])
      }),
    )
  })

  it('that are text come out as they are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const typed = hear(text).inputs.map((input) => (input.type === 'key' ? input.key.name : ''))
        const wanted = Array.from(text).filter((character) => character !== '\uFFFD' && !/\p{Cc}/u.test(character))
        expect(typed.filter((name) => !/^[a-z]{2,}$/.test(name)).join('')).toBe(wanted.join(''))
      }),
    )
  })
})
