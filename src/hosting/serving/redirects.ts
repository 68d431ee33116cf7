import type { Redirect } from '../../contract/release.ts'
import { encodePath, escapeUrl, type Target } from './target.ts'

export interface Redirection {
  readonly status: 307 | 308
  readonly location: string
}

interface Pattern {
  /** Literal segments, or the name of a parameter. */
  readonly segments: readonly ({ readonly literal: string } | { readonly name: string })[]
  /** Name of what takes the rest; null when the number of segments must agree. */
  readonly rest: string | null
  readonly to: string
  readonly status: 307 | 308
}

/** Paths that belong to the service or to its certificates on every site. */
const reserved = /^\/(?:_quire|_platform|\.well-known\/(?:acme-challenge|pki-validation))(?:\/|$)/

/**
 * Redirects of a release, ready for look-up. No text of the user becomes a regular expression: patterns are compared
 * segment by segment, in their order. Entries whose target is neither a path nor http(s) are left out; the builder
 * has told the user.
 */
export class RedirectTable {
  readonly #exact = new Map<string, Redirect>()
  readonly #patterns: readonly Pattern[]

  constructor(redirects: readonly Redirect[]) {
    const patterns: Pattern[] = []
    for (const redirect of redirects) {
      const from = normalFrom(redirect.from)
      if (reserved.test(from)) continue
      const pattern = compile(from, redirect)
      if (pattern === null) continue
      const literal = pattern.rest === null && pattern.segments.every((segment) => 'literal' in segment)
      if (!literal) patterns.push(pattern)
      else if (!this.#exact.has(from)) this.#exact.set(from, redirect)
    }
    this.#patterns = patterns
  }

  /** Where a path leads, with the query of the request; null when nowhere, or to itself. */
  find({ path, query }: Target): Redirection | null {
    if (reserved.test(path)) return null
    const exact = this.#exact.get(path)
    if (exact !== undefined) return redirection(path, escapeUrl(exact.to), exact.status, query)
    const segments = path.split('/').slice(1)
    for (const pattern of this.#patterns) {
      const params = match(pattern, segments)
      if (params !== null) return redirection(path, fill(pattern.to, params), pattern.status, query)
    }
    return null
  }
}

function normalFrom(from: string): string {
  const path = from.replace(/[?#].*$/s, '').replace(/\/+$/, '') || '/'
  try {
    return decodeURIComponent(path).normalize('NFC')
  } catch (error) {
    if (error instanceof URIError) return path
    throw error
  }
}

function compile(from: string, { to, status }: Redirect): Pattern | null {
  if (!from.startsWith('/') || !isAllowedTarget(to)) return null
  const parts = from.split('/').slice(1)
  const last = parts.at(-1) ?? ''
  const rest = last === '*' ? '*' : /^:[A-Za-z_]\w*\*$/.test(last) ? last.slice(1, -1) : null
  if (rest !== null) parts.pop()
  const segments = parts.map((part) => (/^:[A-Za-z_]\w*$/.test(part) ? { name: part.slice(1) } : { literal: part }))
  const names = new Set(segments.flatMap((segment) => ('name' in segment ? [segment.name] : [])))
  if (rest !== null) names.add(rest)
  // A parameter in the host would let a visitor's path choose where the site sends people.
  const authority = /^https?:\/\/[^/?#]*/i.exec(to)?.[0] ?? ''
  const chosen = parameters(authority.replace(/^https?:/i, ''), names)
  return chosen.length > 0 ? null : { segments, rest, to, status }
}

function isAllowedTarget(to: string): boolean {
  return /^\/(?![/\\])/.test(to) || /^https?:\/\/[^/?#\\@\s]+(?:[/?#]|$)/i.test(to)
}

function parameters(text: string, names: ReadonlySet<string>): string[] {
  return [...text.matchAll(placeholder)].map(([word]) => nameOf(word)).filter((name) => names.has(name))
}

/** `:name`, `:name*` or `*`. */
const placeholder = /:[A-Za-z_]\w*\*?|\*/g

function nameOf(word: string): string {
  return word === '*' ? '*' : word.replace(/^:|\*$/g, '')
}

function match(pattern: Pattern, segments: readonly string[]): ReadonlyMap<string, string> | null {
  const { segments: wanted, rest } = pattern
  if (segments.length < wanted.length || (rest === null && segments.length !== wanted.length)) return null
  const params = new Map<string, string>()
  for (const [index, part] of wanted.entries()) {
    const segment = segments[index] ?? ''
    if ('literal' in part) {
      if (part.literal !== segment) return null
    } else {
      if (segment === '') return null
      params.set(part.name, encodeURIComponent(segment))
    }
  }
  if (rest !== null) params.set(rest, segments.slice(wanted.length).map(encodeURIComponent).join('/'))
  return params
}

function fill(to: string, params: ReadonlyMap<string, string>): string {
  return to
    .split(/(:[A-Za-z_]\w*\*?|\*)/)
    .map((part, index) => (index % 2 === 1 ? params.get(nameOf(part)) : undefined) ?? escapeUrl(part))
    .join('')
}

function redirection(path: string, filled: string, status: 307 | 308, query: string): Redirection | null {
  // An empty or odd parameter must not turn a path into another host.
  const to = filled.startsWith('/') ? filled.replace(/^[/\\]+/, '/') : filled
  const hash = to.indexOf('#')
  const fragment = hash === -1 ? '' : to.slice(hash)
  const address = hash === -1 ? to : to.slice(0, hash)
  if (address.replace(/\?.*$/s, '') === encodePath(path)) return null
  return { status, location: withQuery(address, query) + fragment }
}

function withQuery(address: string, query: string): string {
  if (query.length < 2) return address
  return address + (address.includes('?') ? '&' : '?') + escapeUrl(query.slice(1))
}
