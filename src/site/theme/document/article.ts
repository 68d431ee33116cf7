import { escapeHtml } from '../../html.ts'
import type { Heading, PageArtifact } from '../../page.ts'
import type { Place } from '../../shell.ts'
import { encodeFragment } from './href.ts'
import { ICONS } from './icons.ts'
import { openLink } from './link.ts'

/** Fewer headings need no contents list. */
const WORTH_LISTING = 2

/** The article: where it stands, title, lead, body, and the way on. */
export function renderArticle(artifact: PageArtifact, place: Place | undefined, contents: string): string {
  const blank = artifact.mode === 'custom' || artifact.mode === 'frame'
  if (blank) return `<article class="q-prose">${artifact.html}</article>`
  const lead = artifact.description === undefined ? '' : `<p class="q-lead">${escapeHtml(artifact.description)}</p>`
  const small =
    contents === ''
      ? ''
      : `<details class="q-contents-small"><summary>${ICONS.list}<span>On this page</span>${ICONS.chevron}</summary>${contents}</details>`
  return (
    `<article><header class="q-head">${eyebrow(place)}<h1 class="q-title">${escapeHtml(artifact.title)}</h1>${lead}</header>` +
    `${small}<div class="q-prose">${artifact.html}</div></article>${pager(place)}`
  )
}

/** Entries of the contents list, levels 2 and 3; empty when there is too little to list or the page wants none. */
export function renderContents(artifact: PageArtifact): string {
  if (artifact.mode !== undefined && artifact.mode !== 'default') return ''
  const headings = artifact.headings.filter(({ level }) => level === 2 || level === 3)
  if (headings.length < WORTH_LISTING) return ''
  return `<ul class="q-contents-list">${headings.map(entry).join('')}</ul>`
}

function entry({ id, level, text }: Heading): string {
  return `<li class="q-l${level === 3 ? 3 : 2}"><a href="#${escapeHtml(encodeFragment(id))}">${escapeHtml(text)}</a></li>`
}

function eyebrow(place: Place | undefined): string {
  if (place === undefined || place.trail.length === 0) return ''
  return `<p class="q-eyebrow">${place.trail.map((title) => `<span>${escapeHtml(title)}</span>`).join(ICONS.chevron)}</p>`
}

function pager(place: Place | undefined): string {
  if (place?.previous === undefined && place?.next === undefined) return ''
  const { previous, next } = place
  return (
    '<nav class="q-pager" aria-label="Previous and next page">' +
    (previous === undefined
      ? ''
      : `${openLink(previous.href, { class: 'q-pager-previous', rel: 'prev' })}${ICONS.previous}<span><small>Previous</small>${escapeHtml(previous.title)}</span></a>`) +
    (next === undefined
      ? ''
      : `${openLink(next.href, { class: 'q-pager-next', rel: 'next' })}<span><small>Next</small>${escapeHtml(next.title)}</span>${ICONS.next}</a>`) +
    '</nav>'
  )
}
