import type { Redirect } from '../contract/release.ts'

interface Pattern {
  readonly redirect: Redirect
  /** Literal segments, or the name of a parameter. */
  readonly segments: readonly ({ readonly literal: string } | { readonly name: string })[]
  /** Name of what takes the rest; null when the number of segments must agree. */
  readonly rest: string | null
}

/** A redirect that takes a path. */
export interface RedirectMatch {
  readonly redirect: Redirect
  /** Segments that parameters stand for, by name; `*` is a name, too. */
  readonly parameters: ReadonlyMap<string, readonly string[]>
}

/** Paths that belong to the service or to its certificates on every site. */
const reserved = /^\/(?:_quire|_platform|\.well-known\/(?:acme-challenge|pki-validation))(?:\/|$)/
/** `:name`, `:name*` or `*`. */
const placeholder = /(:[A-Za-z_]\w*\*?|\*)/

/**
 * Redirects of a site, ready for look-up: what serves a site and what checks its links ask the same table. Exact paths
 * come before all patterns, which are compared segment by segment, in their order; no text of the user becomes a
 * regular expression. Entries whose target is neither a path nor http(s) are left out; the builder has told the user.
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
      const isLiteral = pattern.rest === null && pattern.segments.every((segment) => 'literal' in segment)
      if (!isLiteral) patterns.push(pattern)
      else if (!this.#exact.has(from)) this.#exact.set(from, redirect)
    }
    this.#patterns = patterns
  }

  /** @param path decoded, without a slash at its end. */
  match(path: string): RedirectMatch | null {
    if (reserved.test(path)) return null
    const exact = this.#exact.get(path)
    if (exact !== undefined) return { redirect: exact, parameters: new Map() }
    if (this.#patterns.length === 0) return null
    const segments = path.split('/').slice(1)
    for (const pattern of this.#patterns) {
      const parameters = bind(pattern, segments)
      if (parameters !== null) return { redirect: pattern.redirect, parameters }
    }
    return null
  }
}

/** The target of a match. @param escape what is done to the segments of parameters, and to the text between them. */
export function targetOf(
  { redirect, parameters }: RedirectMatch,
  escape: { readonly segment: (text: string) => string; readonly text: (text: string) => string },
): string {
  if (parameters.size === 0) return escape.text(redirect.to)
  return redirect.to
    .split(placeholder)
    .map((part, index) => {
      const segments = index % 2 === 1 ? parameters.get(nameOf(part)) : undefined
      return segments === undefined ? escape.text(part) : segments.map(escape.segment).join('/')
    })
    .join('')
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

function compile(from: string, redirect: Redirect): Pattern | null {
  const { to } = redirect
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
  const inHost = authority.replace(/^https?:/i, '').split(placeholder)
  const isChosen = inHost.some((part, index) => index % 2 === 1 && names.has(nameOf(part)))
  return isChosen ? null : { redirect, segments, rest }
}

function isAllowedTarget(to: string): boolean {
  return /^\/(?![/\\])/.test(to) || /^https?:\/\/[^/?#\\@\s]+(?:[/?#]|$)/i.test(to)
}

function nameOf(word: string): string {
  return word === '*' ? '*' : word.replace(/^:|\*$/g, '')
}

function bind({ segments: wanted, rest }: Pattern, segments: readonly string[]): RedirectMatch['parameters'] | null {
  if (segments.length < wanted.length || (rest === null && segments.length !== wanted.length)) return null
  const parameters = new Map<string, readonly string[]>()
  for (const [index, part] of wanted.entries()) {
    const segment = segments[index] ?? ''
    if ('literal' in part) {
      if (part.literal !== segment) return null
    } else {
      if (segment === '') return null
      parameters.set(part.name, [segment])
    }
  }
  if (rest !== null) parameters.set(rest, segments.slice(wanted.length))
  return parameters
}
