import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { EntryChange, ReadEntry } from '../../../contract/changelog.ts'
import { contract } from '../../../contract/index.ts'
import { client, isFailure } from '../../client.ts'
import { entriesKey, entryQuery } from '../../queries/changelog.ts'
import { areSame, noWords, wordsOf, type EntryWords } from './entry-words.ts'
import { WordsKeeper, type KeptWords } from './kept-words.ts'

/** What a request says of when the entry is seen. */
export type Publication = Pick<EntryChange, 'is_draft' | 'published_at'>

interface Draft {
  readonly words: EntryWords
  /** As the service had it when these words began; undefined: nobody knows any more. */
  readonly base: EntryWords | undefined
  /** `updated_at` of that; null: the service has none. */
  readonly seen: string | null
}

export interface EntryDraft {
  readonly words: EntryWords
  readonly write: (change: Partial<EntryWords>) => void
  /** Something is typed that the service does not have. */
  readonly isDirty: boolean
  /** What this browser had kept when the page was opened was typed then. */
  readonly restoredAt: string | undefined
  /** False: what is typed is gone with the page. */
  readonly isKept: boolean
  /** Somebody else changed the entry while these words were written: as they have it. */
  readonly theirs: ReadEntry | undefined
  /** What both began from. */
  readonly base: EntryWords | undefined
  /** What both are together takes the place of theirs with the next save. Returns what brings the contest back. */
  readonly settle: (words: EntryWords) => () => void
  /** Forgets what is typed. Returns what brings it back. */
  readonly discard: () => () => void
  /** Throws what the service refuses; of `stale_entry` the other text is there then. */
  readonly save: (publication?: Publication) => Promise<ReadEntry>
  /**
   * Changes when an entry is seen, and nothing else: what is typed stays as it is, not saved. Throws as `save` does.
   * @param seen `updated_at` of the entry that the change is made of
   */
  readonly setPublication: (id: string, publication: Publication, seen: string) => Promise<ReadEntry>
}

function begin(entry: ReadEntry | undefined): Draft {
  const words = entry === undefined ? noWords : wordsOf(entry)
  return { words, base: words, seen: entry?.updated_at ?? null }
}

/** What was typed at an earlier time, made of what the entry was then. */
function restored(
  { words, base, seen }: KeptWords,
  entry: ReadEntry | undefined,
): Omit<Draft, 'base'> & Partial<Draft> {
  if (entry === undefined || entry.updated_at === seen) return { words, seen }
  return { words, seen, base }
}

interface DraftOptions {
  readonly slug: string
  readonly account: string
  /** What the words are kept under. */
  readonly keptAs: string
  /** As the service has it; undefined: it has none, and a save makes one. */
  readonly entry: ReadEntry | undefined
}

/** What is typed of an entry, kept in this browser until the service has it. */
export function useEntryDraft({ slug, account, keptAs, entry }: DraftOptions): EntryDraft {
  const queries = useQueryClient()
  const keeper = useMemo(() => new WordsKeeper(account, keptAs), [account, keptAs])
  const [kept] = useState(() => {
    const found = keeper.read()
    return found === undefined || areSame(found.words, begin(entry).words) ? undefined : found
  })
  const [restoredAt, setRestoredAt] = useState(kept?.at)
  const [isKept, setKept] = useState(true)
  const [draft, setDraft] = useState<Draft>(() => ({
    ...begin(entry),
    ...(kept === undefined ? {} : restored(kept, entry)),
  }))
  const isDirty = draft.base === undefined || !areSame(draft.words, draft.base)
  const isOld = entry !== undefined && entry.updated_at !== draft.seen
  // Nobody has typed anything: what is newer is simply shown.
  if (isOld && !isDirty) setDraft(begin(entry))

  const put = (next: Draft): void => {
    setDraft(next)
    const { words, base, seen } = next
    if (base !== undefined && areSame(words, base)) keeper.forget()
    else setKept(keeper.keep({ words, seen, ...(base === undefined ? {} : { base }) }))
  }
  /** Shows what the service made of the entry; of a refusal, what it has instead. */
  const answered = async (answer: Promise<ReadEntry>, id: string | undefined): Promise<ReadEntry> => {
    const saved = await answer.catch(async (error: unknown) => {
      if (id !== undefined && isFailure(error, 'stale_entry', 'not_found'))
        await queries.invalidateQueries({ queryKey: entryQuery(slug, id).queryKey })
      throw error
    })
    queries.setQueryData(entryQuery(slug, saved.id).queryKey, saved)
    void queries.invalidateQueries({ queryKey: [...entriesKey(slug), 'list'] })
    return saved
  }
  const save = async (publication: Publication = {}): Promise<ReadEntry> => {
    const sent = draft
    const saved = await answered(send(slug, { entry, draft: sent, publication }), entry?.id)
    keeper.forget()
    setRestoredAt(undefined)
    setDraft(({ words }) => {
      // What was typed meanwhile is not saved yet.
      const next = { ...begin(saved), ...(words === sent.words ? {} : { words }) }
      const { base, seen } = next
      if (words !== sent.words) new WordsKeeper(account, saved.id).keep({ words, seen, ...(base && { base }) })
      return next
    })
    return saved
  }
  const setPublication: EntryDraft['setPublication'] = async (id, publication, seen) => {
    const body = { id, ...publication, if_updated_at: seen }
    const saved = await answered(client.call(contract.changelog.update, { params: { slug }, body }), id)
    // Nobody else wrote meanwhile, so what is typed begins from the entry as it is now: also where this page is gone.
    new WordsKeeper(account, id).rebase(seen, saved.updated_at)
    setDraft((now) => (now.seen === seen ? { ...now, seen: saved.updated_at } : now))
    return saved
  }

  return {
    words: draft.words,
    write: (change) => put({ ...draft, words: { ...draft.words, ...change } }),
    isDirty,
    restoredAt,
    isKept,
    theirs: isOld && isDirty ? entry : undefined,
    base: draft.base,
    settle: (words) => {
      if (entry !== undefined) put({ words, base: wordsOf(entry), seen: entry.updated_at })
      return () => put(draft)
    },
    discard: () => {
      put(begin(entry))
      setRestoredAt(undefined)
      return () => put(draft)
    },
    save,
    setPublication,
  }
}

interface SendOptions {
  readonly entry: ReadEntry | undefined
  readonly draft: Draft
  readonly publication: Publication
}

function send(slug: string, { entry, draft, publication }: SendOptions): Promise<ReadEntry> {
  const { title, version, tags, content } = draft.words
  const params = { slug }
  if (entry === undefined) {
    const body = { title, content, tags: [...tags], ...(version === '' ? {} : { version }), ...publication }
    return client.call(contract.changelog.create, { params, body })
  }
  const body = {
    id: entry.id,
    ...(draft.base !== undefined && areSame(draft.words, draft.base)
      ? {}
      : { title, content, tags: [...tags], version: version === '' ? null : version }),
    ...publication,
    ...(draft.seen === null ? {} : { if_updated_at: draft.seen }),
  }
  return client.call(contract.changelog.update, { params, body })
}
