import { LRUCache } from 'lru-cache'
import type { FileRoute, Sha256 } from '../../contract/release.ts'
import { BuildRun, type BuildMemory, type Equipment } from './build-run.ts'
import type { BuildRequest, BuildResult, SiteBuilder } from '../builder.ts'
import type { IconLookup } from '../config/settings.ts'
import { sha256 } from '../../lib/digest.ts'
import type { RenderPool } from '../page.ts'
import type { ThemeAssets } from '../shell.ts'

export interface SiteBuilderOptions {
  readonly pool: RenderPool
  /** What `loadTheme` gives. */
  readonly theme: {
    readonly assets: ThemeAssets
    readonly files: ReadonlyMap<string, { readonly bytes: Uint8Array; readonly type: string; readonly csp?: string }>
  }
  readonly icon: IconLookup
}

/** Changes whenever this code makes something else of a rendered page: its artifact, its twin or its summary. */
const FORMAT = '1'
/** Sites whose last build is remembered. What is forgotten costs time, nothing else. */
const REMEMBERED = 32

/** Builds sites with the children of a pool. The pool is closed with the builder. */
export function createSiteBuilder(options: SiteBuilderOptions): SiteBuilder {
  const equipment = equip(options)
  const memories = new LRUCache<string, BuildMemory>({ max: REMEMBERED })
  return {
    isolation: options.pool.isolation,
    close: () => options.pool.close(),
    build: async (request: BuildRequest): Promise<BuildResult> => {
      const line = `${request.project} ${request.line ?? ''}`
      // A branch begins where main is.
      const before = memories.get(line) ?? memories.get(`${request.project} `)
      const { result, memory } = await new BuildRun(request, equipment, before).build()
      if (memory !== undefined) memories.set(line, memory)
      return result
    },
  }
}

function equip({ pool, theme, icon }: SiteBuilderOptions): Equipment {
  const routes = new Map<string, FileRoute>()
  const blobs = new Map<Sha256, Uint8Array>()
  for (const [url, { bytes, ...headers }] of theme.files) {
    const blob = sha256(bytes)
    routes.set(url, { kind: 'file', blob, size: bytes.length, ...headers, immutable: true })
    blobs.set(blob, bytes)
  }
  const builder = sha256(JSON.stringify([FORMAT, pool.fingerprint ?? ''])).slice(0, 16)
  return { pool, icon, builder, theme: { assets: theme.assets, routes, blobs } }
}
