import * as fc from 'fast-check'
import { marks } from './served.ts'

export interface SiteRequest {
  /** With a `{port}` where that of the service belongs, `{preview}` and `{entry}`. */
  readonly line: string
  readonly headers: readonly (readonly [string, string])[]
}

const port = '{port}'
const hosts = {
  own: [`own.localhost:${port}`, 'own.localhost', `OWN.localhost.:${port}`, `{preview}:${port}`],
  foreign: [`foreign.localhost:${port}`],
  service: [`localhost:${port}`, `127.0.0.1:${port}`],
}
const oddHosts = [
  '',
  ' ',
  'own',
  'own.localhost:1',
  'own.localhost:99999',
  'own.localhost, foreign.localhost',
  'own.localhost@foreign.localhost',
  'own.localhost/foreign',
  'own.localhost#',
  'own..localhost',
  '.localhost',
  '-own.localhost',
  'own--none.localhost',
  'own--.localhost',
  '__proto__.localhost',
  'constructor.localhost',
  'x.own.localhost',
  'ö.localhost',
  'xn--nda.localhost',
  '[::1]',
  '[::1',
  '0x7f.1',
  'a'.repeat(64) + '.localhost',
  'a.'.repeat(200) + 'localhost',
  'elsewhere.example',
]
const sitePaths = [
  '/',
  '/guide/start',
  '/guide/start.md',
  '/guide/start/',
  '/guide/start.mdx?x=1',
  '/index.html',
  '/old?a=b',
  '/from/%C3%A4%20b',
  '/all/a/b%3Fc',
  '/%C3%A4/%C3%B6',
  '/a%CC%88/o%CC%88',
  '/images/logo.svg',
  '/images/film.bin',
  '/llms.txt',
  '/llms-full.txt',
  '/sitemap.xml',
  '/robots.txt',
  '/docs.json',
  '/index.mdx',
  '/_quire/search.json',
  '/nothing-here',
]
const servicePaths = [
  '/',
  '/dashboard',
  '/dashboard/own',
  '/dashboard/device?user_code=BCDF-GHJK',
  '/dashboard/own/changelog',
  '/dashboard/own/changelog?page=1&tag=one',
  '/dashboard/own/changelog?page=2',
  '/dashboard/own/changelog/{entry}',
  '/dashboard/foreign/changelog',
  '/dashboard/_assets/none.js',
  '/api/docs',
  '/api/projects/own/changelog/rss',
  '/api/projects/own/changelog/atom',
  '/api/projects/own/changelog/feed.json',
  '/api/auth/oidc?return_to=//elsewhere.example',
  '/metrics',
  '/healthz',
  '/readyz?x',
]
const oddPaths = [
  '*',
  '//elsewhere.example/',
  '/\\elsewhere.example',
  '/..',
  '/../../etc/passwd',
  '/%2e%2e/%2e%2e/etc/passwd',
  '/guide/..%2f..%2f',
  '/guide/./start',
  '/%00',
  '/%',
  '/%ff',
  '/%u0041',
  '/a%0d%0aset-cookie:x=y',
  '/old%0d%0ax:y',
  '/from/%2e%2e',
  '/from//elsewhere.example',
  '/all//elsewhere.example',
  '/all/%5celsewhere.example',
  '/__proto__',
  '/constructor',
  '/.git/HEAD',
  '/index.mdx/..',
  '/a;b=c',
  '/#x',
  '/?' + 'a=b&'.repeat(500),
  '/' + 'a/'.repeat(500),
  '/' + '%F0%9F%98%80'.repeat(300),
  '/all/' + 'x'.repeat(5000),
  `http://own.localhost:${port}/guide/start`,
  `http://foreign.localhost:${port}/`,
  'http://elsewhere.example/',
  'http:/x',
  'ftp://own.localhost/',
  'own.localhost:80',
  '/dashboard/own/changelog?page=0',
  '/dashboard/own/changelog?page=99999999',
  '/dashboard/own/changelog?page=1&page=2',
  '/dashboard/own/changelog?tag=%00',
  '/dashboard/own/changelog?tag[]=x',
  '/dashboard/own/changelog/none',
  '/dashboard/__proto__/changelog',
  '/dashboard/../api/docs',
  '/api/projects/own/changelog/rss?x=1',
]

