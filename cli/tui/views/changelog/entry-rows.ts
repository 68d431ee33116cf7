import type { Entry } from '#contract/changelog.ts'
import { span, wrapText } from '../../canvas/lines.ts'
import type { Color, Line, Span } from '../../canvas/style.ts'
import { shown } from '../../canvas/width.ts'
import type { Entries, UnsavedEntry } from '../../data/entries.ts'
import { agoText } from '../shared/age.ts'
import { factLines } from '../shared/facts.ts'
import { row } from '../shared/row.ts'
import { distanceText, whenText } from './when.ts'

/** An entry of the service, what is written here and not saved, or both of one. */
export interface EntryItem {
  readonly key: string
  readonly entry: Entry | undefined
  readonly unsaved: UnsavedEntry | undefined
}

/** Lines of the text that are shown beside the list. */
const mostLines = 200
/** Characters of it that are looked at for them. */
const mostText = 20_000

const colors: Readonly<Record<Entry['status'], Color>> = {
  draft: 'warning',
  scheduled: 'accent',
  published: 'success',
}

/** What is only here first, then those of the service in their order. */
export function entryItems(
  listed: readonly Entry[],
  unsaved: readonly UnsavedEntry[],
  keyOf: Entries['keyOf'],
): readonly EntryItem[] {
  const kept = new Map(unsaved.map((one) => [one.key, one]))
  const items = listed.map((entry): EntryItem => ({
    key: keyOf(entry.id),
    entry,
    unsaved: kept.get(keyOf(entry.id)),
  }))
  const known = new Set(items.map(({ key }) => key))
  const onlyHere = unsaved.filter(({ key }) => !known.has(key))
  return [...onlyHere.map((one): EntryItem => ({ key: one.key, entry: undefined, unsaved: one })), ...items]
}

export function titleOf({ entry, unsaved }: EntryItem): string {
  const title = unsaved?.title ?? entry?.title ?? ''
  return title.trim() === '' ? 'Without a title' : shown(title)
}

export function entryRow(item: EntryItem, width: number): Line {
  const { entry, unsaved } = item
  const status = entry?.status ?? 'draft'
  return row(width, [
    { line: [span(status, { color: colors[status] })], width: 9 },
    { line: [span(titleOf(item))] },
    { line: [span(shown(entry?.version ?? ''), { color: 'muted' })], width: 10, from: 58 },
    {
      line: [unsaved === undefined ? span(dateOf(item), { color: 'muted' }) : unsavedMark(unsaved)],
      width: 14,
      right: true,
    },
  ])
}

function unsavedMark({ waiting }: UnsavedEntry): Span {
  return span(waiting ? 'to be sent' : 'not saved', { color: 'warning' })
}

export function entryWords(item: EntryItem): string {
  const { entry, unsaved } = item
  const words = [
    entry?.status ?? 'draft',
    titleOf(item),
    shown(entry?.version ?? ''),
    ...(entry?.tags.map(shown) ?? []),
  ]
  return [...words, unsaved === undefined ? '' : 'not saved'].filter((word) => word !== '').join(' ')
}

function dateOf({ entry, unsaved }: EntryItem): string {
  if (entry === undefined) return agoText(unsaved?.changedAt ?? new Date())
  const { status, published_at: at, updated_at: updated } = entry
  return status === 'scheduled' && at !== undefined ? distanceText(new Date(at)) : agoText(at ?? updated)
}

/** All there is to say of an entry, and the beginning of its text as it was written. */
export function entryDetails({ entry, unsaved }: EntryItem, width: number): readonly Line[] {
  const facts = factLines(
    [
      unsaved === undefined ? undefined : { name: 'Here', text: unsavedText(unsaved), style: { color: 'warning' } },
      ...(entry === undefined ? [] : factsOf(entry)),
    ],
    width,
  )
  const text = (entry?.content ?? '').slice(0, mostText).split('\n', mostLines)
  return [...facts, [], ...text.flatMap((line) => wrapText(shown(line), width).map((piece) => [span(piece)]))]
}

function factsOf({ status, version, tags, published_at: at, updated_at: updated, url }: Entry) {
  const time = at === undefined ? undefined : new Date(at)
  const when = { draft: 'Was published', scheduled: 'Appears', published: 'Published' }[status]
  return [
    { name: 'State', text: status, style: { color: colors[status] } },
    version === undefined ? undefined : { name: 'Version', text: version },
    tags.length === 0 ? undefined : { name: 'Tags', text: tags.join(', ') },
    time === undefined ? undefined : { name: when, text: `${whenText(time)}, ${distanceText(time)}` },
    { name: 'Changed', text: agoText(updated) },
    status === 'published' ? { name: 'Address', text: url } : undefined,
  ]
}

function unsavedText({ waiting, elsewhere, changedAt }: UnsavedEntry): string {
  if (elsewhere) return 'Another terminal works on it, with text that is not saved.'
  if (waiting) return 'Your text waits for the connection.'
  return `Text of ${agoText(changedAt)} that is not saved: Enter goes on with it.`
}
