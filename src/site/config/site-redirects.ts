import type { Redirect } from '../../contract/release.ts'
import { RedirectTable, targetOf } from '../../lib/redirect-table.ts'
import { decodePath } from './href.ts'

const maxHops = 12
const asWritten = { segment: (text: string): string => text, text: (text: string): string => text }

/** Where redirects lead links of the site itself, as the table that serves it leads its readers. */
export class SiteRedirects {
  readonly #table: RedirectTable

  constructor(redirects: readonly Redirect[]) {
    this.#table = new RedirectTable(redirects)
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
      if (hop >= maxHops) return found.redirect === redirect ? [...way.slice(0, 4), '…'] : undefined
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
