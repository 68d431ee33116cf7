import type { Logger } from 'pino'
import { projectDocument, projectPrefix } from '../access/projects.ts'
import { Changelog } from '../changelog/changelog.ts'
import type { Announcer } from '../changelog/ports.ts'
import type { Config } from '../config.ts'
import type { Store } from '../metadata/store.ts'
import type { TextRenderer } from '../site/text.ts'

/** Changelogs of all projects, below the projects' directories. */
export function openChangelog(
  { publicUrl, dataDirectory }: Config,
  parts: {
    readonly store: Store
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
    dataDirectory,
    documentOf: projectDocument,
    documentPrefix: projectPrefix,
    pageUrl: (slug) => `${publicUrl}/dashboard/${slug}/changelog`,
    log: logger,
  })
}
