const ALLOWED = /^(?:\/(?![/\\])|#|https?:\/\/|mailto:|tel:)/i

/**
 * The builder has checked every href of a shell; this is the second lock on that door, where the document is made.
 * @returns `href` when it is a site path, a fragment, http(s), mailto or tel; `#` for anything else
 */
export function safeHref(href: string): string {
  return ALLOWED.test(href) ? href : '#'
}

/** Whether a link leaves the site: opened with `rel=noopener`, marked with an arrow. */
export function isExternal(href: string): boolean {
  return /^https?:\/\//i.test(href)
}

/** A decoded site path as it stands in a URL: `/a b` → `/a%20b`. */
export function encodePath(path: string): string {
  return encodeURI(wellFormed(path)).replaceAll('?', '%3F').replaceAll('#', '%23')
}

/** An id as it stands behind `#`. */
export function encodeFragment(id: string): string {
  return encodeURIComponent(wellFormed(id))
}

/** Lone surrogates, which no URL can hold, become U+FFFD. */
function wellFormed(text: string): string {
  return text.replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, '\uFFFD')
}
