import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Failure } from '../../src/contract/failure.ts'
import type { Composer, Document, OpenShell, Sha256 } from '../../src/contract/release.ts'
import { Responder } from '../../src/hosting/serving/responder.ts'
import { ServedRelease } from '../../src/hosting/serving/served.ts'
import { createSiteBuilder } from '../../src/site/build/build.ts'
import type { BuildResult, SiteBuilder } from '../../src/site/builder.ts'
import { icon } from '../../src/site/components/icons.ts'
import { IslandBundler } from '../../src/site/islands/bundler.ts'
import { openRenderPool } from '../../src/site/render/pool.ts'
import { loadTheme } from '../../src/site/theme/assets.ts'
import { createComposer } from '../../src/site/theme/composer.tsx'
import { SiteBlobs } from './blobs.ts'
import { fetchFile } from './fetch-file.ts'
import { DocsFolder } from './folder.ts'

/** The one project that there is. */
const project = 'local'
/** Documents held in memory: they are made in a moment. */
const bodyBytes = 32 * 1024 * 1024

export interface SiteOptions {
  /** Origin of the site, without trailing slash. */
  readonly url: string
  /** Name of the site where docs.json has none. */
  readonly title: string
  /** What documents are given before all others in their head. */
  readonly head?: (release: string) => string
}

/**
 * The site of a folder, built by what builds sites in the service, and served as the service serves it, without one: what
 * was built is in memory, and pages are rendered by children of this process.
 */
export class LocalSite {
  readonly #options: SiteOptions
  readonly #folder: DocsFolder
  readonly #builder: SiteBuilder
  readonly #blobs: SiteBlobs
  readonly #responder: Responder
  /** Of this run: a browser that saw the one before loads its page anew. */
  readonly #run = randomBytes(4).toString('hex')
  #builds = 0
  #served: ServedRelease | undefined

  private constructor(folder: DocsFolder, builder: SiteBuilder, options: SiteOptions) {
    const blobs = new SiteBlobs((bytes) => folder.originOf(bytes))
    this.#options = options
    this.#folder = folder
    this.#builder = builder
    this.#blobs = blobs
    const { assets } = loadTheme()
    const composer = createComposer({ dashboard: "'self'", hasCards: false, isLocal: true, assets })
    this.#responder = new Responder({
      composer: rewritten(composer, (html, release) =>
        html.replace('<head>', () => `<head>${options.head?.(release) ?? ''}`),
      ),
      releases: { peek: () => this.#served, load: () => Promise.resolve(this.#served ?? null) },
      bodyBytes,
      onError: (error) => {
        throw error
      },
    })
  }

  /** Starts what renders. @throws Failure unavailable where that is not installed */
  static async open(folder: DocsFolder, options: SiteOptions): Promise<LocalSite> {
    return new LocalSite(folder, await openBuilder(), options)
  }

  /** Names what is served; undefined until a build has come out. */
  get release(): string | undefined {
    return this.#served === undefined ? undefined : `${this.#run}-${this.#builds}`
  }

  /** Builds the folder as it is now. What comes of it is served from then on; with errors, what was before. */
  async build(signal?: AbortSignal): Promise<BuildResult> {
    const { url, title } = this.#options
    const blobs = this.#blobs
    const result = await this.#builder.build({
      project,
      url,
      title,
      source: this.#folder.source(),
      earlier: null,
      has: (blob) => blobs.has(blob),
      blob: (blob) => blobs.read(blob),
      store: (fresh) => Promise.resolve(blobs.keep(fresh)),
      ...(signal === undefined ? {} : { signal }),
    })
    const { site } = result
    if (site === undefined) return result
    blobs.keep(site.blobs)
    const { routes, redirects, shell, base } = site
    const served = await ServedRelease.of(
      { blob: (blob, range) => blobs.read(blob, range), asset: () => undefined },
      { routes, redirects, shell, base },
    )
    if (this.#served !== undefined) served.adoptShell(this.#served)
    this.#served = served
    this.#builds += 1
    blobs.cleanUp(
      () =>
        new Set<Sha256>([
          shell,
          ...Object.values(routes).map(({ blob }) => blob),
          ...artifactsOf(site),
          ...copiesOf(site),
        ]),
    )
    return result
  }

  respond(request: IncomingMessage, response: ServerResponse): void {
    // Nothing is far away: to compress takes longer than to send.
    delete request.headers['accept-encoding']
    // As a preview: no other site may read it, and nobody keeps it.
    this.#responder.respond(request, response, { project, release: this.release ?? '', preview: true })
  }

  /** Ends the children. */
  close(): Promise<void> {
    return this.#builder.close()
  }
}

/** What builds sites in this process. @throws Failure unavailable where what renders is not installed */
export async function openBuilder(): Promise<SiteBuilder> {
  const pool = await openRenderPool({
    isOwn: true,
    buildCpuMs: Number.POSITIVE_INFINITY,
    buildMs: Number.POSITIVE_INFINITY,
  }).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Failure('unavailable', `Pages cannot be rendered here: ${reason}`, {
      hint: 'quire renders with the package satteri, which npm installs with it unless optional packages are left out: install it again without --omit=optional.',
      cause: error,
    })
  })
  const theme = loadTheme()
  // Nobody answers questions here, or counts.
  const { ask: _, analytics: __, feedback: ___, ...features } = theme.assets.features
  const bundler = new IslandBundler({ ...theme.islands })
  const own = { ...theme, assets: { ...theme.assets, features } }
  return createSiteBuilder({ pool, bundler, theme: own, icon, fetch: fetchFile })
}

function artifactsOf({ pages }: NonNullable<BuildResult['site']>): readonly Sha256[] {
  return Object.values(pages).flatMap(({ artifact, markdown, parts }) => [
    artifact,
    markdown,
    ...(parts?.texts ?? []).map(([, blob]) => blob),
  ])
}

/** What was copied from elsewhere, which readers do not get as it is. */
function copiesOf({ assets }: NonNullable<BuildResult['site']>): readonly Sha256[] {
  return Object.entries(assets).flatMap(([path, { blob }]) => (path.startsWith('https:') ? [blob] : []))
}

/** Documents as on the live site, but for what a function of them and their build does. */
function rewritten(composer: Composer, rewrite: (html: string, release: string) => string): Composer {
  const change = ({ html, ...rest }: Document, release = ''): Document => ({ ...rest, html: rewrite(html, release) })
  return {
    live: () => composer.live(),
    *open(bytes) {
      const shell: OpenShell = yield* composer.open(bytes)
      return {
        language: (path) => shell.language(path),
        settings: shell.settings,
        page: (artifact, path, { preview, ...facts } = {}) => change(shell.page(artifact, path, facts), preview),
        notFound: (path, { preview } = {}) => change(shell.notFound(path), preview),
        feed: (artifact, path, about) => shell.feed(artifact, path, about),
        card: () => null,
        live: () => shell.live(),
      }
    },
  }
}

/** Builds a site of one page, so that the code of all that takes part is compiled. */
export async function buildOnce(): Promise<void> {
  const directory = resolve(await mkdtemp(join(tmpdir(), 'quire-compile-')))
  try {
    await writeFile(join(directory, 'index.md'), '# Compiled ahead\n')
    const folder = new DocsFolder(directory)
    await folder.look()
    const site = await LocalSite.open(folder, { url: 'http://localhost', title: 'Docs' })
    await site.build()
    await site.close()
  } finally {
    await rm(directory, { recursive: true })
  }
}
