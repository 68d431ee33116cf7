import type { Logger } from 'pino'
import { projectDocument, projectPrefix } from '../access/projects.ts'
import { Changelog } from '../changelog/changelog.ts'
import { FeedCache } from '../changelog/feed-cache.ts'
import type { Announcer } from '../changelog/ports.ts'
import type { Config } from '../config.ts'
import type { Records } from '../storage/records.ts'
import type { Store } from '../storage/store.ts'
import type { TextRenderer } from '../site/text.ts'

/** Changelogs of all projects. */
export function openChangelog(
  { publicUrl }: Config,
  parts: {
    readonly store: Store
    readonly records: Records
    readonly now: () => Date
    readonly logger: Logger
    readonly renderer: TextRenderer
    readonly siteUrl: (slug: string) => string
    readonly announcer: Announcer
  },
): Changelog {
  const { logger, ...ports } = parts
  return new Changelog({
    ...ports,
    documentOf: projectDocument,
    documentPrefix: projectPrefix,
    pageUrl: pageUrl(publicUrl),
    log: logger,
  })
}

/** Their feeds. */
export function openFeeds(
  { publicUrl }: Config,
  parts: { readonly changelog: Changelog; readonly now: () => Date },
): FeedCache {
  return new FeedCache({
    ...parts,
    pageUrl: pageUrl(publicUrl),
    apiUrl: (slug) => `${publicUrl}/api/projects/${slug}`,
  })
}

const pageUrl = (publicUrl: string) => (slug: string) => `${publicUrl}/dashboard/${slug}/changelog`