const ranges = [
  'bytes=0-1',
  'bytes=-1',
  'bytes=1-',
  'bytes=300000-',
  'bytes=9-1',
  'bytes=0-0,2-3',
  'lines=1',
  'bytes=-0',
  `bytes=${'1'.repeat(40)}-`,
]
const usualHeaders: readonly (readonly [string, readonly string[]])[] = [
  ['Accept', ['text/html', 'text/markdown', 'text/markdown;q=0.5, text/html;q=0.1', '*/*', 'a/b;q=x', 'q=1;;,', ',']],
  ['Accept-Encoding', ['gzip', 'br', 'gzip;q=0, br;q=0, identity;q=0', 'zstd, *;q=0.1', '', 'gzip;q=1.0001']],
  ['Range', ranges],
  ['If-Range', ['"none"', 'W/"x"', 'Thu, 01 Jan 1970 00:00:00 GMT']],
  ['If-None-Match', ['*', '"none"', 'W/"none", "x"', '"', 'none', '"a",'.repeat(300)]],
  ['If-Modified-Since', ['Thu, 01 Jan 1970 00:00:00 GMT', 'Fri, 31 Dec 9999 23:59:59 GMT', 'never']],
  ['Cookie', ['quire_session=none', 'a=b; a=c', '=', ';', `x=${'y'.repeat(4000)}`, '__Host-quire_session="a']],
  ['Authorization', ['Bearer none', 'Bearer ', 'Basic Og==', 'Negotiate x']],
  ['Origin', ['https://elsewhere.example', 'null', '']],
  ['Referer', ['https://elsewhere.example/', '%']],
  ['Service-Worker', ['script']],
  ['Sec-Fetch-Mode', ['navigate', 'x']],
  ['X-Forwarded-Host', [`foreign.localhost:${port}`]],
  ['X-Forwarded-Proto', ['https', 'javascript']],
  ['X-Original-URL', ['/metrics']],
  ['Upgrade', ['websocket', 'h2c']],
  ['Expect', ['100-continue', 'x']],
  ['Last-Event-ID', ['1', '-1', 'x']],
  ['TE', ['trailers']],
  ['X'.repeat(300), ['x']],
  ['X-Odd', ['\u00e4\u00ff', '\t', 'a'.repeat(8000)]],
]
const header = fc
  .constantFrom(...usualHeaders)
  .chain(([name, values]) => fc.constantFrom(...values).map((value) => [name, value] as const))
const oddHeader = fc.constantFrom<readonly [string, string]>(
  ['Host', `foreign.localhost:${port}`],
  ['Content-Length', '0'],
  ['Content-Length', '-1'],
  ['Transfer-Encoding', 'chunked'],
  ['Transfer-Encoding', 'xchunked'],
  ['Connection', 'keep-alive, Host'],
  ['Bad Name', 'x'],
  ['X-Nul', 'a\0b'],
  ['', 'x'],
)
const letters = fc.string({
  unit: fc.constantFrom(...Array.from('aA0-_.~%2e5cöä/?&=;:@!$\'()*+,#[]|\\"<> ')),
  maxLength: 40,
})
const methods = fc.oneof(
  { weight: 6, arbitrary: fc.constant('GET') },
  fc.constantFrom('HEAD', 'POST', 'OPTIONS', 'PUT', 'DELETE', 'TRACE', 'PATCH', 'PROPFIND', 'get', 'X'),
)

const lineOf = (method: string, path: string): string => `${method} ${path} HTTP/1.1`

/** What browsers and machines ask of sites and pages. */
export const rightSiteRequests: fc.Arbitrary<SiteRequest> = fc
  .record({
    method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD'),
    at: fc.oneof(
      fc.tuple(fc.constantFrom(...hosts.own, ...hosts.foreign), fc.constantFrom(...sitePaths)),
      fc.tuple(fc.constantFrom(...hosts.service), fc.constantFrom(...servicePaths)),
      fc.constant([`{preview}:${port}`, '/_quire/preview-events'] as const),
    ),
    headers: fc.array(header, { maxLength: 3 }),
  })
  .map(({ method, at: [host, path], headers }) => ({
    line: lineOf(method, path),
    headers: [['Host', host] as const, ...headers],
  }))

/** Anything that a parser of requests lets through, or should not. */
export const siteRequests: fc.Arbitrary<SiteRequest> = fc
  .record({
    method: methods,
    host: fc.oneof(
      fc.constantFrom(...hosts.own, ...hosts.foreign, ...hosts.service),
      fc.constantFrom(...oddHosts),
      letters.map((text) => `${text}.localhost`),
    ),
    path: fc.oneof(
      fc.constantFrom(...oddPaths),
      letters.map((text) => `/${text}`),
      fc.constantFrom(...sitePaths, ...servicePaths),
      fc.tuple(fc.constantFrom(...sitePaths), letters).map((both) => both.join('')),
    ),
    version: fc.oneof({ weight: 9, arbitrary: fc.constant('HTTP/1.1') }, fc.constantFrom('HTTP/1.0', 'HTTP/2.0', 'X')),
    headers: fc.array(header, { maxLength: 4 }),
    odd: fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, fc.array(oddHeader, { maxLength: 2 })),
    first: fc.boolean(),
  })
  .map(({ method, host, path, version, headers, odd, first }) => {
    const own = ['Host', host] as const
    return {
      line: `${method} ${path} ${version}`,
      headers: first ? [own, ...headers, ...odd] : [...odd, ...headers, own],
    }
  })

/** What of other projects, or of nobody’s business, is in an answer; null when nothing is. */
export function leakOf({ line, headers }: SiteRequest, text: string): string | null {
  if (text.includes(marks.draft)) return 'a draft'
  const asked = [line, ...headers.filter(([name]) => name === 'Host').map(([, value]) => value)].join(' ').toLowerCase()
  if (text.includes(marks.foreign) && !asked.includes('foreign')) return 'what the foreigner has'
  return text.includes(marks.own) && !/own|\{preview\}/.test(asked) ? 'what the owner has' : null
}
