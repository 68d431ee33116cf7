import { entryLimits } from '../contract/changelog.ts'
import { Failure } from '../contract/failure.ts'
import type { TextRenderer } from '../site/text.ts'
import type { EntryTexts } from './entry.ts'

/** What a client wrote of an entry. */
export type WrittenEntry = Omit<EntryTexts, 'html' | 'renderer'>

/** Errors that the message names. */
const namedErrors = 3
const minute = 60_000

/** Milliseconds until a refused entry is rendered again: twice as many each time. */
const firstWaitMs = 10 * minute
const longestWaitMs = 24 * 60 * minute

/**
 * The texts of an entry with their HTML. Throws Failure `request_too_large`, or `invalid_content` with every place that is
 * wrong, and the reason of the signal when nobody waits for it any more.
 */
export async function render(
  renderer: TextRenderer,
  project: string,
  written: WrittenEntry,
  signal?: AbortSignal,
): Promise<EntryTexts> {
  const { title, content } = written
  const bytes = Buffer.byteLength(content, 'utf8')
  if (bytes > entryLimits.contentBytes) {
    const message = `has ${bytes} bytes; at most ${entryLimits.contentBytes} are allowed`
    throw new Failure('request_too_large', `The content of the entry ${message}.`, {
      hint: 'Put the long part on a page of the documentation and link to it.',
      errors: [{ pointer: '/content', message }],
    })
  }
  const outcome = await renderer.render({
    project,
    title,
    text: content,
    ...(signal === undefined ? {} : { signal }),
  })
  if (outcome.ok) return { ...written, html: outcome.html, renderer: renderer.fingerprint }
  const errors = outcome.errors.map((error) => ({ ...error, pointer: '/content' }))
  const places = errors.slice(0, namedErrors).map(({ line, column, message }) => {
    const place = line === undefined ? '' : `line ${line}${column === undefined ? '' : `, column ${column}`}: `
    return place + message
  })
  throw new Failure('invalid_content', `The content of the entry cannot be shown. ${places.join(' ')}`, {
    hint: outcome.isMdx
      ? 'It uses a component, so it must be valid MDX. Without components any Markdown is.'
      : 'Make it shorter or simpler, or put it on a page of the documentation and link to it.',
    errors,
  })
}

/**
 * Entries of one changelog that the renderer of today refuses: for what they hold, or because it was too busy to end in
 * time. Nobody can tell, so they are tried again, ever more rarely. Times are milliseconds since 1970.
 */
export class RefusedEntries {
  readonly #known = new Map<string, { readonly tries: number; readonly until: number }>()

  /** Whether an entry was refused not long ago. */
  isRefused(id: string, now: number): boolean {
    return (this.#known.get(id)?.until ?? 0) > now
  }

  /** How many are to be tried again now. */
  due(now: number): number {
    return [...this.#known.values()].filter(({ until }) => until <= now).length
  }

  add(id: string, now: number): void {
    const tries = (this.#known.get(id)?.tries ?? 0) + 1
    this.#known.set(id, { tries, until: now + Math.min(firstWaitMs * 2 ** (tries - 1), longestWaitMs) })
  }

  /** Whether it was there. */
  remove(id: string): boolean {
    return this.#known.delete(id)
  }
}
