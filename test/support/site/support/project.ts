import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { wholly } from '#lib/slices.ts'
import { createSiteBuilder, type SiteBuilderOptions } from '#site/build/build.ts'
import type { BuildRequest, BuildResult, FetchFile, SiteBuilder } from '#site/builder.ts'
import type { Shell } from '#site/shell.ts'
import { decodeShell } from '#site/stored-shell.ts'
import { fakePool, type FakePool } from './fake-pool.ts'

export type Files = Readonly<Record<string, string | Buffer>>

export function oidOf(content: string | Buffer): string {
  const bytes = Buffer.from(content)
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}

/** A project whose releases are kept in memory: what pipeline and hosting do around the builder. */
export class TestProject {
  readonly pool: FakePool
  readonly blobs = new Map<string, Uint8Array>()
  /** Oids that were read in the last build. */
  reads: string[] = []
  builder: SiteBuilder
  last: NonNullable<BuildResult['site']> | undefined
  /** What there is elsewhere, by URL, and what was asked for. */
  readonly remote = new Map<string, Buffer>()
  readonly fetched: string[] = []

  constructor(pool = fakePool()) {
    this.pool = pool
    this.builder = this.newBuilder()
  }

  /** As the service asks other servers; a test may put another in its place */
  fetch: FetchFile = (url) => {
    this.fetched.push(url)
    const bytes = this.remote.get(url)
    return bytes === undefined
      ? Promise.reject(new Error(`${new URL(url).host} answers with status 400.`))
      : Promise.resolve({ bytes })
  }

  /** A builder that remembers nothing, as after a restart. */
  newBuilder(changes: Partial<SiteBuilderOptions> = {}): SiteBuilder {
    const theme = {
      assets: { css: '/_quire/a.css', script: '/_quire/a.js', features: {} },
      files: new Map([['/_quire/a.css', { bytes: Buffer.from('a{}'), type: 'text/css; charset=utf-8' }]]),
    }
    this.builder = createSiteBuilder({
      pool: this.pool,
      theme,
      fetch: (url, options) => this.fetch(url, options),
      icon: (name) => (/^[a-z-]+$/.test(name) ? `<svg data-icon="${name}"></svg>` : undefined),
      ...changes,
    })
    return this.builder
  }

  /** Builds the files; a site that came out becomes the live one. */
  async build(files: Files, changes: Partial<BuildRequest> = {}): Promise<BuildResult> {
    const contents = new Map(Object.values(files).map((content) => [oidOf(content), Buffer.from(content)]))
    return this.buildFrom(
      new Map(Object.entries(files).map(([path, content]) => [path, oidOf(content)])),
      contents,
      changes,
    )
  }

  async buildFrom(
    files: ReadonlyMap<string, string>,
    contents: ReadonlyMap<string, Buffer>,
    changes: Partial<BuildRequest> = {},
  ): Promise<BuildResult> {
    this.reads = []
    this.pool.rendered.length = 0
    const result = await this.builder.build({
      project: 'acme',
      url: 'https://acme.example',
      title: 'Acme',
      source: {
        files,
        read: (oid) => {
          this.reads.push(oid)
          const content = contents.get(oid)
          return content === undefined ? Promise.reject(new Error(`no blob ${oid}`)) : Promise.resolve(content)
        },
      },
      earlier: this.last?.pages ?? null,
      earlierAssets: this.last?.assets ?? null,
      earlierRoutes: this.last?.routes ?? null,
      has: (blob) => this.blobs.has(blob),
      blob: async (blob) => this.blobs.get(blob) ?? Promise.reject(new Error(`no blob ${blob}`)),
      ...changes,
    })
    for (const [blob, bytes] of result.site?.blobs ?? []) this.blobs.set(blob, bytes)
    if (result.site !== undefined) this.last = result.site
    return result
  }

  /** Text of the file at a URL path of the live site. */
  text(url: string): string | undefined {
    const route = this.last?.routes[url]
    const bytes = route === undefined ? undefined : this.blobs.get(route.blob)
    return bytes === undefined ? undefined : Buffer.from(bytes).toString()
  }

  shell(): Shell {
    return wholly(decodeShell(Buffer.from(this.blobs.get(this.last?.shell ?? '') ?? '')))
  }
}

/** The files of a folder by path, without hidden ones. */
export function readFolder(folder: string): Record<string, Buffer> {
  const files: Record<string, Buffer> = {}
  for (const path of (readdirSync(folder, { recursive: true }) as string[]).sort()) {
    const full = join(folder, path)
    if (statSync(full).isFile() && !path.split('/').some((part) => part.startsWith('.') && part !== '.well-known'))
      files[path] = readFileSync(full)
  }
  return files
}
