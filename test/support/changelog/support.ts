import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { projectDocument, projectPrefix } from '#projects/document.ts'
import { Changelog } from '#changelog/changelog.ts'
import { entriesStream, type ProjectEntries } from '#changelog/entries.ts'
import type { Announcer, ChangelogDocument, PublishedEvent } from '#changelog/ports.ts'
import { openStore } from '#storage/documents/document-files.ts'
import { FileRecords } from '#storage/records/file-records.ts'
import type { Records } from '#storage/records.ts'
import type { Store } from '#storage/store.ts'
import type { TextRenderer } from '#site/text.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

export const start = Date.UTC(2026, 10, 21, 12)

/** Puts a text between paragraphs; `broken` does not render. */
export class FakeTexts implements TextRenderer {
  fingerprint = 'first'
  renders = 0

  render({ text }: { readonly text: string }): ReturnType<TextRenderer['render']> {
    this.renders += 1
    const errors = [{ line: 2, column: 5, message: 'It is broken.' }]
    return Promise.resolve(
      text.includes('broken') ? { ok: false, errors, isMdx: true } : { ok: true, html: `<p>${text}</p>` },
    )
  }
}

/** Streams of a directory, whose erasures all succeed. */
export function openRecords(directory: string): FileRecords {
  return new FileRecords({
    directory,
    onError: (_project, error) => {
      throw error
    },
  })
}

/** Looks at the entries of a project that nobody has open. */
export async function lookAt(
  directory: string,
  slug: string,
  look: (entries: ProjectEntries) => Promise<void>,
): Promise<void> {
  const records = openRecords(directory)
  await records.use(slug, entriesStream, look)
  await records.close()
}

export interface ChangelogRoom {
  readonly directory: string
  readonly store: Store
  readonly records: Records
  readonly changelog: Changelog
  readonly texts: FakeTexts
  /** What was recorded, by what is in the documents; each with how often. */
  readonly events: PublishedEvent[]
  readonly woken: string[]
  readonly errors: unknown[]
  readonly now: () => Date
  readonly pass: (milliseconds: number) => void
  /** Ends the room and opens another one on the same data. */
  reopen(): Promise<ChangelogRoom>
}

/** The changelog room over a real store and real files, with a clock that stands still and a project `docs`. */
export async function openRoom(
  options: {
    readonly directory?: string
    readonly time?: number
    readonly failing?: () => boolean
    /** In the place of one that only remembers. */
    readonly announcer?: Announcer
  } = {},
): Promise<ChangelogRoom> {
  const { directory = await temporaryDirectory(), failing = () => false } = options
  let time = options.time ?? start
  const now = (): Date => new Date(time)
  const store = await openStore({ directory, release: async () => undefined })
  await store.mutate<ChangelogDocument, void>(projectDocument('docs'), (draft) => ({
    document: draft ?? { slug: 'docs', title: 'Docs' },
    result: undefined,
  }))
  const errors: unknown[] = []
  const records = new FileRecords({ directory, onError: (_slug, error) => void errors.push(error) })
  const texts = new FakeTexts()
  const events: PublishedEvent[] = []
  const woken: string[] = []
  const changelog = new Changelog({
    store,
    now,
    records,
    documentOf: projectDocument,
    documentPrefix: projectPrefix,
    renderer: texts,
    siteUrl: (slug) => `https://${slug}.example.net`,
    pageUrl: (slug) => `https://app.example.com/dashboard/${slug}/changelog`,
    announcer: options.announcer ?? {
      record: (_document, event) => {
        if (failing()) throw new Error('the outbox is closed')
        events.push(event)
      },
      wake: (slug) => void woken.push(slug),
    },
    log: { error: (details) => void errors.push(details['err']) },
  })
  await changelog.load()
  let open = true
  const close = async (): Promise<void> => {
    if (!open) return
    open = false
    await changelog.close()
    await records.close()
    await store.close()
  }
  onTestFinished(close)
  return {
    directory,
    store,
    records,
    changelog,
    texts,
    events,
    woken,
    errors,
    now,
    pass: (milliseconds) => void (time += milliseconds),
    reopen: async () => {
      await close()
      return openRoom({ directory, time })
    },
  }
}

/** Lets the timer, which a load sets anew, announce what is due in `docs`. */
export async function announceDue(changelog: Changelog): Promise<void> {
  await changelog.load()
  await sleep(20)
  // This waits its turn behind the announcements.
  await changelog.remove('docs', 'none').catch(() => undefined)
}
