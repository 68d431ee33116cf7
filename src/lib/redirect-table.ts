import type { Redirect } from '../contract/release.ts'
import type { Steps } from './slices.ts'
import { withoutEndSlashes } from './url-path.ts'

interface Pattern {
  readonly redirect: Redirect
  /** Its position among the patterns: of those that match, the first wins. */
  readonly order: number
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
  /** Patterns that begin with a literal segment, by that. */
  readonly #byFirst = new Map<string, Pattern[]>()
  /** Those that begin with a parameter. */
  readonly #open: Pattern[] = []
  #patterns = 0

  private constructor() {
    // `from` makes it.
  }

  /** Redirects come by thousands: makes the table in steps. */
  static *from(redirects: Iterable<Redirect>): Steps<RedirectTable> {
    const table = new RedirectTable()
    for (const redirect of redirects) {
      yield
      table.#add(redirect)
    }
    return table
  }

  /** @param path decoded, without a slash at its end. */
  match(path: string): RedirectMatch | null {
    if (reserved.test(path)) return null
    const exact = this.#exact.get(path)
    if (exact !== undefined) return { redirect: exact, parameters: new Map() }
    if (this.#patterns === 0) return null
    const segments = path.split('/').slice(1)
    const literal = this.#byFirst.get(segments[0] ?? '')?.find((pattern) => takes(pattern, segments))
    const other = this.#open.find((pattern) => takes(pattern, segments))
    const first = literal === undefined || (other !== undefined && other.order < literal.order) ? other : literal
    return first === undefined ? null : { redirect: first.redirect, parameters: bind(first, segments) }
  }

  #add(redirect: Redirect): void {
    const from = normalFrom(redirect.from)
    if (reserved.test(from)) return
    const pattern = compile(from, redirect, this.#patterns)
    if (pattern === null) return
    const [first] = pattern.segments
    const isLiteral = pattern.rest === null && pattern.segments.every((segment) => 'literal' in segment)
    if (isLiteral) {
      if (!this.#exact.has(from)) this.#exact.set(from, redirect)
      return
    }
    this.#patterns += 1
    if (first === undefined || !('literal' in first)) this.#open.push(pattern)
    else {
      const others = this.#byFirst.get(first.literal)
      if (others === undefined) this.#byFirst.set(first.literal, [pattern])
      else others.push(pattern)
    }
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
  const path = withoutEndSlashes(from.replace(/[?#].*$/s, '')) || '/'
  try {
    return decodeURIComponent(path).normalize('NFC')
  } catch (error) {
    if (error instanceof URIError) return path
    throw error
  }
}

function compile(from: string, redirect: Redirect, order: number): Pattern | null {
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
  return isChosen ? null : { redirect, order, segments, rest }
}

function isAllowedTarget(to: string): boolean {
  return /^\/(?![/\\])/.test(to) || /^https?:\/\/[^/?#\\@\s]+(?:[/?#]|$)/i.test(to)
}

function nameOf(word: string): string {
  return word === '*' ? '*' : word.replace(/^:|\*$/g, '')
}

function takes({ segments: wanted, rest }: Pattern, segments: readonly string[]): boolean {
  if (segments.length < wanted.length || (rest === null && segments.length !== wanted.length)) return false
  return wanted.every((part, index) =>
    'literal' in part ? part.literal === segments[index] : segments[index] !== undefined && segments[index] !== '',
  )
}

/** Of a path that the pattern takes. */
function bind({ segments: wanted, rest }: Pattern, segments: readonly string[]): RedirectMatch['parameters'] {
  const parameters = new Map<string, readonly string[]>()
  for (const [index, part] of wanted.entries()) if ('name' in part) parameters.set(part.name, [segments[index] ?? ''])
  if (rest !== null) parameters.set(rest, segments.slice(wanted.length))
  return parameters
}
