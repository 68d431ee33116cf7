/** Nearly all paths; encodeURI costs more than the rest of a link or of a sitemap. */
const plainPath = /^[\w\-./~@]*$/

/** A decoded site path as it stands in a URL: `/a b` → `/a%20b`. */
export function encodePath(path: string): string {
  if (plainPath.test(path)) return path
  return encodeURI(wellFormed(path)).replaceAll('?', '%3F').replaceAll('#', '%23')
}

/** Replaces lone surrogates, which no URL can hold, by U+FFFD. */
export function wellFormed(text: string): string {
  return text.replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, '\uFFFD')
}
