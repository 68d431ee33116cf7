import { parseUrl } from '../../lib/parse-url.ts'

/** Characters of an address. */
const longest = 4096

/** Path, query and fragment of a place on a site; its first page for whatever would lead to another host. */
export function sitePath(text: unknown): string {
  if (typeof text !== 'string' || text.length > longest || !text.startsWith('/')) return '/'
  const anywhere = 'https://site.invalid'
  // As browsers read it: \ is /, and tabs and line breaks are nothing.
  const url = parseUrl(text, anywhere)
  if (url === undefined) return '/'
  const { origin, pathname, search, hash } = url
  return origin === anywhere && !pathname.startsWith('//') ? pathname + search + hash : '/'
}
