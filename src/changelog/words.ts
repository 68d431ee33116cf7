import { decodeHTML } from 'entities'

const rest = '(?:[^<>"]|"[^"]*")*'
/** What shows no words of the text: drawings, controls, the source of formulas. */
const silent = new RegExp(`<(svg|button|annotation|style|script)(?=[\\s>])${rest}>.*?</\\1>`, 'gs')
const inline = new RegExp(
  `</?(?:a|abbr|b|bdi|bdo|cite|code|del|dfn|em|i|ins|kbd|mark|q|s|samp|small|span|strong|sub|sup|time|u|var|wbr)(?=[\\s/>])${rest}>`,
  'g',
)
const tag = new RegExp(`</?[a-zA-Z!]${rest}>`, 'g')

/** The words of an entry: words that only markup parts stay one. @param html sanitised, as the renderer writes it. */
export function wordsOf(html: string): string {
  const text = html.replace(silent, ' ').replace(inline, '').replace(tag, ' ')
  return decodeHTML(text).replace(/\s+/g, ' ').trim()
}

/** HTML that the first words are looked for in, UTF-16 code units: the words of a megabyte take a tenth of a second. */
const beginning = 64 * 1024

/** The words that an entry begins with: enough for every excerpt. @param html as above */
export function firstWordsOf(html: string): string {
  return wordsOf(html.slice(0, beginning).replace(/<[^>]*$/, ''))
}
