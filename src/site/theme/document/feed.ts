import { sha256 } from '../../../lib/digest.ts'
import { leadingTextOf, renderRss, type FeedEntry } from '../../../lib/feeds.ts'
import { rebasablePieces, rebase } from '../../../lib/rebase.ts'
import { isTurnOver, nextTurn } from '../../../lib/slices.ts'
import { encodePath, feedPath } from '../../../lib/url-path.ts'
import type { PageArtifact, PageUpdate } from '../../page.ts'
import type { Shell } from '../../shell.ts'
import { encodeFragment } from './link.tsx'
import { writtenDate } from './written-date.ts'

/** Entries of a feed: readers keep what they have read. */
const mostEntries = 50
/** Longer descriptions are no version beside a title. */
const longestVersion = 60

export interface FeedRequest {
  /** Decoded, of the page. */
  readonly path: string
  readonly lang: string
  /** When the page was last changed, in seconds since 1970. */
  readonly updated?: number | undefined
  /** Entries have all of these. */
  readonly tags: readonly string[]
}

/** The updates of a page as RSS, the first of them. */
export async function renderFeed(shell: Shell, artifact: PageArtifact, request: FeedRequest): Promise<string> {
  const { path, lang, updated, tags } = request
  const pageUrl = shell.url + encodePath(path)
  const all = artifact.updates ?? []
  const ids = idsOf(all, pageUrl)
  const shown = all.filter((update) => tags.every((tag) => update.tags.includes(tag))).slice(0, mostEntries)
  const bodies = bodiesOf(artifact.html)
  const entries: FeedEntry[] = []
  for (const update of shown) {
    const url = `${pageUrl}#${encodeFragment(update.id)}`
    const html = await standing(bodies.get(update.id) ?? '', { siteUrl: shell.url, url: pageUrl, prefix: '' })
    const { description } = update
    const publishedAt = writtenDate(update.label, lang) ?? writtenDate(description ?? '', lang)
    const isVersion = update.title === undefined && description !== undefined && description.length <= longestVersion
    entries.push({
      id: ids.get(update) ?? url,
      title: update.title ?? update.label,
      ...(isVersion ? { version: description } : {}),
      tags: update.tags,
      html,
      text: update.summary ?? (leadingTextOf(html) || (description ?? update.label)),
      url,
      ...(publishedAt === undefined ? {} : { publishedAt }),
    })
  }
  const source = {
    name: artifact.title === shell.name ? shell.name : `${artifact.title} - ${shell.name}`,
    description: artifact.description ?? artifact.title,
    pageUrl,
    rssUrl: shell.url + encodePath(feedPath(path)),
    ...(updated === undefined ? {} : { updatedAt: new Date(updated * 1000) }),
  }
  return renderRss(source, entries)
}

/**
 * What readers know the updates by: their addresses. Of several with one label those change when another is added before
 * them, so they are known by what they say of themselves, counted from the last.
 */
function idsOf(updates: readonly PageUpdate[], pageUrl: string): ReadonlyMap<PageUpdate, string> {
  const labels = new Map<string, number>()
  for (const { label } of updates) labels.set(label, (labels.get(label) ?? 0) + 1)
  const seen = new Map<string, number>()
  const ids = new Map<PageUpdate, string>()
  for (const update of updates.toReversed()) {
    if (labels.get(update.label) === 1) continue
    const about = JSON.stringify([pageUrl, update.label, update.description, update.title])
    const count = (seen.get(about) ?? 0) + 1
    seen.set(about, count)
    ids.set(update, `urn:sha256:${sha256(`${about} ${count}`)}`)
  }
  return ids
}

/** HTML of each update by its id: sections as components write them, in one pass. */
function bodiesOf(html: string): ReadonlyMap<string, string> {
  const bodies = new Map<string, string>()
  const open: { readonly id: string | undefined; readonly start: number }[] = []
  for (const match of html.matchAll(/<section(?=[ >])([^>]*)>|<\/section>/g)) {
    const [tag, attributes = ''] = match
    if (tag !== '</section>') {
      const id = /^ class="q-update" id="([^"]*)"/.exec(attributes)?.[1]
      const start = id === undefined ? -1 : html.indexOf(bodyStart, match.index)
      open.push({ id: id === undefined ? undefined : unescaped(id), start: start + bodyStart.length })
      continue
    }
    const section = open.pop()
    if (section?.id !== undefined) bodies.set(section.id, html.slice(section.start, match.index - '</div>'.length))
  }
  return bodies
}

const bodyStart = '<div class="q-update-body">'
const unescaped = (id: string): string =>
  id
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

/** HTML of a part of the page as it may stand elsewhere. */
async function standing(html: string, context: Parameters<typeof rebase>[1]): Promise<string> {
  const pieces: string[] = []
  for (const piece of rebasablePieces(html)) {
    if (isTurnOver()) await nextTurn()
    pieces.push(rebase(piece.replaceAll(/<a class="q-heading-anchor"[^>]*><\/a>/g, ''), context))
  }
  return pieces.join('')
}
