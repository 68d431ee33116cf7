import type { Composer, FileRoute, PageRecord, Redirect, Release, Route, Sha256 } from '#contract/release.ts'
import { sha256 } from '#lib/digest.ts'

/** Composes documents so simple that a test can say what they are. */
export const composer: Composer = {
  *open(shell) {
    yield
    const name = Buffer.from(shell).toString()
    const csp = "default-src 'self'"
    return {
      language: () => 'en',
      settings: { analytics: false, feedback: false, ...(name === 'Leads home' ? { lost: '/start' } : {}) },
      page: (artifact, path) => ({
        html: `<title>${name}</title><p>${path}: ${Buffer.from(artifact).toString()}</p>`,
        csp,
        preload: ['/_quire/theme.abc.css', '/_quire/theme.abc.js'],
      }),
      notFound: () => ({ html: `<title>${name}</title><p>Nothing here</p>`, csp }),
      feed: (artifact, path, { updated = 0, tags }) =>
        Promise.resolve(`<rss>${path}: ${Buffer.from(artifact).toString()} ${updated} ${tags.join(',')}</rss>`),
      card: () => null,
      live: () => ({ html: `<title>${name}</title><main></main>`, csp }),
    }
  },
  live: () => ({ html: '<title>Plain</title><main></main>', csp: '' }),
}

/** What the theme has, in one version or another: hosting is told that many projects publish it. */
export const common = new Map(['a{}', 'b{}'].map((style) => [sha256(style), Buffer.from(style)]))

export interface SiteSpec {
  readonly id?: string
  readonly createdAt?: string
  readonly shell?: string
  /** Artifact by URL path. Each page has a Markdown twin. */
  readonly pages?: Readonly<Record<string, string>>
  /** Files by URL path; `immutable` when their path has a hash. */
  readonly files?: Readonly<
    Record<string, { readonly content: string | Buffer; readonly type: string; readonly immutable?: true }>
  >
  readonly redirects?: readonly Redirect[]
  /** The path that the site stands below. */
  readonly base?: string
}

/** A release as a builder would make it, with all its blobs. */
export function makeRelease(spec: SiteSpec): { release: Release; blobs: Map<Sha256, Uint8Array> } {
  const blobs = new Map<Sha256, Uint8Array>()
  const add = (content: string | Buffer): Sha256 => {
    const bytes = Buffer.from(content)
    const name = sha256(bytes)
    blobs.set(name, bytes)
    return name
  }
  const routes: Record<string, Route> = {}
  const pages: Record<string, PageRecord> = {}
  for (const [path, content] of Object.entries(spec.pages ?? {})) {
    const twin = path === '/' ? '/index.md' : `${path}.md`
    const source = `# ${content}\n`
    const [artifact, markdown] = [add(content), add(source)]
    routes[path] = { kind: 'page', blob: artifact, markdown: twin }
    routes[twin] = { kind: 'file', blob: markdown, size: source.length, type: 'text/markdown; charset=utf-8' }
    const record = {
      oid: artifact.slice(0, 40),
      builder: 'b1',
      dependencies: [],
      artifact,
      markdown,
      markdownSize: source.length,
    }
    pages[twin.slice(1, -3) + '.mdx'] = {
      ...record,
      summary: { title: content, anchors: ['one', 'two'], links: [], warnings: [] },
    }
  }
  for (const [path, { content, type, immutable }] of Object.entries(spec.files ?? {})) {
    const route: FileRoute = { kind: 'file', blob: add(content), size: Buffer.from(content).length, type }
    routes[path] = immutable === true ? { ...route, immutable } : route
  }
  const release: Release = {
    format: 1,
    id: spec.id ?? 'd1',
    commit: 'c'.repeat(40),
    tree: 'e'.repeat(40),
    createdAt: spec.createdAt ?? '2026-01-01T00:00:00.000Z',
    shell: add(spec.shell ?? 'Docs'),
    routes,
    redirects: spec.redirects ?? [],
    ...(spec.base === undefined ? {} : { base: spec.base }),
    pages,
  }
  return { release, blobs }
}

/** A text that is worth compressing. */
export const long = 'All about leaves. '.repeat(200)
/** A small site with a file of every kind. */
export const sampleSite: SiteSpec = {
  pages: { '/': 'Welcome', '/guide/start': long, '/ünï cöde': 'Umlauts' },
  files: {
    '/_quire/theme.abc.css': {
      content: 'body{color:red}'.repeat(100),
      type: 'text/css; charset=utf-8',
      immutable: true,
    },
    '/logo.svg': {
      content: '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
      type: 'image/svg+xml',
    },
    '/page.html': { content: '<script>alert(1)</script>', type: 'text/html' },
    '/photo.png': { content: Buffer.alloc(5000, 7), type: 'image/png' },
    '/film.mp4': { content: Buffer.from(Array.from({ length: 700_000 }, (_, i) => i % 251)), type: 'video/mp4' },
    '/sitemap.xml': { content: '<urlset/>', type: 'application/xml' },
  },
  redirects: [
    { from: '/old', to: '/guide/start', status: 308 },
    { from: '/beta/:path*', to: '/:path*', status: 307 },
  ],
}
