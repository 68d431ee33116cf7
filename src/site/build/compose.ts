import type { ErrorDetail } from '../../contract/common.ts'
import type { Redirect } from '../../contract/release.ts'
import type { BlobSink, StoredBlob } from './blobs.ts'
import type { BuildRequest } from '../builder.ts'
import type { SiteConfig } from '../config/config.ts'
import type { IconLookup } from '../config/settings.ts'
import type { PageRecords } from './page-records.ts'
import { sitePages, type Plan } from './plan.ts'
import type { ThemeAssets } from '../shell.ts'
import { mapSite } from './site-map.ts'

/** What docs.json, the paths and the pages’ titles make together. */
export interface ComposedSite {
  readonly shell: StoredBlob
  readonly name: string
  readonly description?: string
  readonly noindex: boolean
  readonly redirects: readonly Redirect[]
  /** Source paths of the pages that sitemap and llms.txt name, in reading order. */
  readonly listed: readonly string[]
  readonly warnings: readonly ErrorDetail[]
}

export interface ComposeInput {
  readonly request: Pick<BuildRequest, 'url' | 'title'>
  readonly config: SiteConfig
  readonly plan: Plan
  readonly records: PageRecords
  readonly theme: ThemeAssets
  readonly icon: IconLookup
  readonly sink: BlobSink
}

export type Composition =
  | { readonly site: ComposedSite }
  | { readonly site?: undefined; readonly errors: readonly ErrorDetail[]; readonly warnings: readonly ErrorDetail[] }

/** Composes shell, redirects and the list of pages, and stores the shell. */
export function composeSite({ request, config, plan, records, theme, icon, sink }: ComposeInput): Composition {
  const { shell, errors, ...map } = mapSite({
    config,
    pages: sitePages(plan, records),
    urls: plan.urls,
    url: request.url,
    title: request.title,
    theme,
    icon,
    hasFile: (path) => plan.urls.owners.has(`/${path}`),
  })
  if (shell === undefined) return { errors, warnings: map.warnings }
  return {
    site: {
      ...map,
      shell: sink.add(Buffer.from(JSON.stringify(shell))),
      name: shell.name,
      ...(shell.description === undefined ? {} : { description: shell.description }),
      noindex: shell.noindex === true,
    },
  }
}
