import type { Redirect } from '../../contract/release.ts'
import { decodePath } from './href.ts'

const MAX_HOPS = 12

interface Pattern {
  readonly redirect: Redirect
  readonly segments: readonly string[]
}

/** Finds the redirect of a path as hosting does: exact sources first, then patterns in their order. */
export class RedirectTable {
  private readonly exact = new Map<string, Redirect>()
  private readonly patterns: Pattern[] = []

  constructor(redirects: readonly Redirect[]) {
    for (const redirect of redirects) {
      if (/\/[:*]/.test(redirect.from)) this.patterns.push({ redirect, segments: redirect.from.split('/').slice(1) })
      else if (!this.exact.has(redirect.from)) this.exact.set(redirect.from, redirect)
    }
  }

  /** @param path decoded, without trailing slash. */
  match(path: string): { readonly redirect: Redirect; readonly to: string } | undefined {
    const exact = this.exact.get(path)
    if (exact !== undefined) return { redirect: exact, to: exact.to }
    if (this.patterns.length === 0) return undefined
    const segments = path === '/' ? [] : path.split('/').slice(1)
    for (const { redirect, segments: pattern } of this.patterns) {
      const values = bind(pattern, segments)
      if (values !== undefined) return { redirect, to: fill(redirect.to, values) }
    }
    return undefined
  }

  /** A path that the source matches; `rest` stands for `:name*` and `*`. */
  sample(redirect: Redirect, rest: string): string {
    const segments = redirect.from
      .split('/')
      .map((segment) => (isRest(segment) ? rest : segment.startsWith(':') ? 'x' : segment))
    return segments.join('/').replace(/\/+$/, '') || '/'
  }

  /** The way round, beginning at `start`, when it comes back to this redirect or never ends; undefined when it arrives. */
  findLoop(redirect: Redirect, start: string, exists: (path: string) => boolean): readonly string[] | undefined {
    const way = [start]
    let path: string | undefined = start
    for (let hop = 0; path !== undefined && !exists(path); hop++) {
      const found = this.match(path)
      // Another redirect takes this sample, or a loop that this one only leads into: its own members report it.
      if (found === undefined || (hop === 0 && found.redirect !== redirect)) return undefined
      path = this.pathOf(found.to)
      if (path === undefined) return undefined
      const seen = way.indexOf(path)
      way.push(path)
      if (seen === 0 || (seen > 0 && this.match(path)?.redirect === redirect)) return way
      if (seen > 0) return undefined
      if (hop >= MAX_HOPS) return found.redirect === redirect ? [...way.slice(0, 4), '…'] : undefined
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
export function parameterName(segment: string): string {
  return segment === '*' ? segment : segment.replace(/\*$/, '')
}

function isRest(segment: string): boolean {
  return segment.endsWith('*')
}

function bind(pattern: readonly string[], segments: readonly string[]): ReadonlyMap<string, string> | undefined {
  const values = new Map<string, string>()
  for (const [index, part] of pattern.entries()) {
    if (isRest(part) && (part === '*' || part.startsWith(':'))) {
      values.set(parameterName(part), segments.slice(index).join('/'))
      return values
    }
    const segment = segments[index]
    if (segment === undefined) return undefined
    if (part.startsWith(':')) values.set(parameterName(part), segment)
    else if (part !== segment) return undefined
  }
  return pattern.length === segments.length ? values : undefined
}

function fill(to: string, values: ReadonlyMap<string, string>): string {
  return to
    .split('/')
    .map((segment) => (/^[:*]/.test(segment) ? values.get(parameterName(segment)) : undefined) ?? segment)
    .join('/')
    .replaceAll(/(?<!:)\/{2,}/g, '/')
}
