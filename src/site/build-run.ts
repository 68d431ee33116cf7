import type { ErrorDetail } from '../contract/common.ts'
import type { FileRoute, Redirect, Sha256 } from '../contract/release.ts'
import { publishAssets, type AssetRecords } from './assets.ts'
import { BlobSink, type StoredBlob } from './blobs.ts'
import type { BuildRequest, BuildResult } from './builder.ts'
import { compareRecords, type Changes } from './changes.ts'
import { classify, type Classified } from './classify.ts'
import { isCurrent, readConfig, type SiteConfig } from './config/config.ts'
import { humanise } from './config/folders.ts'
import { withoutEnding, type SitePage } from './config/pages.ts'
import { RedirectTable } from './config/redirect-table.ts'
import type { IconLookup } from './config/settings.ts'
import { arrange } from './findings.ts'
import { checkLinks, LinkTargets } from './links.ts'
import { llmsText } from './llms.ts'
import type { RenderPool } from './page.ts'
import { buildPages, summaryOf, type BuiltPages, type PageRecords } from './pages.ts'
import { makeRoutes } from './publish.ts'
import { planUrls, type UrlPlan } from './routes.ts'
import type { ThemeAssets } from './shell.ts'
import { mapSite, type SiteMap } from './site-map.ts'
import { robotsText, sitemapXml } from './sitemap.ts'

export interface Equipment {
  readonly pool: RenderPool
  readonly icon: IconLookup
  /** Fingerprint that page records carry. */
  readonly builder: string
  readonly theme: {
    readonly assets: ThemeAssets
    readonly routes: ReadonlyMap<string, FileRoute>
    readonly blobs: ReadonlyMap<Sha256, Uint8Array>
  }
}

type Texts = ReadonlyMap<string, StoredBlob & { readonly type: string }>

/** What a build leaves for the next one of its project: derived data, each part valid while its inputs are the same. */
export interface BuildMemory {
  /** URL and title of the site. */
  readonly site: string
  readonly files: ReadonlyMap<string, string>
  readonly config: SiteConfig
  readonly plan: Plan
  readonly records: PageRecords
  readonly assets: AssetRecords
  readonly map: Omit<SiteMap, 'shell'> & {
    readonly shell: StoredBlob
    readonly name: string
    readonly description?: string
    readonly noindex: boolean
  }
  readonly texts: Texts
  readonly targets: LinkTargets
  readonly findings: ReadonlyMap<string, readonly ErrorDetail[]>
}

interface Plan {
  readonly classified: Classified
  readonly urls: UrlPlan
  readonly warnings: readonly ErrorDetail[]
}

/** One build. Every step takes over what the last build of the project left, where its inputs have not changed. */
export class BuildRun {
  private readonly request: BuildRequest
  private readonly equipment: Equipment
  private readonly memory: BuildMemory | undefined
  private readonly sink: BlobSink

  constructor(request: BuildRequest, equipment: Equipment, memory: BuildMemory | undefined) {
    this.request = request
    this.equipment = equipment
    this.memory = memory
    this.sink = new BlobSink((blob) => request.has(blob))
  }

  async build(): Promise<{ readonly result: BuildResult; readonly memory?: BuildMemory }> {
    const { request, equipment, sink, memory } = this
    request.signal?.throwIfAborted()
    const config =
      memory !== undefined && isCurrent(memory.config, request.source.files)
        ? memory.config
        : await readConfig(request.source)
    const plan = this.plan(config)
    const assets = await publishAssets(plan.classified.assets, request, { sink, before: memory?.assets })
    const pages = await buildPages(plan.classified.pages, request, {
      pool: equipment.pool,
      builder: equipment.builder,
      sink,
      before: memory?.records,
    })
    request.signal?.throwIfAborted()
    const same = memory !== undefined && memory.plan === plan && memory.site === this.site() ? memory : undefined
    const changes = same === undefined ? undefined : compareRecords(same.records, pages.records)
    const map = this.map({ config, plan, pages, same, changes })
    const errors = [...config.errors, ...plan.urls.errors, ...pages.errors, ...map.errors, ...noPages(plan)]
    const counts = { total: plan.classified.pages.length, built: pages.built, reused: pages.reused }
    const own = [...config.warnings, ...plan.warnings, ...map.warnings, ...pageWarnings(pages.records)]
    if (errors.length > 0 || map.shell === undefined)
      return { result: { errors: arrange(errors), warnings: arrange(own), pages: counts } }
    const complete = { ...map, shell: map.shell }
    const links = this.links({ plan, records: pages.records, redirects: map.redirects, same, changes })
    const texts = this.texts({ plan, records: pages.records, map: complete, same, changes })
    for (const [blob, bytes] of equipment.theme.blobs) sink.addKnown(blob, bytes)
    const routes = makeRoutes({
      classified: plan.classified,
      pages: pages.records,
      assets,
      texts,
      theme: equipment.theme.routes,
    })
    return {
      result: {
        errors: [],
        warnings: arrange([...own, ...[...links.findings.values()].flat()]),
        pages: counts,
        site: {
          shell: complete.shell.blob,
          routes,
          redirects: map.redirects,
          pages: pages.records,
          assets,
          blobs: sink.fresh,
        },
      },
      memory: {
        site: this.site(),
        files: request.source.files,
        config,
        plan,
        records: pages.records,
        assets,
        map: complete,
        texts,
        ...links,
      },
    }
  }

  /** Which file becomes what. Depends on the paths and docs.json, on no content. */
  private plan(config: SiteConfig): Plan {
    const { files } = this.request.source
    const { memory } = this
    if (memory !== undefined && memory.config === config && samePaths(memory.files, files)) return memory.plan
    const configFiles = new Set(config.files.keys())
    const classified = classify([...files.keys()].sort(), {
      configured: config.document !== null,
      configFiles,
      navigated: config.navigated,
    })
    return { classified, urls: planUrls(classified), warnings: unpublishedWarning(classified.unpublished) }
  }

