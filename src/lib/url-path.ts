/** Nearly all paths; encodeURI costs more than the rest of a link or of a sitemap. */
const plainPath = /^[\w\-./~@]*$/

/** A decoded site path as it stands in a URL: `/a b` → `/a%20b`; half a surrogate pair becomes U+FFFD. */
export function encodePath(path: string): string {
  if (plainPath.test(path)) return path
  return encodeURI(path.toWellFormed()).replaceAll('?', '%3F').replaceAll('#', '%23')
}

/**
 * A path or an address without slashes at its end. No pattern: that looks from each of thousands of slashes in the middle
 * to the end of them.
 */
export function withoutEndSlashes(path: string): string {
  let end = path.length
  while (path[end - 1] === '/') end--
  return path.slice(0, end)
}

/** Decodes a URL path; undefined when its percent signs make no UTF-8. */
export function decodePath(path: string): string | undefined {
  if (!path.includes('%')) return path
  try {
    return decodeURIComponent(path)
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}

/** Where the feed of a page that has updates is: `/changelog` → `/changelog/rss.xml`. Both decoded. */
export function feedPath(path: string): string {
  return `${path === '/' ? '' : path}/rss.xml`
}
