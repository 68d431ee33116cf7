import type { Redirect } from '../../contract/release.ts'
import { limits } from '../../contract/limits.ts'
import { RedirectTable, targetOf } from '../../lib/redirect-table.ts'
import type { Steps } from '../../lib/slices.ts'
import { checkHref } from './href.ts'
import { pointerTo, show } from '../../lib/json-reader.ts'
import { decodePath, withoutEndSlashes } from '../../lib/url-path.ts'
import type { Problems } from './problems.ts'
import type { RedirectEntry } from './schema.ts'

/** First segments of URL paths that belong to the service. */
const reserved: ReadonlySet<string> = new Set(['_quire', '_platform', '.well-known'])
const parameter = /^:[A-Za-z_][A-Za-z0-9_]*\*?$/
/** Where a `:name` stands in a destination, also in the middle of a part. */
const placeholders = /:[A-Za-z_]\w*\*?|\*/g
const maxHops = 12
/** Parts of a source: a page has no more. */
const maxParts = limits.pathDepth
/** Parameters of a destination: each may stand for a whole path. */
const maxParameters = 32
/** UTF-16 units of a path that a chain of redirects leads to: it may double with each of them. */
const maxPath = 4096
const asWritten = { segment: (text: string): string => text, text: (text: string): string => text }

interface Checked {
  readonly redirect: Redirect
  readonly pointer: string
}

export interface RedirectContext {
  /** Whether a decoded URL path is a page or file of the site. */
  readonly exists: (path: string) => boolean
  /** Redirects that the site has anyhow, to existing pages; a written one that matches the same path wins. */
  readonly implied: readonly Redirect[]
  readonly problems: Problems
  /** Whether a path answers without being one of those: `/guide/index`. Those that nobody can tell of do, too. */
  readonly answers?: (path: string) => boolean
  /** Whether a page has a part of it; true for what is no page. */
  readonly hasAnchor?: (path: string, fragment: string) => boolean
}

/**
 * Reads `redirects` of docs.json; written ones come first in the result. Unsafe destinations, reserved sources and loops are errors. Left out with a warning
 * are entries whose source is a page (the page wins), stands twice, or has a pattern that this service does not know.
 */
export function* readRedirects(
  entries: readonly RedirectEntry[],
  context: RedirectContext,
): Steps<readonly Redirect[]> {
  const { exists, implied, problems } = context
  const checked: Checked[] = []
  const sources = new Set<string>()
  let patterns = 0
  for (const [index, entry] of entries.entries()) {
    yield
    const pointer = pointerTo('/redirects', index)
    const redirect = readEntry(entry, pointer, problems)
    if (redirect === undefined) continue
    const { from } = redirect
    if (exists(from))
      problems.warning(
        'redirect-ignored',
        pointer,
        `${from} is a page or file of the site, which wins; the redirect is left out.`,
      )
    else if (sources.has(from))
      problems.warning('redirect-ignored', pointer, `${from} is redirected before; this entry is left out.`)
    else if (hasParameters(from) && ++patterns > limits.redirectPatterns) {
      problems.error(
        'settings-limit',
        pointer,
        `More than ${limits.redirectPatterns} redirects have parameters in their source. Join some with :name*, or write their paths out.`,
      )
      return []
    } else checked.push({ redirect, pointer })
    sources.add(from)
  }
  const written = checked.map(({ redirect }) => redirect)
  const own = yield* SiteRedirects.from(written)
  const all = [...written]
  for (const redirect of implied) {
    yield
    if (own.match(redirect.from) === undefined) all.push(redirect)
  }
  const table = yield* SiteRedirects.from(all)
  for (const entry of checked) yield* judgeTarget(entry, { table, own, ...context })
  return all
}

function readEntry(entry: RedirectEntry, pointer: string, problems: Problems): Redirect | undefined {
  const from = readSource(entry.source, `${pointer}/source`, problems)
  const to = readDestination(entry.destination, `${pointer}/destination`, problems)
  if (from === undefined || to === undefined) return undefined
  if ((to.match(placeholders)?.length ?? 0) > maxParameters) {
    const message = `The destination has more than ${maxParameters} parameters; the redirect is left out.`
    problems.warning('redirect-ignored', `${pointer}/destination`, message)
    return undefined
  }
  const known = new Set(from.split('/').filter(isPattern).map(parameterName))
  const unknown = parametersOf(to).find((segment) => !known.has(parameterName(segment)))
  if (unknown !== undefined) {
    problems.warning(
      'redirect-ignored',
      `${pointer}/destination`,
      `The destination uses ${unknown}, which the source does not have; the redirect is left out.`,
    )
    return undefined
  }
  return { from, to, status: entry.permanent === false ? 307 : 308 }
}