  private map({
    config,
    plan,
    pages,
    same,
    changes,
  }: Stage & { config: SiteConfig; pages: BuiltPages }): Omit<SiteMap, 'shell'> &
    Partial<Pick<BuildMemory['map'], 'shell'>> &
    Omit<BuildMemory['map'], 'shell' | keyof SiteMap> {
    if (
      same !== undefined &&
      changes?.navigation === false &&
      pages.errors.length === 0 &&
      this.sink.has(same.map.shell.blob)
    )
      return same.map
    const { request, equipment, sink } = this
    const { shell, ...map } = mapSite({
      config,
      pages: sitePages(plan, pages.records),
      urls: plan.urls,
      url: request.url,
      title: request.title,
      theme: equipment.theme.assets,
      icon: equipment.icon,
      hasFile: (path) => plan.urls.owners.has(`/${path}`),
    })
    if (shell === undefined) return { ...map, name: request.title, noindex: false }
    const about = {
      name: shell.name,
      noindex: shell.noindex === true,
      ...(shell.description === undefined ? {} : { description: shell.description }),
    }
    return { ...map, ...about, shell: sink.add(Buffer.from(JSON.stringify(shell))) }
  }

  private links({
    plan,
    records,
    redirects,
    same,
    changes,
  }: Stage & { records: PageRecords; redirects: readonly Redirect[] }): Pick<BuildMemory, 'targets' | 'findings'> {
    const sameTargets =
      same !== undefined && changes?.anchors === false && same.map.redirects === redirects ? same.targets : undefined
    if (sameTargets !== undefined && same !== undefined && changes?.pages.length === 0)
      return { targets: sameTargets, findings: same.findings }
    const pages = sitePages(plan, records)
    const targets =
      sameTargets ??
      new LinkTargets(pages, new Set([...plan.urls.owners.keys(), ...GENERATED.keys()]), new RedirectTable(redirects))
    const changed = sameTargets === undefined ? undefined : new Set(changes?.pages)
    const findings = new Map(sameTargets === undefined ? [] : same?.findings)
    for (const page of pages) {
      if (changed !== undefined && !changed.has(page.path)) continue
      const found = checkLinks(page, targets)
      if (found.length > 0) findings.set(page.path, found)
      else findings.delete(page.path)
    }
    return { targets, findings }
  }

  /** sitemap.xml, robots.txt and llms.txt, but for those that the project brings itself. */
  private texts({
    plan,
    records,
    map,
    same,
    changes,
  }: Stage & { records: PageRecords; map: BuildMemory['map'] }): Texts {
    const kept = same !== undefined && changes?.listing === false && same.map === map
    if (kept && [...same.texts.values()].every(({ blob }) => this.sink.has(blob))) return same.texts
    const byPath = new Map(sitePages(plan, records).map((page) => [page.path, page]))
    const listed = map.listed.flatMap((path) => byPath.get(path) ?? [])
    const origin = this.request.url
    const bodies: Readonly<Record<string, string>> = {
      '/llms.txt': llmsText({ ...map, origin }, listed),
      '/robots.txt': robotsText(origin, map.noindex),
      '/sitemap.xml': sitemapXml(origin, map.noindex ? [] : listed),
    }
    const texts = new Map<string, StoredBlob & { readonly type: string }>()
    for (const [url, type] of GENERATED) {
      if (!plan.urls.owners.has(url)) texts.set(url, { ...this.sink.add(Buffer.from(bodies[url] ?? '')), type })
    }
    return texts
  }

  private site(): string {
    return `${this.request.url} ${this.request.title}`
  }
}

interface Stage {
  readonly plan: Plan
  /** The last build, when paths, docs.json and site are the same. */
  readonly same: BuildMemory | undefined
  readonly changes: Changes | undefined
}

const GENERATED: ReadonlyMap<string, string> = new Map([
  ['/llms.txt', 'text/plain; charset=utf-8'],
  ['/robots.txt', 'text/plain; charset=utf-8'],
  ['/sitemap.xml', 'application/xml; charset=utf-8'],
])

/** Pages with errors get a title from their file’s name, so that navigation can still be judged. */
function sitePages({ classified }: Plan, records: PageRecords): SitePage[] {
  return classified.pages.map(({ path, url }) => {
    const record = records[path]
    const title = () => humanise(withoutEnding(path.slice(path.lastIndexOf('/') + 1)))
    return {
      path,
      url,
      summary: record === undefined ? { title: title(), anchors: [], links: [], warnings: [] } : summaryOf(record),
    }
  })
}

function samePaths(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  if (one.size !== other.size) return false
  for (const path of other.keys()) if (!one.has(path)) return false
  return true
}

function pageWarnings(records: PageRecords): ErrorDetail[] {
  const warnings: ErrorDetail[] = []
  for (const path in records) {
    const record = records[path]
    if (record !== undefined) warnings.push(...summaryOf(record).warnings)
  }
  return warnings
}

function noPages({ classified }: Plan): ErrorDetail[] {
  return classified.pages.length > 0 ? [] : [{ message: 'The project has no page: add index.mdx.' }]
}

function unpublishedWarning(paths: readonly string[]): ErrorDetail[] {
  if (paths.length === 0) return []
  const named = paths.slice(0, 8).join(', ')
  const rest = paths.length > 8 ? ' …' : ''
  return [
    {
      message: `${paths.length} ${paths.length === 1 ? 'file is' : 'files are'} of a type that sites do not publish: ${named}${rest}.`,
    },
  ]
}
