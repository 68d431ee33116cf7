import type { ErrorDetail } from '../../contract/common.ts'
import type { FileRoute } from '../../contract/release.ts'
import { inSlices, type Steps } from '../../lib/slices.ts'
import type { BuildRequest } from '../builder.ts'
import type { Shell } from '../shell.ts'
import type { AssetRecords, BlobSink } from './blobs.ts'
import type { Copies } from './copies.ts'
import { namedFew } from './plan.ts'
import { maxSheet, StyleSheets } from './style-sheets.ts'

/** Style sheets and scripts of one site, and bytes of one. */
const most = { files: 40, bytes: maxSheet } as const

/** A style sheet or script of a site, which is on each of its pages. */
interface OwnFile {
  readonly path: string
  readonly oid: string
  /** Empty where it is no script of pages, or too large. */
  readonly href: string
  /** Itself, and what was copied from elsewhere for it. */
  readonly routes: ReadonlyMap<string, FileRoute>
  /** What was copied, by URL. */
  readonly copies: AssetRecords
  /** Something could not be copied: that is tried again. */
  readonly isPartial?: true
  readonly warnings: readonly ErrorDetail[]
}

/** The style sheets and scripts of a site, in the order of their paths. */
export interface OwnFiles {
  readonly files: readonly OwnFile[]
  /** The base path of the site, which addresses in style sheets have. */
  readonly base: string
  readonly warnings: readonly ErrorDetail[]
  /** What documents name; absent for most sites. */
  readonly named: Shell['own']
}

interface Given {
  /** Their source paths, sorted. */
  readonly paths: readonly string[]
  readonly request: Pick<BuildRequest, 'source' | 'signal'>
  readonly sink: BlobSink
  readonly copies: Copies
  /** The base path of the site. */
  readonly base: string
  readonly before: OwnFiles | undefined
}

/** Publishes them under names of their content. Files that have not changed are not read again. */
export async function publishOwnFiles({ paths, request, sink, copies, base, before }: Given): Promise<OwnFiles> {
  const known = new Map(before?.base === base ? before.files.map((file) => [file.path, file]) : [])
  const sheets = new StyleSheets({ sink, copies, base, signal: request.signal })
  const files: OwnFile[] = []
  for (const path of paths.slice(0, most.files)) {
    request.signal?.throwIfAborted()
    const oid = request.source.files.get(path) ?? ''
    const earlier = known.get(path)
    if (earlier?.oid === oid && isKept(earlier, sink)) {
      copies.keep(earlier.copies)
      files.push(earlier)
      continue
    }
    const content = { path, oid, bytes: await request.source.read(oid) }
    const isStyle = path.toLowerCase().endsWith('.css') && content.bytes.length <= most.bytes
    const made = isStyle ? ownSheet(content, sheets) : inSlices(ownFile(content, sink), request.signal)
    files.push(await made)
  }
  const left = paths.slice(most.files)
  const warnings: ErrorDetail[] = files.flatMap((file) => file.warnings)
  if (left.length > 0) {
    const message = `Pages have at most ${most.files} style sheets and scripts; ${left.length} more are left out: ${namedFew(left)}.`
    warnings.push({ rule: 'file-unpublished', message })
  }
  const hrefs = files.map(({ href }) => href).filter((href) => href !== '')
  const styles = hrefs.filter((href) => href.endsWith('.css'))
  const scripts = hrefs.filter((href) => href.endsWith('.js'))
  return { files, base, warnings, named: hrefs.length === 0 ? undefined : { styles, scripts } }
}

export function ownRoutes({ files }: OwnFiles): readonly (readonly [string, FileRoute])[] {
  return files.flatMap(({ routes }) => [...routes])
}

const isKept = ({ routes, isPartial }: OwnFile, sink: BlobSink): boolean =>
  isPartial !== true && [...routes.values()].every(({ blob }) => sink.has(blob))

interface Content {
  readonly path: string
  readonly oid: string
  readonly bytes: Buffer
}

async function ownSheet({ path, oid, bytes }: Content, sheets: StyleSheets): Promise<OwnFile> {
  const { isWhole, ...published } = await sheets.publish(path, bytes.toString('utf8'))
  return { path, oid, ...published, ...(isWhole ? {} : { isPartial: true }) }
}

function* ownFile({ path, oid, bytes }: Content, sink: BlobSink): Steps<OwnFile> {
  const none = { path, oid, href: '', routes: new Map<string, FileRoute>(), copies: {} }
  if (bytes.length > most.bytes) {
    const message = `The file has ${Math.ceil(bytes.length / 1024)} kB; on each page at most ${most.bytes / 1024} kB of one are loaded. It is left out.`
    return { ...none, warnings: [{ path, rule: 'file-unpublished', message }] }
  }
  const text = bytes.toString('utf8')
  // A module is there for components that import it.
  if (/^[ \t]*(?:import|export)\b/m.test(text)) return { ...none, warnings: [] }
  yield 'large'
  const { blob, size } = sink.add(bytes)
  yield 'large'
  const href = `/_quire/own/${blob.slice(0, 20)}.js`
  const route: FileRoute = { kind: 'file', blob, size, type: 'text/javascript; charset=utf-8', immutable: true }
  return { ...none, href, routes: new Map([[href, route]]), warnings: scriptWarnings(path, text) }
}

const refused = (path: string, line: number, message: string): ErrorDetail => ({
  path,
  line,
  rule: 'script-remote',
  message: `${message}: browsers refuse it on pages, whose policy allows the site itself only.`,
})

/** What the policy of pages refuses, as far as it can be seen. */
const scriptFinds: readonly (readonly [RegExp, string])[] = [
  [/createElement\(\s{0,9}["'`]script["'`]\s{0,9}\)/, 'A script adds further scripts'],
  [/\beval\s{0,9}\(|\bnew\s{1,9}Function\s{0,9}\(/, 'Text is run as code'],
  [/\bfetch\(\s{0,9}["'`]https?:/, 'Another host is asked'],
]

function findIn(path: string, text: string, finds: typeof scriptFinds): ErrorDetail[] {
  return finds.flatMap(([pattern, message]) => {
    const at = text.search(pattern)
    return at === -1 ? [] : [refused(path, lineAt(text, at), message)]
  })
}

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length

function scriptWarnings(path: string, text: string): ErrorDetail[] {
  // Scripts that a script adds are its own business where they are of the site.
  const isLocal = !/["'`](?:https?:)?\/\/[^"'`\s/]/.test(text)
  return findIn(path, text, isLocal ? scriptFinds.slice(1) : scriptFinds)
}
