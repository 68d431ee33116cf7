import { Type, type Static } from 'typebox'
import { ListQuery, Slug, SlugParams, Timestamp, listOf } from './common.ts'
import { endpoint } from './endpoint.ts'
import { patterns } from './patterns.ts'

/** Sizes are characters where nothing else is said. */
export const entryLimits = {
  title: 200,
  version: 100,
  tag: 50,
  /** Tags of an entry. */
  tags: 20,
  /** Bytes of the Markdown, UTF-8: 1 MB (10⁶). */
  contentBytes: 1_000_000,
  /** Content of all entries in one answer of the list, bytes of UTF-8; a page ends early rather than hold more. */
  listBytes: 8_000_000,
  /** Text that is looked for. */
  search: 200,
  /** Entries that one page of a search looks through, and of their content at most `listBytes`. */
  searched: 200,
} as const

const oneLine = patterns.line.pattern

/** What guards a change of an entry. */
const IfUpdatedAt = Type.Optional({
  ...Timestamp,
  description: 'The `updated_at` that the change is made of: refused with `stale_entry` when it is another one now',
})
const EntryId = Type.String({ minLength: 1, maxLength: 64, description: 'A UUID' })
const Title = Type.String({
  minLength: 1,
  maxLength: entryLimits.title,
  pattern: oneLine,
  examples: ['Faster search'],
})
const Content = Type.String({
  minLength: 1,
  maxLength: entryLimits.contentBytes,
  pattern: patterns.written.pattern,
  description:
    'Markdown (CommonMark and GFM), at most 1 MB. Where it uses one of the components of pages (`<Note>`, `<Steps>`, ' +
    '`<Tabs>` …) it is read as MDX and must compile; it imports nothing and no code of it runs.',
})
const Version = Type.String({ minLength: 1, maxLength: entryLimits.version, pattern: oneLine, examples: ['2.4.0'] })
const Tags = Type.Array(Type.String({ minLength: 1, maxLength: entryLimits.tag, pattern: oneLine }), {
  maxItems: entryLimits.tags,
  uniqueItems: true,
})
const PublishedAt = {
  ...Timestamp,
  description:
    'When it was or will be published. In the future: the entry is scheduled, and appears on page and feeds at that time',
}

/** `scheduled` is a published entry (`is_draft` is false) whose time has not come. */
export const EntryStatus = Type.Union([Type.Literal('draft'), Type.Literal('scheduled'), Type.Literal('published')])
export type EntryStatus = Static<typeof EntryStatus>

export const Entry = Type.Object({
  id: EntryId,
  title: Title,
  content: Content,
  version: Type.Optional(Version),
  tags: Tags,
  is_draft: Type.Boolean(),
  status: EntryStatus,
  published_at: Type.Optional(PublishedAt),
  created_at: Timestamp,
  updated_at: Timestamp,
  url: Type.String({ description: 'Its own page; there for everybody while it is published' }),
})
export type Entry = Static<typeof Entry>

export const ReadEntry = Type.Object({
  ...Entry.properties,
  html: Type.String({ description: 'The content as safe HTML; its addresses are absolute' }),
})
export type ReadEntry = Static<typeof ReadEntry>

export const NewEntry = Type.Object({
  title: Title,
  content: Content,
  version: Type.Optional(Version),
  tags: Type.Optional(Tags),
  is_draft: Type.Optional(Type.Boolean({ default: true })),
  published_at: Type.Optional(PublishedAt),
})
export type NewEntry = Static<typeof NewEntry>

export const EntryChange = Type.Object({
  id: EntryId,
  title: Type.Optional(Title),
  content: Type.Optional(Content),
  version: Type.Optional(Type.Union([Version, Type.Null()], { description: '`null` takes it away' })),
  tags: Type.Optional(Tags),
  is_draft: Type.Optional(Type.Boolean()),
  published_at: Type.Optional(PublishedAt),
  if_updated_at: IfUpdatedAt,
})
export type EntryChange = Static<typeof EntryChange>

/** What an entry would look like that nobody has saved. */
export const EntryPreview = Type.Object({
  title: Type.Optional({ ...Title, description: 'A first heading that says the same is not shown again' }),
  content: Content,
})
export type EntryPreview = Static<typeof EntryPreview>

export const PreviewedEntry = Type.Object({ html: ReadEntry.properties.html })
export type PreviewedEntry = Static<typeof PreviewedEntry>

export const EntryQuery = Type.Object({
  ...ListQuery.properties,
  tag: Type.Optional(Type.String({ maxLength: entryLimits.tag, description: 'Only entries with this tag' })),
  status: Type.Optional({ ...EntryStatus, description: 'Only entries in this state' }),
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: entryLimits.search,
      pattern: oneLine,
      description:
        'Only entries with this text in their title, version, tags or content, in capitals or not. A page looks ' +
        `through at most ${entryLimits.searched} entries: it may hold none and still have a \`nextCursor\`. Counts as a ` +
        'search: fewer of them are allowed a minute than lists',
      examples: ['rate limit'],
    }),
  ),
})
export type EntryQuery = Static<typeof EntryQuery>

