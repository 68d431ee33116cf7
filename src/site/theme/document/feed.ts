import { sha256 } from '#lib/digest.ts'
import { leadingTextOf, maxContent, renderRss, type FeedEntry } from '#lib/feeds.ts'
import { rebasablePieces, rebase } from '#lib/rebase.ts'
import { isTurnOver, nextTurn } from '#lib/slices.ts'
import { encodePath, feedPath } from '#lib/url-path.ts'
import { interfaceLanguage } from '../../languages.ts'
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
  const bodies = await bodiesOf(artifact.html, shown)
  const language = interfaceLanguage(lang)
  const entries: FeedEntry[] = []
  // Updates within each other have the same text many times.
  let room = maxContent
  for (const update of shown) {
    const url = `${pageUrl}#${encodeFragment(update.id)}`
    const body = bodies.get(update.id) ?? ''
    room -= body.length
    const html = room < 0 ? '' : await standing(body, { siteUrl: shell.url, url: pageUrl, prefix: '' })
    const { description } = update
    const publishedAt = writtenDate(update.label, language) ?? writtenDate(description ?? '', language)
    const isVersion = update.title === undefined && description !== undefined && description.length <= longestVersion
    entries.push({
      id: ids.get(update) ?? url,
      title: update.title ?? update.label,
      ...(isVersion ? { version: description } : {}),
      tags: update.tags,
      html,
      text: update.summary ?? (leadingTextOf(body) || (description ?? update.label)),
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

/** HTML of each update by its id: sections as components write them, in one pass. Authors may write such a section, too. */
async function bodiesOf(html: string, updates: readonly PageUpdate[]): Promise<ReadonlyMap<string, string>> {
  const ids = new Set(updates.map(({ id }) => id))
  const bodies = new Map<string, string>()
  const open: { readonly id: string | undefined; start: number | undefined }[] = []
  for (const match of html.matchAll(parts)) {
    if (isTurnOver()) await nextTurn()
    const [tag, attributes = ''] = match
    const top = open.at(-1)
    if (tag === bodyStart) {
      if (top?.id !== undefined) top.start ??= match.index + tag.length
    } else if (tag !== '</section>') {
      const id = unescaped(/^ class="q-update" id="([^"]*)"/.exec(attributes)?.[1] ?? '')
      open.push({ id: ids.has(id) ? id : undefined, start: undefined })
    } else {
      open.pop()
      if (top?.id !== undefined && top.start !== undefined && !bodies.has(top.id))
        bodies.set(top.id, html.slice(top.start, match.index - '</div>'.length))
    }
  }
  return bodies
}

const parts = /<section(?=[ >])([^>]*)>|<\/section>|<div class="q-update-body">/g
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