function readSource(source: string, pointer: string, problems: Problems): string | undefined {
  const checked = checkHref(source)
  if (!('href' in checked) || !checked.internal) {
    const why = 'refused' in checked ? checked.refused : 'it must be a path of the site'
    problems.error('redirect-invalid', pointer, `The source ${show(source)} is refused: ${why}.`)
    return undefined
  }
  const leaveOut = (why: string): undefined => {
    problems.warning('redirect-ignored', pointer, `The source ${show(source)} ${why}; the redirect is left out.`)
  }
  if (/[?#]/.test(checked.href)) return leaveOut('has a query or an anchor, which no request path has')
  const path = decodePath(checked.href)
  if (path === undefined || /\p{Cc}/u.test(path)) return leaveOut('has percent signs that stand for no text')
  const segments = path.split('/').slice(1)
  while (segments.at(-1) === '') segments.pop()
  if (segments.some((segment) => segment === '' || segment === '.' || segment === '..'))
    return leaveOut('has empty or dotted parts')
  if (segments.length > maxParts) return leaveOut(`has more than ${maxParts} parts`)
  if (reserved.has((segments[0] ?? '').toLowerCase())) {
    problems.error(
      'redirect-invalid',
      pointer,
      `The source ${show(source)} is refused: /${segments[0]} belongs to the service.`,
    )
    return undefined
  }
  const odd = segments.find(
    (segment, index) => !isPlain(segment) && !isAllowedPattern(segment, index === segments.length - 1),
  )
  if (odd !== undefined)
    return leaveOut(`has the pattern ${show(odd)}; a part is either text, :name, or at the end :name* or *`)
  return `/${segments.join('/')}`
}

function readDestination(destination: string, pointer: string, problems: Problems): string | undefined {
  const checked = checkHref(destination)
  const refuse = (why: string): undefined => {
    problems.error('redirect-invalid', pointer, `The destination ${show(destination)} is refused: ${why}.`)
  }
  if ('refused' in checked) return refuse(checked.refused)
  const { href } = checked
  if (!href.startsWith('/') && !/^https?:/i.test(href)) return refuse('it must be a path of the site or an https link')
  if (/%([01][0-9a-f]|7f|5c)/i.test(href)) return refuse('it holds an encoded control character or backslash')
  if (/%(?![0-9a-f]{2})/i.test(href)) return refuse('it holds a percent sign without two hex digits')
  return href
}

/** Loops and dead ends. Both parameters at their emptiest and with a value: a `:name*` may stand for nothing. */
function* judgeTarget(
  { redirect, pointer }: Checked,
  {
    table,
    own,
    exists,
    problems,
    answers = exists,
    hasAnchor = () => true,
  }: { readonly table: SiteRedirects; readonly own: SiteRedirects } & RedirectContext,
): Steps<void> {
  for (const rest of redirect.from.endsWith('*') ? ['', 'x/y'] : ['']) {
    const loop = yield* table.findLoop(redirect, table.sample(redirect, rest), exists)
    if (loop === undefined) continue
    const way = loop.map((path) => (path.length > 200 ? `${path.slice(0, 199)}…` : path))
    problems.error('redirect-loop', pointer, `The redirect never arrives: ${way.join(' → ')}.`)
    return
  }
  if (!redirect.to.startsWith('/') || parametersOf(redirect.to).length > 0) return
  const path = table.pathOf(redirect.to)
  const fragment = /#(.*)$/s.exec(redirect.to)?.[1] ?? ''
  if (path === undefined || (!exists(path) && !answers(path) && table.match(path) === undefined))
    problems.warning(
      'redirect-broken',
      `${pointer}/destination`,
      `The destination ${show(redirect.to)} is no page or file of the site.`,
    )
  else if (!hasAnchor(path, fragment))
    problems.warning(
      'anchor-broken',
      `${pointer}/destination`,
      `The destination ${show(redirect.to)} is a page that has no anchor #${fragment}.`,
    )
  const end = yield* own.endOf(redirect.to, exists)
  if (end !== undefined)
    problems.warning(
      'redirect-chain',
      `${pointer}/destination`,
      `The destination ${show(redirect.to)} is itself redirected. Lead straight to ${end}.`,
    )
}

function parametersOf(destination: string): string[] {
  return destination
    .replace(/^https?:\/\/[^/]*/i, '')
    .split(/[/?#]/)
    .filter(isPattern)
}

/** @param from a source that was checked. */
function hasParameters(from: string): boolean {
  return from.split('/').some(isPattern)
}

function isPattern(segment: string): boolean {
  return segment === '*' || parameter.test(segment)
}

function isPlain(segment: string): boolean {
  return !/[:*()]/.test(segment)
}

function isAllowedPattern(segment: string, last: boolean): boolean {
  return isPattern(segment) && (last || !segment.endsWith('*'))
}

/** Where redirects lead links of the site itself, as the table that serves it leads its readers. */
export class SiteRedirects {
  readonly #table: RedirectTable

  private constructor(table: RedirectTable) {
    this.#table = table
  }

  static *from(redirects: Iterable<Redirect>): Steps<SiteRedirects> {
    return new SiteRedirects(yield* RedirectTable.from(redirects))
  }

  /** @param path decoded, without trailing slash. */
  match(path: string): { readonly redirect: Redirect; readonly to: string } | undefined {
    const match = this.#table.match(path)
    if (match === null) return undefined
    return { redirect: match.redirect, to: targetOf(match, asWritten).replaceAll(/(?<!:)\/{2,}/g, '/') }
  }

  /** A path that the source matches; `rest` stands for `:name*` and `*`. */
  sample(redirect: Redirect, rest: string): string {
    const segments = redirect.from
      .split('/')
      .map((segment) => (segment.endsWith('*') ? rest : segment.startsWith(':') ? 'x' : segment))
    return withoutEndSlashes(segments.join('/')) || '/'
  }

  /** The way round, beginning at `start`, when it comes back to this redirect or never ends; undefined when it arrives. */
  *findLoop(
    redirect: Redirect,
    start: string,
    exists: (path: string) => boolean,
  ): Steps<readonly string[] | undefined> {
    const way = [start]
    let path: string | undefined = start
    for (let hop = 0; path !== undefined && !exists(path); hop++) {
      yield
      const found = this.match(path)
      // Another redirect takes this sample, or a loop that this one only leads into: its own members report it.
      if (found === undefined || (hop === 0 && found.redirect !== redirect)) return undefined
      path = this.pathOf(found.to)
      if (path === undefined) return undefined
      const seen = way.indexOf(path)
      way.push(path)
      if (seen === 0 || (seen > 0 && this.match(path)?.redirect === redirect)) return way
      if (seen > 0) return undefined
      // Round and round with a path that grows.
      if (hop >= maxHops || path.length > maxPath)
        return found.redirect === redirect ? [...way.slice(0, 4), '…'] : undefined
    }
    return undefined
  }

  /**
   * The end of a way of permanent redirects, for who leads into it; undefined where there is none, or it never ends. One with
   * parameters, or that is to change, stands for something (`/latest/…`): who names it means it.
   */
  *endOf(destination: string, exists: (path: string) => boolean): Steps<string | undefined> {
    let at = destination
    for (let hop = 0; hop < maxHops; hop++) {
      yield
      const path = this.pathOf(at)
      const found = path === undefined || exists(path) ? undefined : this.match(path)
      if (found === undefined || found.redirect.status !== 308 || hasParameters(found.redirect.from))
        return hop === 0 ? undefined : at
      const fragment = found.to.includes('#') ? '' : (/#.*$/s.exec(at)?.[0] ?? '')
      at = found.to + fragment
      if (at.length > maxPath) return undefined
    }
    return undefined
  }

  /**
   * Where readers come out who follow a link into redirects, by path and fragment, and whether a redirect with parameters
   * led them there; undefined on another host, and where the way never ends.
   */
  follow(
    { path, fragment }: { readonly path: string; readonly fragment?: string | undefined },
    isServed: (path: string) => boolean,
  ): { readonly path: string; readonly fragment: string | undefined; readonly hasParameters: boolean } | undefined {
    let at = { path, fragment, hasParameters: false }
    for (let hop = 0; hop < maxHops; hop++) {
      const found = isServed(at.path) ? undefined : this.match(at.path)
      if (found === undefined) return at
      const next = this.pathOf(found.to)
      if (next === undefined || next.length > maxPath) return undefined
      at = {
        path: next === '' ? '/' : next,
        fragment: /#(.*)$/s.exec(found.to)?.[1] ?? at.fragment,
        hasParameters: at.hasParameters || hasParameters(found.redirect.from),
      }
    }
    return undefined
  }

  /** Decoded path of a destination on this site; undefined for other hosts. */
  pathOf(destination: string): string | undefined {
    if (!destination.startsWith('/')) return undefined
    const path = decodePath(destination.replace(/[?#].*$/s, ''))
    return path === undefined ? undefined : path.replaceAll(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '')
  }
}

/** `:path*` and `:path` are the same parameter. */
function parameterName(segment: string): string {
  return segment === '*' ? segment : segment.replace(/\*$/, '')
}
