import type { Logger } from 'pino'
import { projectDocument, projectPrefix } from '../projects/document.ts'
import { Changelog } from '../changelog/changelog.ts'
import type { Announcer } from '../changelog/ports.ts'
import type { Config } from '../config.ts'
import type { Store } from '../storage/store.ts'
import type { TextRenderer } from '../site/text.ts'

/** Changelogs of all projects, below the projects' directories. */
export function openChangelog(
  { dataDirectory }: Config,
  parts: {
    readonly store: Store
    readonly now: () => Date
    readonly logger: Logger
    readonly renderer: TextRenderer
    readonly siteUrl: (project: string) => string
    readonly pageUrl: (project: string) => string
    readonly announcer: Announcer
  },
): Changelog {
  const { logger, pageUrl, ...ports } = parts
  return new Changelog({
    ...ports,
    dataDirectory,
    documentOf: projectDocument,
    documentPrefix: projectPrefix,
    pageUrl,
    log: logger,
  })
}
