import type { ErrorDetail } from '../../contract/common.ts'
import type { FileRoute } from '../../contract/release.ts'
import { inSlices, type Steps } from '../../lib/slices.ts'
import type { BuildRequest } from '../builder.ts'
import type { Shell } from '../shell.ts'
import type { BlobSink } from './blobs.ts'
import { namedFew } from './plan.ts'

/** Style sheets and scripts of one site, and bytes of one: each reader of each page loads all of them. */
const most = { files: 40, bytes: 512 * 1024 } as const

/** A style sheet or script of a site, which is on each of its pages. */
interface OwnFile {
  readonly path: string
  readonly oid: string
  /** Null where it is no script of pages, or too large. */
  readonly route: FileRoute | null
  readonly href: string
  readonly warnings: readonly ErrorDetail[]
}

/** The style sheets and scripts of a site, in the order of their paths. */
export interface OwnFiles {
  readonly files: readonly OwnFile[]
  readonly warnings: readonly ErrorDetail[]
  /** What documents name; absent for most sites. */
  readonly named: Shell['own']
}

interface Given {
  /** Their source paths, sorted. */
  readonly paths: readonly string[]
  readonly request: Pick<BuildRequest, 'source' | 'signal'>
  readonly sink: BlobSink
  readonly before: OwnFiles | undefined
}

/** Publishes them under names of their content. Files that have not changed are not read again. */
export async function publishOwnFiles({ paths, request, sink, before }: Given): Promise<OwnFiles> {
  const known = new Map(before?.files.map((file) => [file.path, file]))
  const files: OwnFile[] = []
  for (const path of paths.slice(0, most.files)) {
    request.signal?.throwIfAborted()
    const oid = request.source.files.get(path) ?? ''
    const earlier = known.get(path)
    const isKept = earlier?.oid === oid && (earlier.route === null || sink.has(earlier.route.blob))
    const made = async () => ownFile({ path, oid, bytes: await request.source.read(oid) }, sink)
    files.push(isKept ? earlier : await inSlices(await made(), request.signal))
  }
  const left = paths.slice(most.files)
  const warnings: ErrorDetail[] = files.flatMap((file) => file.warnings)
  if (left.length > 0) {
    const message = `Pages have at most ${most.files} style sheets and scripts; ${left.length} more are left out: ${namedFew(left)}.`
    warnings.push({ rule: 'file-unpublished', message })
  }
  const hrefs = files.filter(({ route }) => route !== null).map(({ href }) => href)
  const styles = hrefs.filter((href) => href.endsWith('.css'))
  const scripts = hrefs.filter((href) => href.endsWith('.js'))
  return { files, warnings, named: hrefs.length === 0 ? undefined : { styles, scripts } }
}

export function ownRoutes({ files }: OwnFiles): readonly (readonly [string, FileRoute])[] {
  return files.flatMap(({ href, route }) => (route === null ? [] : [[href, route] as const]))
}

interface Content {
  readonly path: string
  readonly oid: string
  readonly bytes: Buffer
}

function* ownFile({ path, oid, bytes }: Content, sink: BlobSink): Steps<OwnFile> {
  const none = { path, oid, route: null, href: '' }
  if (bytes.length > most.bytes) {
    const message = `The file has ${Math.ceil(bytes.length / 1024)} kB; on each page at most ${most.bytes / 1024} kB of one are loaded. It is left out.`
    return { ...none, warnings: [{ path, rule: 'file-unpublished', message }] }
  }
  const text = bytes.toString('utf8')
  const isStyle = path.toLowerCase().endsWith('.css')
  // A module is there for components that import it.
  if (!isStyle && /^[ \t]*(?:import|export)\b/m.test(text)) return { ...none, warnings: [] }
  yield 'large'
  const { blob, size } = sink.add(isStyle ? Buffer.from(yield* withAbsoluteUrls(text, path)) : bytes)
  yield 'large'
  const type = `text/${isStyle ? 'css' : 'javascript'}; charset=utf-8`
  return {
    path,
    oid,
    route: { kind: 'file', blob, size, type, immutable: true },
    href: `/_quire/own/${blob.slice(0, 20)}.${isStyle ? 'css' : 'js'}`,
    warnings: isStyle ? styleWarnings(path, text) : scriptWarnings(path, text),
  }
}

/** Addresses that are relative to the file, as ones of the site: it is served from elsewhere. */
function* withAbsoluteUrls(text: string, path: string): Steps<string> {
  const folder = new URL(path.split('/').map(encodeURIComponent).join('/'), 'https://site/')
  const absolute = (address: string): string => {
    if (/^(?:[a-z][a-z\d+.-]*:|\/|#)/i.test(address) || !URL.canParse(address, folder)) return address
    const { pathname, search, hash } = new URL(address, folder)
    return pathname + search + hash
  }
  let written = ''
  let end = 0
  for (const { 0: whole, 1: start = '', 2: address = '', 3: other = '', 4: imported = '', index } of text.matchAll(
    addressPattern,
  )) {
    yield
    written += text.slice(end, index) + start + other + absolute(address + imported)
    end = index + whole.length
  }
  return written + text.slice(end)
}

/** `url(a.png`, `url("a.png`, `@import "a.css`: what stands before the address, and the address. */
const addressPattern = /(url\(\s{0,9}["']?)([^"'()\s]{1,500})(?=["'\s)])|(@import\s{1,9}["'])([^"'\s]{1,500})(?=["'])/gi

const refused = (path: string, line: number, message: string): ErrorDetail => ({
  path,
  line,
  rule: 'script-remote',
  message: `${message}: browsers refuse it on pages, whose policy allows the site itself only.`,
})

/** What the policy of pages refuses, as far as it can be seen. */
const styleFinds: readonly (readonly [RegExp, string])[] = [
  [/@import\s{1,9}(?:url\(\s{0,9})?["']?(?:https?:)?\/\//i, 'A style sheet of another host is imported'],
]
const scriptFinds: readonly (readonly [RegExp, string])[] = [
  [/createElement\(\s{0,9}["'`]script["'`]\s{0,9}\)/, 'A script adds further scripts'],
  [/\beval\s{0,9}\(|\bnew\s{1,9}Function\s{0,9}\(/, 'Text is run as code'],
  [/\bfetch\(\s{0,9}["'`]https?:/, 'Another host is asked'],
]

function findIn(path: string, text: string, finds: typeof styleFinds): ErrorDetail[] {
  return finds.flatMap(([pattern, message]) => {
    const at = text.search(pattern)
    return at === -1 ? [] : [refused(path, lineAt(text, at), message)]
  })
}

function styleWarnings(path: string, text: string): ErrorDetail[] {
  const found = findIn(path, text, styleFinds)
  // Each rule is looked at by itself: one pattern for all would look from every rule to the end of those behind it.
  for (const { 0: rule, index } of text.matchAll(/@font-face\s{0,9}\{[^}]{0,2000}/gi))
    if (/url\(\s{0,9}["']?(?:https?:)?\/\//i.test(rule))
      return [...found, refused(path, lineAt(text, index), 'A font of another host is used')]
  return found
}

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length

function scriptWarnings(path: string, text: string): ErrorDetail[] {
  // Scripts that a script adds are its own business where they are of the site.
  const isLocal = !/["'`](?:https?:)?\/\/[^"'`\s/]/.test(text)
  return findIn(path, text, isLocal ? scriptFinds.slice(1) : scriptFinds)
}
