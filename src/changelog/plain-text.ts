import { decodeHTML } from 'entities'

const attributes = '(?:[^<>"]|"[^"]*")*'
/** What shows no text: drawings, controls, the source of formulas. */
const withoutText = new RegExp(`<(svg|button|annotation|style|script)(?=[\\s>])${attributes}>.*?</\\1>`, 'gs')
const inline = new RegExp(
  `</?(?:a|abbr|b|bdi|bdo|cite|code|del|dfn|em|i|ins|kbd|mark|q|s|samp|small|span|strong|sub|sup|time|u|var|wbr)(?=[\\s/>])${attributes}>`,
  'g',
)
const tag = new RegExp(`</?[a-zA-Z!]${attributes}>`, 'g')

/** HTML that the beginning of the text is looked for in, UTF-16 code units: the words of a megabyte take a tenth of a second. */
const searchedHtml = 64 * 1024

/** Longest excerpt, in UTF-16 code units: however a reader counts, it sees no more characters. */
export const excerptLength = 500

const ellipsis = '…'
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** The text of an entry: words that only inline markup divides stay one. @param html sanitised, as the renderer writes it. */
export function plainTextOf(html: string): string {
  const text = html.replace(withoutText, ' ').replace(inline, '').replace(tag, ' ')
  return decodeHTML(text).replace(/\s+/g, ' ').trim()
}

/** The text that an entry begins with: enough for every excerpt. @param html as above */
export function leadingTextOf(html: string): string {
  return plainTextOf(html.slice(0, searchedHtml).replace(/<[^>]*$/, ''))
}

/**
 * The beginning of a text, as HTML of at most 500 characters: escaped, because readers of feeds take a description for
 * HTML, and cut between words where there are some, never inside an entity or a character as people see it (a grapheme
 * cluster, UAX #29).
 */
export function excerptOf(text: string): string {
  const flat = text.replace(/\s+/g, ' ').trim()
  const pieces: string[] = []
  let length = 0
  // What is longer than this when raw does not fit when escaped.
  for (const { segment } of graphemes.segment(flat.slice(0, 2 * excerptLength))) {
    const piece = segment.replace(/[&<>]/g, (character) => entities[character] ?? character)
    if (length + piece.length > excerptLength) return shorten(pieces, length)
    pieces.push(piece)
    length += piece.length
  }
  return pieces.join('')
}

/** The pieces that leave room for the ellipsis, up to the last space unless that is far back (Chinese has none). */
function shorten(pieces: readonly string[], total: number): string {
  let count = pieces.length
  for (let length = total; length + ellipsis.length > excerptLength; length -= pieces[count]?.length ?? 0) count -= 1
  const space = pieces.lastIndexOf(' ', count)
  const end = space > count / 2 ? space : count
  return pieces.slice(0, end).join('').trimEnd() + ellipsis
}
