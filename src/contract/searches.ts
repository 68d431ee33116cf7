import { Type, type Static } from 'typebox'
import { patterns } from './patterns.ts'

/** What may be asked of a search through files. */
export const searchLimits = { text: 200, matches: 1000, commonMatches: 200, shown: 300 } as const

export const SearchQuery = Type.Object({
  q: Type.String({
    minLength: 1,
    maxLength: searchLimits.text,
    pattern: patterns.line.pattern,
    description: 'Plain text within one line, no pattern',
    examples: ['rate limit'],
  }),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: searchLimits.matches,
      default: searchLimits.commonMatches,
      description: 'Matches, at most',
    }),
  ),
  case: Type.Optional(
    Type.Boolean({ description: 'Whether capitals count. Absent: where the text that is looked for has some' }),
  ),
  folder: Type.Optional(Type.String({ maxLength: 1100, description: 'Only in this folder', examples: ['guides'] })),
})
export type SearchQuery = Static<typeof SearchQuery>

/** A line that has the text. */
export const SearchMatch = Type.Object({
  path: Type.String(),
  line: Type.Integer({ minimum: 1 }),
  column: Type.Integer({ minimum: 1, description: 'Of the first match in the line, UTF-16 units from 1' }),
  text: Type.String({ description: 'The line; of a long one, what stands around the match' }),
  start: Type.Integer({ minimum: 0, description: 'Where the match begins in `text`, UTF-16 units from 0' }),
  end: Type.Integer({ minimum: 0, description: 'Where it ends in `text`' }),
})
export type SearchMatch = Static<typeof SearchMatch>

export const SearchResult = Type.Object({
  items: Type.Array(SearchMatch, { description: 'By path and line' }),
  truncated: Type.Boolean({ description: 'There may be more: the search ended early' }),
  searched: Type.Integer({ description: 'Files that were looked through' }),
})
export type SearchResult = Static<typeof SearchResult>
