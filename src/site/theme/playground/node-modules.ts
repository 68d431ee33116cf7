/*
 * What the generators of samples use of Node, for browsers: the build puts this in its place.
 */

interface ParsedUrl {
  readonly protocol?: string | null
  readonly host?: string | null
  readonly hostname?: string | null
  readonly port?: string | null
  readonly pathname?: string | null
  readonly search?: string | null
  readonly query?: unknown
}

/** As `parse` of `node:url` with a query that is an object. */
export function parse(address: string): ParsedUrl {
  const [, protocol, host = '', path = '', query = ''] =
    /^([a-z][a-z\d+.-]*:)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?/i.exec(address) ?? []
  const [, hostname = '', port] = /^(.*?)(?::(\d+))?$/.exec(host) ?? []
  return {
    protocol: protocol ?? null,
    host,
    hostname,
    port: port ?? null,
    pathname: escaped(path === '' ? '/' : path),
    query: Object.fromEntries(new URLSearchParams(query)),
    search: query === '' ? '' : `?${query}`,
  }
}

/** As `format` of `node:url`. */
export function format({ protocol, host, pathname, search }: ParsedUrl): string {
  const query = search === null || search === undefined || search === '' ? '' : `?${search.replace(/^\?/, '')}`
  return `${protocol ?? ''}${host === null || host === undefined || host === '' ? '' : `//${host}`}${pathname ?? ''}${query}`
}

const escaped = (path: string): string => path.replaceAll(/[\s"'<>\\^`{|}]/g, encodeURIComponent)

/** Nobody asks for it: see `api/languages.ts`. */
export default undefined
