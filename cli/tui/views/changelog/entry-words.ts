import type { Entry } from '#contract/changelog.ts'
import type { ErrorDetail } from '#contract/common.ts'
import { Failure } from '#contract/failure.ts'
import { count } from '#cli/output.ts'
import { span } from '../../canvas/lines.ts'
import type { Color, Line } from '../../canvas/style.ts'
import { shown } from '../../canvas/width.ts'
import type { DraftState } from '../../data/drafts/draft.ts'
import type { Marker } from '#authoring/language.ts'

const states: Readonly<Record<DraftState, readonly [text: string, color: Color]>> = {
  saved: ['saved', 'success'],
  changed: ['not saved, kept here', 'warning'],
  saving: ['saving …', 'muted'],
  waiting: ['waits for the connection, kept here', 'warning'],
  conflict: ['somebody else changed it: Ctrl-S', 'danger'],
}

/** How an entry that is written stands: `812 words · draft · saved`. */
export function entryStatus(of: {
  readonly words: number | undefined
  readonly entry: Pick<Entry, 'status'> | undefined
  readonly state: DraftState
}): Line {
  const { words, entry, state } = of
  const [text, color] = states[state]
  const counted = words === undefined ? '' : `${count(words, 'word')} · `
  return [span(`${counted}${entry?.status ?? 'draft'} · `, { color: 'muted' }), span(text, { color })]
}

/** What was said of lines of the text. */
export function markersOf(errors: readonly ErrorDetail[]): readonly Marker[] {
  return errors.flatMap(({ line, message }) =>
    line === undefined ? [] : [{ line: line - 1, severity: 'error' as const, message }],
  )
}

export function savedText(entry: Entry | undefined): string {
  if (entry?.status === 'published') return 'Saved: readers see it.'
  if (entry?.status === 'scheduled') return 'Saved: it appears at its time.'
  return `Saved${entry === undefined ? '' : ` “${shown(entry.title)}”`} as a draft. Alt-P publishes it.`
}

/** A refusal that calls the entry what people call it, not by the key of its draft. */
export function inWords(error: unknown, key: string): unknown {
  if (!(error instanceof Failure) || !error.message.includes(key)) return error
  const { code, hint, errors, extra, retryAfter } = error
  return new Failure(code, entryNamed(error.message, key), {
    ...(hint === undefined ? {} : { hint }),
    errors,
    extra,
    ...(retryAfter === undefined ? {} : { retryAfter }),
    cause: error,
  })
}

export function entryNamed(text: string, key: string): string {
  return text.replace(key, 'The entry')
}
