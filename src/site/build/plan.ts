import { sorted, type Steps } from '../../lib/slices.ts'
import { withoutEnding, type SitePage } from '../config/pages.ts'
import type { ErrorDetail } from '../../contract/common.ts'
import type { SiteConfig } from '../config/config.ts'
import { humanise } from '../config/folders.ts'
import { type PageRecords, summaryOf } from './records.ts'
import { type Mount, pathIn, pathInTag } from './tags.ts'

/** Named in the warning about files that are not published. */
const maxNamed = 8

/** What of a project’s files becomes what. */
export interface Classified {
  /** By source path, in the order of the files. */
  readonly pages: readonly { readonly path: string; readonly url: string }[]
  readonly assets: readonly { readonly path: string; readonly url: string; readonly type: string }[]
  /** Style sheets and scripts that are on each page. */
  readonly own: readonly string[]
  /** Files of types that a site does not publish. */
  readonly unpublished: readonly string[]
}

export interface Conventions {
  /** Without docs.json, README files are index pages, and everything that is Markdown is a page. */
  readonly configured: boolean
  /** Files that the configuration is made of: not published. */
  readonly configFiles: ReadonlySet<string>
  /** Pages that navigation names, without ending. */
  readonly navigated: ReadonlySet<string>
}

/**
 * Content types by file ending. Absent on purpose: html, which would run on the site’s origin past the page
 * sanitiser; css and js are files of another kind (`own-files.ts`). XML and source texts are served as plain text, as XML can carry scripts.
 */
const types: ReadonlyMap<string, string> = new Map([
  ...rows('png:image/png jpg:image/jpeg jpeg:image/jpeg gif:image/gif webp:image/webp avif:image/avif'),
  ...rows('svg:image/svg+xml ico:image/x-icon bmp:image/bmp apng:image/apng'),
  ...rows('woff:font/woff woff2:font/woff2 ttf:font/ttf otf:font/otf'),
  ...rows('mp4:video/mp4 m4v:video/mp4 webm:video/webm ogv:video/ogg mov:video/quicktime'),
  ...rows('mp3:audio/mpeg wav:audio/wav ogg:audio/ogg m4a:audio/mp4 flac:audio/flac vtt:text/vtt;charset=utf-8'),
  ...rows('pdf:application/pdf zip:application/zip gz:application/gzip tgz:application/gzip'),
  ...rows('json:application/json;charset=utf-8 yaml:application/yaml;charset=utf-8 yml:application/yaml;charset=utf-8'),
  ...['txt', 'csv', 'tsv', 'xml', 'graphql', 'proto', 'toml'].map(
    (ending) => [ending, 'text/plain; charset=utf-8'] as const,
  ),
])

/** Markdown that a repository keeps for its own people. Pages only where navigation names them. */
const housekeeping = /^(readme|license|licence|contributing|changelog|code_of_conduct|security|agents|claude)$/i
const tooling: ReadonlySet<string> = new Set([
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'pnpm-lock.yaml',
  'pnpm-workspace.yaml',
  'mint.json',
])
const quiet = /^(\.[^/]*|licen[cs]e[^/]*|makefile|dockerfile|codeowners|[^/]*\.lock)$/i
/** Folders of parts that pages include. */
const parts: ReadonlySet<string> = new Set(['snippets', '_snippets'])
/** A site could obtain certificates for its host with these. */
const challenges = /^\.well-known\/(acme-challenge|pki-validation)(\/|$)/i

/** Sorts the files of a project. Pure; linear in their number. */
export function* classify(paths: readonly string[], conventions: Conventions): Steps<Classified> {
  const pages: { path: string; url: string }[] = []
  const assets: { path: string; url: string; type: string }[] = []
  const own: string[] = []
  const unpublished: string[] = []
  const folders = conventions.configured ? new Set<string>() : yield* foldersWithIndex(paths)
  for (const path of paths) {
    yield
    const name = path.slice(path.lastIndexOf('/') + 1)
    if (isOutside(path)) continue
    const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
    if (ending === 'md' || ending === 'mdx') {
      if (isPage(path, name, conventions))
        pages.push({ path, url: pageUrl(path, name, conventions.configured ? null : folders) })
      continue
    }
    const type = types.get(ending)
    if (conventions.configFiles.has(path) || tooling.has(path)) continue
    if (conventions.configured && isOwn(path, name)) own.push(path)
    else if (isScript(path)) continue
    else if (type !== undefined && name.includes('.')) assets.push({ path, url: `/${path}`, type })
    else if (!quiet.test(name)) unpublished.push(path)
  }
  return { pages, assets, own, unpublished }
}