const path = '/api/projects/:slug/changelog'

export const changelog = {
  create: endpoint({
    method: 'POST',
    path,
    grows: true,
    summary: 'Create a changelog entry',
    description:
      'A draft unless `is_draft` is false; then `published_at` is the current time unless the request says another.',
    access: 'write',
    limit: 'changelog',
    params: SlugParams,
    body: NewEntry,
    bodyLimit: 4 * 1024 * 1024,
    reply: ReadEntry,
    status: 201,
    failures: ['request_too_large', 'invalid_content'],
  }),
  update: endpoint({
    method: 'PATCH',
    path,
    grows: true,
    summary: 'Change, publish or withdraw a changelog entry',
    description:
      'What is left out stays. A draft with `is_draft: false` is published: `published_at` becomes the current time ' +
      'unless the request says another. On a scheduled entry `is_draft: false` changes nothing: `published_at` brings it ' +
      'forward. A published entry with `is_draft: true` is a draft again: it leaves page and ' +
      'feeds at once and keeps its `published_at`, so that publishing it later with that time puts it back where it ' +
      'was, and publishing it without one announces it anew. Its id, and with it what feeds know it by, never changes. ' +
      'With `if_updated_at` nothing is changed that somebody else has changed meanwhile.',
    access: 'write',
    limit: 'changelog',
    params: SlugParams,
    body: EntryChange,
    bodyLimit: 4 * 1024 * 1024,
    reply: ReadEntry,
    status: 200,
    failures: ['request_too_large', 'invalid_content', 'stale_entry'],
  }),
  preview: endpoint({
    method: 'POST',
    path: `${path}/preview`,
    summary: 'Show what an entry would look like',
    description: 'Renders what an entry would hold, by the same rules and with the same refusals, and keeps nothing.',
    access: 'write',
    limit: 'renders',
    audit: false,
    params: SlugParams,
    body: EntryPreview,
    bodyLimit: 4 * 1024 * 1024,
    reply: PreviewedEntry,
    status: 200,
    failures: ['request_too_large', 'invalid_content'],
  }),
  remove: endpoint({
    method: 'DELETE',
    path,
    summary: 'Delete a changelog entry for good',
    description: 'With `if_updated_at` nothing is deleted that somebody else has changed meanwhile.',
    access: 'write',
    limit: 'changelog',
    params: SlugParams,
    query: Type.Object({ id: EntryId, if_updated_at: IfUpdatedAt }),
    status: 204,
    failures: ['stale_entry'],
  }),
  list: endpoint({
    method: 'GET',
    path,
    summary: 'List changelog entries',
    description:
      'Newest first by `published_at`, or by `created_at` where there is none. Everybody sees what is published, unless the project is private; ' +
      'members and keys with the scope `read` also see drafts and what is scheduled. A page may hold fewer entries ' +
      'than `limit`: `nextCursor` says whether there are more. Answers 304 to a client that has it already.',
    access: 'public',
    members: true,
    anyOrigin: true,
    // A list comes from memory; a search reads whole texts each time, whoever asks.
    limit: 'searches',
    limitWith: 'q',
    params: SlugParams,
    query: EntryQuery,
    reply: listOf(Entry),
    status: 200,
  }),
  read: endpoint({
    method: 'GET',
    path: '/api/projects/:slug/changelog/:id',
    summary: 'Read a changelog entry',
    description: 'Drafts and what is scheduled: members and keys with the scope `read` only.',
    access: 'public',
    members: true,
    anyOrigin: true,
    params: Type.Object({ slug: Slug, id: EntryId }),
    reply: ReadEntry,
    status: 200,
  }),
}

const feedDescription =
  'The 50 newest published entries with their whole content, for everybody; where that is more than 4 MB in all, older ' +
  'entries come with their excerpt only. Kept for 5 minutes; answers 304 to a ' +
  'reader that has it already. An entry’s id never changes. Of a private project, for members and keys with the scope ' +
  '`read` only.'

/** The changelog for feed readers. */
export const feeds = {
  rss: endpoint({
    method: 'GET',
    path: '/api/projects/:slug/changelog/rss',
    summary: 'The changelog as RSS 2.0',
    description: feedDescription,
    access: 'public',
    members: true,
    anyOrigin: true,
    params: SlugParams,
    media: 'application/rss+xml',
    status: 200,
  }),
  atom: endpoint({
    method: 'GET',
    path: '/api/projects/:slug/changelog/atom',
    summary: 'The changelog as Atom',
    description: feedDescription,
    access: 'public',
    members: true,
    anyOrigin: true,
    params: SlugParams,
    media: 'application/atom+xml',
    status: 200,
  }),
  json: endpoint({
    method: 'GET',
    path: '/api/projects/:slug/changelog/feed.json',
    summary: 'The changelog as JSON Feed 1.1',
    description: feedDescription,
    access: 'public',
    members: true,
    anyOrigin: true,
    params: SlugParams,
    media: 'application/feed+json',
    status: 200,
  }),
}
