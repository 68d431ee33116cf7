/** Where a request for a site points. */
export interface Target {
  /** Decoded once, NFC, begins with one `/`, no `.` or `..` segments. */
  readonly path: string
  /** With its `?`, as it was sent but for `#`; empty when there is none. */
  readonly query: string
}

/**
 * Reads the target of a request in origin-form. Null is a target that no honest client sends: `//` in front, `..`,
 * encoded slashes or backslashes, control characters, bad escapes.
 */
export function parseTarget(url: string): Target | null {
  const mark = url.indexOf('?')
  const raw = mark === -1 ? url : url.slice(0, mark)
  if (!/^\/(?!\/)[\x21-\x7e]*$/.test(raw) || /[\\#]|%2f|%5c/i.test(raw)) return null
  const path = raw.includes('%') ? decodePath(raw) : raw
  if (path === null || hasDotSegment(path)) return null
  return { path, query: mark === -1 ? '' : url.slice(mark).replaceAll('#', '%23') }
}

function decodePath(raw: string): string | null {
  let path: string
  try {
    path = decodeURIComponent(raw)
  } catch (error) {
    if (error instanceof URIError) return null
    throw error
  }
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  return /[\u0000-\u001f\u007f-\u009f\\]/.test(path) ? null : path.normalize('NFC')
}

function hasDotSegment(path: string): boolean {
  return path.includes('/.') && /\/\.\.?(?:\/|$)/.test(path)
}

/** A decoded path as it stands in a Location header: every segment escaped, never two slashes in front. */
export function encodePath(path: string): string {
  return ('/' + path.split('/').map(encodeURIComponent).join('/')).replace(/^\/+/, '/')
}

/** A string that goes into a URL as it is, with everything escaped that a header or a URL must not carry. */
export function escapeUrl(text: string): string {
  return text.replace(/[^\x21-\x7e]|["<>\\^`{|}]/gu, (character) =>
    /\p{Surrogate}/u.test(character) ? '%EF%BF%BD' : encodeURIComponent(character),
  )
}