/** A style sheet, or a script that is no part of a page’s components and no setting of a tool. */
function isOwn(path: string, name: string): boolean {
  if (/\.css$/i.test(name)) return true
  return /\.js$/i.test(name) && !/\.(?:config|test|spec|min\.map)\.js$/i.test(name) && !isPart(path)
}

/** Code of components. */
function isScript(path: string): boolean {
  return /\.[jt]sx$/i.test(path) || (/\.[cm]?[jt]s$/i.test(path) && isPart(path))
}

/** In a folder of parts that pages include. */
function isPart(path: string): boolean {
  return path
    .split('/')
    .slice(0, -1)
    .some((folder) => parts.has(folder))
}

/** @param page a page at the root, without its ending. */
function isHousekeeping(page: string): boolean {
  return housekeeping.test(page)
}

/** Part of no site: hidden folders, packages, and files with which a host proves itself. */
function isOutside(path: string): boolean {
  if (path.startsWith('.')) return !path.startsWith('.well-known/') || challenges.test(path)
  return (
    path.includes('/.') ||
    path.startsWith('_quire/') ||
    path.startsWith('node_modules/') ||
    path.includes('/node_modules/')
  )
}

function isPage(path: string, name: string, { configured, navigated }: Conventions): boolean {
  const slash = path.indexOf('/')
  if (slash === -1) return !configured || !isHousekeeping(withoutEnding(name)) || navigated.has(withoutEnding(path))
  return !isPart(path)
}

/** `guide/start.mdx` → `/guide/start`; `guide/index.mdx` → `/guide`. `folders` are those with an index of their own. */
function pageUrl(path: string, name: string, folders: ReadonlySet<string> | null): string {
  const folder = path.slice(0, Math.max(0, path.length - name.length - 1))
  const isIndex =
    /^index\.mdx?$/i.test(name) || (folders !== null && /^readme\.mdx?$/i.test(name) && !folders.has(folder))
  return isIndex ? `/${folder}` : `/${withoutEnding(path)}`
}

function* foldersWithIndex(paths: readonly string[]): Steps<Set<string>> {
  const folders = new Set<string>()
  for (const path of paths) {
    yield
    const match = /(?:^|\/)index\.mdx?$/i.exec(path)
    if (match !== null) folders.add(path.slice(0, match.index))
  }
  return folders
}

function rows(text: string): (readonly [string, string])[] {
  return text.split(' ').map((row) => {
    const [ending = '', type = ''] = row.split(':')
    return [ending, type.replace(';', '; ')] as const
  })
}

export interface PlannedPage {
  readonly path: string
  readonly url: string
  /** The tag that it comes from. */
  readonly mount?: Mount
}

/** Which file becomes what, and where. Depends on paths and docs.json, on no content. */
export interface Plan extends Classified {
  readonly pages: readonly PlannedPage[]
  readonly mounts: readonly Mount[]
  /** Where versions stand whose tags cannot be looked at: `/v1`. Nobody knows what is there. */
  readonly unseen: readonly string[]
  readonly urls: UrlPlan
  readonly errors: readonly ErrorDetail[]
  readonly warnings: readonly ErrorDetail[]
}

/** @param paths of the project itself; the files of the tags come to them. */
export function* makePlan(paths: Iterable<string>, config: SiteConfig, mounts: readonly Mount[] = []): Steps<Plan> {
  const own = yield* classifyBy(paths, config)
  const pages: PlannedPage[] = [...own.pages]
  const assets = [...own.assets]
  for (const mount of mounts) {
    const inTag = yield* classifyBy(mount.files.keys(), mount.config)
    for (const { path, url } of inTag.pages) {
      yield
      pages.push({ path: pathIn(mount, path), url: url === '/' ? `/${mount.folder}` : `/${mount.folder}${url}`, mount })
    }
    for (const { path, url, type } of inTag.assets) {
      yield
      assets.push({ path: pathIn(mount, path), url: `/${mount.folder}${url}`, type })
    }
  }
  const classified = { pages, assets, own: own.own, unpublished: own.unpublished }
  const urls = yield* planUrls(classified, mounts)
  const none = pages.length === 0 ? [{ rule: 'page-none', message: 'The project has no page: add index.mdx.' }] : []
  return {
    ...classified,
    mounts,
    unseen: config.tags
      .filter(({ folder }) => !mounts.some((mount) => mount.folder === folder))
      .map(({ folder }) => `/${folder}`),
    urls,
    errors: [...none, ...urls.errors],
    warnings: unpublishedWarning(classified.unpublished),
  }
}

function* classifyBy(paths: Iterable<string>, config: SiteConfig): Steps<Classified> {
  const inOrder = yield* sorted([...paths], (one, other) => (one < other ? -1 : one > other ? 1 : 0))
  return yield* classify(inOrder, {
    configured: config.document !== null,
    configFiles: new Set(config.files.keys()),
    navigated: config.navigated,
  })
}

