import { addressOf, isPage } from './page-paths.ts'

/** Where a link leads in the text: `](…)`, `href="…"`, `src='…'`. */
const target = /(\]\(\s*<?|\b(?:href|src)\s*=\s*["'{]+\s*)([^\s)"'>}]+)/g

/**
 * A text of the project with its links to a file leading to where that is now.
 * @param at path of the text itself: links may be relative to it. @returns the text, and how many links were mended
 */
export function mendLinks(
  text: string,
  at: string,
  { from, to }: { readonly from: string; readonly to: string },
): { readonly text: string; readonly count: number } {
  if (at === 'docs.json') return mendNavigation(text, { from, to })
  if (!isPage(at)) return { text, count: 0 }
  let count = 0
  let isCode = false
  const mended = text.split('\n').map((line) => {
    if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode
    if (isCode) return line
    return line.replaceAll(target, (whole, before: string, address: string) => {
      const [, path = '', rest = ''] = /^([^#?]*)(.*)$/s.exec(address) ?? []
      if (path === '' || !leadsTo(path, at, from)) return whole
      count += 1
      return `${before}${isPage(from) && !isPage(path) ? addressOf(to) : `/${to}`}${rest}`
    })
  })
  return { text: mended.join('\n'), count }
}

/** Pages stand in docs.json without their ending, and with or without a slash before them. */
function mendNavigation(
  text: string,
  { from, to }: { readonly from: string; readonly to: string },
): { readonly text: string; readonly count: number } {
  const pageOf = (path: string): string => path.replace(/\.mdx?$/i, '')
  let count = 0
  const strings = /"(\/?)((?:[^"\\\n]|\\.)*)"(\s*:)?/g
  const mended = text.replaceAll(strings, (whole, slash: string, value: string, colon: string | undefined) => {
    const isFile = value === from
    if (colon !== undefined || (!isFile && !(isPage(from) && value === pageOf(from)))) return whole
    count += 1
    return `"${slash}${isFile ? to : pageOf(to)}"`
  })
  return { text: mended, count }
}

function leadsTo(address: string, at: string, file: string): boolean {
  if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(address)) return false
  const path = resolved(decoded(address), at)
  return path === file || (isPage(file) && `/${path}`.replace(/(?<=.)\/$/, '') === addressOf(file))
}

function resolved(address: string, at: string): string {
  const segments = address.startsWith('/') ? [] : at.split('/').slice(0, -1)
  for (const segment of address.split('/')) {
    if (segment === '..') segments.pop()
    else if (segment !== '.' && segment !== '') segments.push(segment)
  }
  return segments.join('/')
}

function decoded(address: string): string {
  try {
    return decodeURIComponent(address)
  } catch {
    return address
  }
}
