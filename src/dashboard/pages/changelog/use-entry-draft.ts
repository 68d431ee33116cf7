import { useQueryClient } from '@tanstack/react-query'
import pLimit from 'p-limit'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { EntryChange, ReadEntry } from '#contract/changelog.ts'
import { contract } from '#contract/index.ts'
import { client, isFailure } from '../../client.ts'
import { areSame, noWords, withTags, wordsOf, type EntryWords } from '../../drafts/entry-words.ts'
import { EntryDraftStore, type KeptEntry } from '../../drafts/entry-drafts.ts'
import { entriesKey, entryQuery } from '../../queries/changelog.ts'

/** What a request says of when the entry is seen. */
export type Publication = Pick<EntryChange, 'is_draft' | 'published_at'>

interface Draft {
  readonly words: EntryWords
  /** As the service had it when these words began; undefined: nobody knows any more. */
  readonly base: EntryWords | undefined
  /** `updated_at` of that; null: the service has none. */
  readonly seen: string | null
  /** Something of it was typed in this tab. */
  readonly isOwn: boolean
  /** What a save has made of it, until the page has it. */
  readonly made?: ReadEntry
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
  /** What was typed in another tab meanwhile, and is kept in place of these words. */
  readonly elsewhere: KeptEntry | undefined
  /** Shows what was typed there in place of what is here. Returns what brings that back. */
  readonly take: () => () => void
  /** Keeps what is here in place of it. */
  readonly insist: () => void
  /** Somebody else changed the entry while these words were written: as they have it. */
  readonly theirs: ReadEntry | undefined
  /** What both began from. */
  readonly base: EntryWords | undefined
  /** What both are together takes the place of theirs with the next save. Returns what brings the conflict back. */
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
  return { words, base: words, seen: entry?.updated_at ?? null, isOwn: false }
}

/** What was typed at an earlier time or in another tab, made of what the entry was then. */
function restored({ words, base, seen }: KeptEntry, entry: ReadEntry | undefined): Draft {
  const isOfThis = entry === undefined || entry.updated_at === seen
  return { words, base: isOfThis ? begin(entry).base : base, seen, isOwn: false }
}

function isTyped({ words, base }: Draft): boolean {
  return base === undefined || !areSame(words, base)
}

