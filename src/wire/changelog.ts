import type { Logger } from 'pino'
import { projectDocument, projectPrefix } from '../projects/document.ts'
import { Changelog } from '../changelog/changelog.ts'
import type { Announcer } from '../changelog/ports.ts'
import type { Records } from '../storage/records.ts'
import type { Store } from '../storage/store.ts'
import type { TextRenderer } from '../site/text.ts'

/** Changelogs of all projects. */
export function openChangelog(parts: {
  readonly store: Store
  readonly records: Records
  readonly now: () => Date
  readonly logger: Logger
  readonly renderer: TextRenderer
  readonly siteUrl: (project: string) => string
  readonly pageUrl: (project: string) => string
  readonly announcer: Announcer
}): Changelog {
  const { logger, pageUrl, ...ports } = parts
  return new Changelog({
    ...ports,
    documentOf: projectDocument,
    documentPrefix: projectPrefix,
    pageUrl,
    log: logger,
  })
}
