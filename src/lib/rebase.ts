import { escapeHtml } from './html.ts'

/** Where an entry is shown. */
export interface EntryContext {
  /** Origin of the project's site, which paths in the entry belong to. */
  readonly siteUrl: string
  /** The entry's own page, which its fragments belong to. */
  readonly url: string
  /** In front of every id of the entry: none of them is an id of the page around it or of another entry. */
  readonly prefix: string
}

// The sanitiser and the components write tags in this way only: `<` and quotes are escaped in text and values.
const tag = /<([a-zA-Z][\w:-]*)((?:[^<>"]|"[^"]*")*)>/g
const attribute = /\s([^\s"'<>/=]+)(?:="([^"]*)")?/g
const frame = /<iframe((?:[^<>"]|"[^"]*")*)>[^<]*<\/iframe>/g

const ids = new Set(['id', 'for', 'headers'])
const idReference = /^aria-(?:controls|describedby|details|flowto|labelledby|owns|activedescendant|errormessage)$/
const addresses = new Set(['href', 'src', 'poster', 'cite'])

/** UTF-16 code units of HTML that are rebased without a pause, about. */
const pieceLength = 64 * 1024

/** HTML as the renderer made it in pieces that can be rebased by themselves: none ends in a tag or within a frame. */
export function* rebasablePieces(html: string): Generator<string> {
  for (let at = 0; at < html.length;) {
    let end = at + pieceLength
    do end = html.indexOf('<', end + 1)
    while (end >= 0 && html.startsWith('</iframe', end))
    if (end < 0) end = html.length
    yield html.slice(at, end)
    at = end
  }
}

/**
 * The HTML of a text as it may stand among other things, on another origin than the site's, and in a feed: addresses
 * are absolute, ids have a prefix, embedded pages are links. Style attributes and the classes of the page around it
 * (`log-…`) go, so that no entry can draw outside of its place.
 *
 * @param html as the renderer made it: sanitised. Of large ones a piece.
 */
export function rebase(html: string, context: EntryContext): string {
  return html
    .replace(frame, (_match, attributes: string) => linkOf(attributes))
    .replace(tag, (_match, name: string, attributes: string) => {
      const rest = attributes.trimEnd().endsWith('/') ? ' /' : ''
      const rebased = attributes.replace(attribute, (_pair, key: string, value?: string) =>
        rebaseAttribute(name, key, value, context),
      )
      return `<${name}${rebased.replace(/\s*\/?\s*$/, '')}${rest}>`
    })
}

function rebaseAttribute(
  element: string,
  key: string,
  value: string | undefined,
  { siteUrl, url, prefix }: EntryContext,
): string {
  if (key === 'style') return ''
  if (value === undefined) return ` ${key}`
  return ` ${key}="${rebased()}"`

  function rebased(): string {
    if (value === undefined) return ''
    const named = key === 'name' && (element === 'a' || element === 'details')
    if (ids.has(key) || idReference.test(key) || named) return value.replace(/[^\s]+/g, (id) => prefix + id)
    if (key === 'class')
      return value
        .split(/\s+/)
        .filter((name) => !name.startsWith('log-'))
        .join(' ')
    // In a drawing a fragment names a part of the same document.
    const page = element === 'a' || element === 'area' ? escapeHtml(url) : ''
    if (value.startsWith('#') && (key === 'href' || key === 'xlink:href')) return `${page}#${prefix}${value.slice(1)}`
    if (addresses.has(key)) return absolute(value, siteUrl)
    if (key === 'srcset')
      return value.replace(/(^|,\s+)(\/[^\s,]*)/g, (_, start: string, path: string) => start + absolute(path, siteUrl))
    return value.replace(/url\(#([^)]+)\)/g, (_, id: string) => `url(#${prefix}${id})`)
  }
}

/** `/guide` → `https://docs.example.com/guide`. Everything else has a scheme already. */
function absolute(address: string, siteUrl: string): string {
  return address.startsWith('/') && !address.startsWith('//') ? escapeHtml(siteUrl) + address : address
}

/** A frame would show another site inside of the page; readers of feeds drop it anyway. */
function linkOf(attributes: string): string {
  const source = /\ssrc="([^"]*)"/.exec(attributes)?.[1]
  if (source === undefined) return ''
  const title = /\stitle="([^"]*)"/.exec(attributes)?.[1] ?? ''
  return `<p class="q-embed"><a href="${source}" rel="noopener noreferrer">${title === '' ? source : title}</a></p>`
}