/** What is kept of a draft. */
function partOf({ words, base, seen }: Draft): Omit<KeptEntry, 'at'> {
  return { words, seen, ...(base === undefined ? {} : { base }) }
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
  const [keeper] = useState(() => new EntryDraftStore(account, keptAs))
  const [kept] = useState(() => {
    const found = keeper.read()
    return found === undefined || areSame(found.words, begin(entry).words) ? undefined : found
  })
  const [restoredAt, setRestoredAt] = useState(kept?.at)
  const [isKept, setKept] = useState(true)
  const [elsewhere, setElsewhere] = useState<KeptEntry>()
  const [draft, setDraft] = useState<Draft>(() => (kept === undefined ? begin(entry) : restored(kept, entry)))
  const isDirty = isTyped(draft)
  const isOld = entry !== undefined && entry.updated_at !== draft.seen
  if (entry !== undefined && draft.made !== undefined) {
    const { made: _, ...rest } = draft
    setDraft(rest)
  }
  // Nobody has typed anything, or another tab has saved just this: what is newer is simply shown.
  else if (isOld && (!isDirty || areSame(draft.words, wordsOf(entry)))) setDraft(begin(entry))
  // Only when it is seen was changed: that is no other text.
  else if (isOld && draft.base !== undefined && areSame(draft.base, wordsOf(entry)))
    setDraft({ ...draft, seen: entry.updated_at })
  // What is typed between an answer and the page that shows it is typed into what was answered.
  const latest = useRef({ draft, entry })
  useLayoutEffect(() => {
    latest.current = { draft, entry: entry ?? draft.made }
  })
  const show = (next: Draft): void => {
    latest.current = { draft: next, entry: latest.current.entry ?? next.made }
    setDraft(next)
  }

  // Tabs follow each other, until something is typed in both: then whoever types chooses.
  useEffect(() => {
    const refresh = ({ id }: ReadEntry) => void queries.invalidateQueries({ queryKey: entryQuery(slug, id).queryKey })
    const follow = (): void => {
      if (!keeper.isOther) return
      const { draft: mine, entry: current } = latest.current
      const before = keeper.known
      const found = keeper.unseen()
      if (found === undefined) {
        // It was saved or discarded there.
        keeper.read()
        setElsewhere(undefined)
        if (current !== undefined) refresh(current)
        if (!mine.isOwn) setDraft(begin(current))
        else if (isTyped(mine) && !areSame(mine.words, before?.words ?? noWords)) setKept(keeper.keep(partOf(mine)))
      } else if (!mine.isOwn || areSame(found.words, mine.words)) {
        keeper.read()
        setElsewhere(undefined)
        setDraft({ ...restored(found, current), isOwn: mine.isOwn })
        // Its date may be another one: that is no other text.
        if (current !== undefined && current.updated_at !== found.seen) refresh(current)
      } else setElsewhere(found)
    }
    addEventListener('storage', follow)
    // A tab that was at rest may not have been told.
    addEventListener('focus', follow)
    return () => {
      removeEventListener('storage', follow)
      removeEventListener('focus', follow)
    }
  }, [keeper, queries, slug])

  const put = (next: Draft): void => {
    show(next)
    const other = keeper.unseen()
    if (other !== undefined && !areSame(other.words, next.words)) {
      setElsewhere(other)
      return
    }
    setElsewhere(undefined)
    keeper.read()
    if (isTyped(next)) setKept(keeper.keep(partOf(next)))
    else keeper.forget()
  }
  /** In place of whatever another tab has kept. */
  const putAnyway = (next: Draft): void => {
    keeper.read()
    put(next)
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
  // One after the other: what a first save makes, a second one changes.
  const [inOrder] = useState(() => pLimit(1))
  const saveNow = async (publication: Publication): Promise<ReadEntry> => {
    const { draft: sent, entry: known } = latest.current
    const saved = await answered(send(slug, { entry: known, draft: sent, publication }), known?.id)
    keeper.forget()
    if (known === undefined) keeper.moveTo(saved.id)
    setRestoredAt(undefined)
    // What was typed meanwhile is not saved yet.
    const { words, isOwn } = latest.current.draft
    const typed = words === sent.words ? {} : { words, isOwn }
    const next = { ...begin(saved), ...typed, ...(known === undefined ? { made: saved } : {}) }
    if (isTyped(next) && !keeper.isOther) keeper.keep(partOf(next))
    show(next)
    return saved
  }
  const save = (publication: Publication = {}): Promise<ReadEntry> => inOrder(() => saveNow(publication))
  const setPublication: EntryDraft['setPublication'] = async (id, publication, seen) => {
    const body = { id, ...publication, if_updated_at: seen }
    const saved = await answered(client.call(contract.changelog.update, { params: { slug }, body }), id)
    // Nobody else wrote meanwhile, so what is typed begins from the entry as it is now: also where this page is gone.
    const ofChanged = id === entry?.id ? keeper : new EntryDraftStore(account, id)
    ofChanged.rebase(seen, saved.updated_at)
    setDraft((now) => (now.seen === seen ? { ...now, seen: saved.updated_at } : now))
    return saved
  }

  return {
    words: draft.words,
    write: (change) => {
      const { draft: now } = latest.current
      put({ ...now, words: { ...now.words, ...change }, isOwn: true })
    },
    isDirty,
    restoredAt,
    isKept,
    elsewhere,
    take: () => {
      const found = keeper.read()
      setElsewhere(undefined)
      setDraft(found === undefined ? begin(entry) : restored(found, entry))
      return () => putAnyway(draft)
    },
    insist: () => putAnyway(draft),
    theirs: isOld && isDirty ? entry : undefined,
    base: draft.base,
    settle: (words) => {
      if (entry !== undefined) put({ words, base: wordsOf(entry), seen: entry.updated_at, isOwn: true })
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
  // A tag that is still being typed is meant to be one.
  const { title, version, tags, content } = withTags(draft.words, draft.words.newTag)
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
