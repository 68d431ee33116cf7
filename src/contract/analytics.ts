import { Type, type Static } from 'typebox'
import { Id, ListQuery, SlugParams, Timestamp, listOf } from './common.ts'
import { endpoint } from './endpoint.ts'

export const analyticsLimits = {
  /** Days for which counts and notes are kept. */
  days: 400,
  /** Characters of a note, and of a search term; longer ones are refused. */
  note: 1000,
  term: 100,
  /**
   * Notes of a project; beyond, the oldest of the day, before today, with the most goes. Of a day in UTC, in all, on one page and from
   * one network, no more are taken. A wide network is a /24 of IPv4 addresses, a /48 of IPv6 addresses.
   */
  notes: 1000,
  notesOfDay: 200,
  notesOfPageAndDay: 20,
  notesOfNetworkAndDay: 10,
  notesOfWideNetworkAndDay: 80,
  /** Pages and search terms of a day that are counted one by one. */
  pagesOfDay: 5000,
  termsOfDay: 200,
  /** Pages and terms of one answer. */
  pagesShown: 500,
  termsShown: 100,
} as const

const Count = Type.Integer({ minimum: 0 })

export const Helpful = Type.Object(
  { yes: Count, no: Count },
  { description: 'Answers of readers to whether the page was helpful' },
)
export type Helpful = Static<typeof Helpful>

const Enabled = Type.Object(
  { analytics: Type.Boolean(), feedback: Type.Boolean() },
  { description: 'What docs.json of the live site switches on' },
)
export type Enabled = Static<typeof Enabled>

const Day = Type.String({ format: 'date', description: 'A day in UTC', examples: ['2027-01-15'] })

export const AnalyticsDay = Type.Object({
  day: Day,
  views: Count,
  searches: Type.Integer({ minimum: 0, description: 'All searches, those of terms that are not kept too' }),
  withoutResults: Type.Integer({ minimum: 0, description: 'Searches among them that found nothing' }),
  helpful: Helpful,
})
export type AnalyticsDay = Static<typeof AnalyticsDay>

export const AnalyticsPage = Type.Object({
  path: Type.String({ description: 'URL path, decoded', examples: ['/guide/start'] }),
  views: Count,
  helpful: Helpful,
})
export type AnalyticsPage = Static<typeof AnalyticsPage>

export const SearchTerm = Type.Object({
  term: Type.String({ description: 'Lower case' }),
  searches: Count,
  withoutResults: Count,
})
export type SearchTerm = Static<typeof SearchTerm>

export const Analytics = Type.Object({
  enabled: Enabled,
  from: Day,
  to: Day,
  views: Count,
  searches: Count,
  withoutResults: Count,
  helpful: Helpful,
  days: Type.Array(AnalyticsDay, { description: 'Every day from `from` to `to`, oldest first' }),
  pages: Type.Array(AnalyticsPage, { description: `Most viewed first, ${analyticsLimits.pagesShown} at most` }),
  terms: Type.Array(SearchTerm, {
    description: `Terms that were asked more than once, most asked first, ${analyticsLimits.termsShown} at most`,
  }),
  termsWithoutResults: Type.Array(SearchTerm, { description: 'The same, by searches that found nothing' }),
})
export type Analytics = Static<typeof Analytics>

export const FeedbackNote = Type.Object({
  id: Id,
  at: Timestamp,
  path: Type.String({ description: 'URL path of the page, decoded' }),
  helpful: Type.Boolean(),
  note: Type.String({ description: 'What a reader wrote: plain text of anybody' }),
})
export type FeedbackNote = Static<typeof FeedbackNote>

export const analytics = {
  read: endpoint({
    method: 'GET',
    path: '/api/projects/:slug/analytics',
    summary: 'Read views, answers and search terms',
    description:
      'What readers of the live site did, by day, page and term. Counted without cookies, addresses or anything else ' +
      'of a reader, and only while docs.json has `analytics` or `feedback` enabled. Days are those of UTC.',
    access: 'read',
    params: SlugParams,
    query: Type.Object({
      days: Type.Optional(
        Type.Integer({ minimum: 1, maximum: analyticsLimits.days, default: 30, description: 'How many, up to today' }),
      ),
    }),
    reply: Analytics,
    status: 200,
  }),
}

export const feedback = {
  list: endpoint({
    method: 'GET',
    path: '/api/projects/:slug/feedback',
    summary: 'List notes of readers',
    description: 'What readers wrote when they said whether a page was helpful; newest first.',
    access: 'read',
    params: SlugParams,
    query: Type.Object({
      ...ListQuery.properties,
      path: Type.Optional(Type.String({ maxLength: 2000, description: 'Only notes on this page: its URL path' })),
      helpful: Type.Optional(
        Type.Union([Type.Literal('yes'), Type.Literal('no')], { description: 'Only notes with this answer' }),
      ),
    }),
    reply: listOf(FeedbackNote),
    status: 200,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/projects/:slug/feedback',
    summary: 'Delete a note of a reader',
    description: 'It is erased. The answer that came with it stays counted.',
    access: 'write',
    params: SlugParams,
    query: Type.Object({ id: Id }),
    status: 204,
  }),
}
