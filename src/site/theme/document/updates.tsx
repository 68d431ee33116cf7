/** @jsxImportSource #html */
import type { Html } from '#lib/html.ts'
import { encodePath, feedPath } from '#lib/url-path.ts'
import type { PageArtifact } from '../../page.ts'
import { changelogWords } from '../words/changelog.ts'
import { wordsIn } from '../words/words.ts'
import { icons } from './link.tsx'

/** What stands over the updates of a page: the way to its feed, where its author wants that, and room for the filters that the script makes. */
export function renderUpdates(artifact: PageArtifact, path: string, lang: string): Html | undefined {
  const hasTags = artifact.features.includes('filters')
  if (artifact.rss !== true && !hasTags) return undefined
  return (
    <>
      {artifact.rss === true && (
        <a class="q-feed" href={encodePath(feedPath(path))} type="application/rss+xml">
          {icons.feed}
          RSS
        </a>
      )}
      {hasTags && <div class="q-filters" role="group" aria-label={wordsIn(changelogWords, lang).byTag} hidden />}
    </>
  )
}

/** Tells programs of the feed of a page that has updates. */
export function updatesLink({ updates, title }: PageArtifact, path: string | null): Html | undefined {
  if (updates === undefined || path === null) return undefined
  return <link rel="alternate" type="application/rss+xml" title={title} href={encodePath(feedPath(path))} />
}
