import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { EntryStatus } from '../../contract/changelog.ts'
import { contract } from '../../contract/index.ts'
import { client } from '../client.ts'
import { listQuery } from './list.ts'

export interface EntryFilter {
  readonly status?: EntryStatus | undefined
  readonly tag?: string | undefined
  /** Words that are looked for in all entries; empty: none. */
  readonly find?: string
  /** Of a page, at most. Absent: as many as the service gives. */
  readonly limit?: number
}

/** Whatever is known of a project’s entries. */
export function entriesKey(slug: string) {
  return ['project', slug, 'entries'] as const
}

/** Entries with their whole text, newest first. */
export function entriesQuery(slug: string, { status, tag, find = '', limit }: EntryFilter = {}) {
  const filter = {
    ...(status === undefined ? {} : { status }),
    ...(tag === undefined ? {} : { tag }),
    ...(find === '' ? {} : { q: find }),
    ...(limit === undefined ? {} : { limit }),
  }
  return listQuery([...entriesKey(slug), 'list', filter], (cursor, signal) =>
    client.call(contract.changelog.list, { params: { slug }, query: { ...filter, ...cursor }, signal }),
  )
}

/** The newest entry, be it a draft. */
export function latestEntryQuery(slug: string) {
  return queryOptions({
    queryKey: [...entriesKey(slug), 'list', 'latest'],
    queryFn: async ({ signal }) =>
      (await client.call(contract.changelog.list, { params: { slug }, query: { limit: 1 }, signal })).items[0] ?? null,
  })
}

export function entryQuery(slug: string, id: string) {
  return queryOptions({
    queryKey: [...entriesKey(slug), 'entry', id],
    queryFn: ({ signal }) => client.call(contract.changelog.read, { params: { slug, id }, signal }),
  })
}

/** What a text would look like. The service renders it: its answer to one text stays the same. */
export function entryPreviewQuery(slug: string, title: string, content: string) {
  return queryOptions({
    queryKey: ['project', slug, 'entry-preview', title, content],
    queryFn: ({ signal }) =>
      client.call(contract.changelog.preview, {
        params: { slug },
        body: { content, ...(title.trim() === '' ? {} : { title }) },
        signal,
      }),
    enabled: content.trim() !== '',
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    // Each pause in typing is a text of its own.
    gcTime: 30_000,
    retry: false,
  })
}

/** Addresses for feed readers, with what each is called. */
export function feedsOf(slug: string): readonly (readonly [name: string, url: string])[] {
  const address = (path: string): string => location.origin + path.replace(':slug', slug)
  return [
    ['RSS', address(contract.feeds.rss.path)],
    ['Atom', address(contract.feeds.atom.path)],
    ['JSON', address(contract.feeds.json.path)],
  ]
}