interface PlanInput {
  /** Of the project itself. */
  readonly files: ReadonlyMap<string, string>
  readonly config: SiteConfig
  readonly mounts: readonly Mount[]
}

/** Whether two builds have the same plan: most changes of docs.json move no page. */
export function* samePlan(one: PlanInput, other: PlanInput): Steps<boolean> {
  if (one.files.size !== other.files.size || one.mounts.length !== other.mounts.length) return false
  if (one.mounts.some((mount, index) => mount !== other.mounts[index])) return false
  if (one.config !== other.config && !sameConventions(one.config, other.config)) return false
  for (const path of other.files.keys()) {
    yield
    if (!one.files.has(path)) return false
  }
  return true
}

function sameConventions(one: SiteConfig, other: SiteConfig): boolean {
  const essence = ({ document, files, navigated, tags }: SiteConfig) =>
    JSON.stringify([document === null, [...files.keys()].sort(), [...navigated].filter(isHousekeeping).sort(), tags])
  return essence(one) === essence(other)
}

/** Whether a path is one of a version that cannot be looked at. */
export function isUnseen({ unseen }: Pick<Plan, 'unseen'>, path: string): boolean {
  return unseen.some((folder) => path === folder || path.startsWith(`${folder}/`))
}

/** The pages with their summaries. Those with errors get a title from their file’s name, so that navigation can still be judged. */
export function* sitePages({ pages }: Plan, records: PageRecords): Steps<SitePage[]> {
  const all: SitePage[] = []
  for (const { path, url, mount } of pages) {
    yield
    const record = records[path]
    const summary = record === undefined ? unknownSummary(path) : summaryOf(record)
    all.push({ path, url, summary, ...(mount === undefined ? {} : { folder: mount.folder }) })
  }
  return all
}

function unknownSummary(path: string): SitePage['summary'] {
  const title = humanise(withoutEnding(path.slice(path.lastIndexOf('/') + 1)))
  return { title, anchors: [], links: [], warnings: [] }
}

function unpublishedWarning(paths: readonly string[]): ErrorDetail[] {
  if (paths.length === 0) return []
  const subject = paths.length === 1 ? '1 file is' : `${paths.length} files are`
  return [{ rule: 'file-unpublished', message: `${subject} of a type that sites do not publish: ${namedFew(paths)}.` }]
}

/** The first of many paths, in a row. */
export function namedFew(paths: readonly string[]): string {
  return `${paths.slice(0, maxNamed).join(', ')}${paths.length > maxNamed ? ' …' : ''}`
}

/** URL path of a page’s Markdown: `/guide/start` → `/guide/start.md`, `/` → `/index.md`. */
export function markdownPathOf(url: string): string {
  return url === '/' ? '/index.md' : `${url}.md`
}

/** Who has which URL path. */
export interface UrlPlan {
  /** Source path by URL path: pages, their Markdown sources and assets. */
  readonly owners: ReadonlyMap<string, string>
  /** README files that are index pages, under their own name: `/guide/README` → `/guide`. */
  readonly aliases: readonly (readonly [from: string, to: string])[]
  /** Two sources for one path. */
  readonly errors: readonly ErrorDetail[]
}

/** Gives every page and asset its path; clashes are errors that name both sources. */
export function* planUrls({ pages, assets }: Classified, mounts: readonly Mount[] = []): Steps<UrlPlan> {
  const nameOf = (path: string): string => {
    const mount = mounts.find(({ folder }) => path.startsWith(`${folder}/`))
    return mount === undefined ? path : `${pathInTag(mount, path)} of the tag ${mount.tag}`
  }
  const owners = new Map<string, string>()
  const errors: ErrorDetail[] = []
  const claim = (url: string, path: string) => {
    const owner = owners.get(url)
    if (owner === undefined) owners.set(url, path)
    else
      errors.push({
        path,
        rule: 'page-clash',
        message: `${nameOf(path)} and ${nameOf(owner)} would both be at ${url}: rename or remove one of them.`,
      })
  }
  for (const { path, url } of [...pages, ...assets]) {
    yield
    claim(url, path)
  }
  const aliases: (readonly [string, string])[] = []
  for (const { path, url } of pages) {
    yield
    if (owners.get(url) === path) claim(markdownPathOf(url), path)
  }
  for (const { path, url } of pages) {
    yield
    const source = `/${withoutEnding(path)}`
    if (source !== url && /\/readme$/i.test(source) && !owners.has(source)) aliases.push([source, url])
  }
  return { owners, aliases, errors }
}
