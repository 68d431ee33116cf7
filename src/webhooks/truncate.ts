const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
/** What a reader takes for one character may be any number of code points; beyond this it is cut as well. */
const longestGrapheme = 64

/** Index of the code unit behind `count` code points, or null where the text has no more than that. */
function indexAfter(text: string, count: number): number | null {
  let index = 0
  for (let counted = 0; counted < count; counted++) {
    if (index >= text.length) return null
    index += (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1
  }
  return index < text.length ? index : null
}

/**
 * The text with at most `limit` code points: a longer one ends in an ellipsis, which counts. Neither a surrogate pair
 * nor what readers take for one character (a flag, a letter with its accents) is cut in two.
 */
export function cut(text: string, limit: number): string {
  if (indexAfter(text, limit) === null) return text
  const end = indexAfter(text, Math.max(0, limit - 1)) ?? 0
  if (limit < 1) return ''
  const start = graphemes.segment(text.slice(0, end + longestGrapheme)).containing(end)?.index ?? end
  const whole = start > 0 && end - start <= longestGrapheme ? start : end
  return `${text.slice(0, whole)}…`
}

/** Without halves of surrogate pairs and control characters, which receivers refuse; tabs and line ends stay. */
export function clean(text: string): string {
  return text.replace(/(?![\t\n\r])[\p{Cc}\p{Surrogate}]/gu, '\uFFFD')
}
