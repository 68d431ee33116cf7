import { Type, type Static, type TSchema } from 'typebox'
import { patterns } from './patterns.ts'

export const Slug = Type.String({
  pattern: patterns.slug.pattern,
  description: 'Lower-case letters, digits and hyphens; a DNS label of at most 63 characters, without `--`',
  examples: ['acme-docs'],
})
export const Timestamp = Type.String({
  format: 'date-time',
  description: 'RFC 3339, UTC',
  examples: ['2027-01-15T09:00:00.000Z'],
})
export const Oid = Type.String({
  pattern: patterns.oid.pattern,
  description: 'Git object id (SHA-1, 40 hex digits)',
  examples: ['83baae61804e65cc73a7201a7252750c76066a30'],
})
/** Of whatever the service names by itself. */
export const Id = Type.String({ maxLength: 64, description: 'Opaque; as the service gave it' })
export const Email = Type.String({ format: 'email', maxLength: 254, examples: ['ada@example.com'] })

/** Text, or bytes in Base64. */
export const Encoding = Type.Union([Type.Literal('utf-8'), Type.Literal('base64')], {
  description: 'Of `content`. Base64 as in RFC 4648, section 4; it may have line breaks',
})
export type Encoding = Static<typeof Encoding>

/** Becomes the message of a commit: neither NUL nor half a surrogate pair. */
export const Message = Type.String({ maxLength: 10_000, pattern: patterns.text.pattern })

export const SlugParams = Type.Object({ slug: Slug })

/** Items of a page of which nobody says how long it should be. */
export const pageItems = 50

export const ListQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 200, default: pageItems, description: 'Items of a page, at most' }),
  ),
  cursor: Type.Optional(Type.String({ maxLength: 200, description: 'Opaque; from `nextCursor` of the page before' })),
})
export type ListQuery = Static<typeof ListQuery>

/** A page of a list, newest first. */
export function listOf<T extends TSchema>(item: T) {
  return Type.Object({ items: Type.Array(item), nextCursor: Type.Optional(Type.String()) })
}

export interface List<T> {
  items: T[]
  nextCursor?: string
}

/** One place that is wrong: in a file of the project (path, line, column) or in the request (JSON pointer). */
export const ErrorDetail = Type.Object({
  path: Type.Optional(Type.String({ description: 'A file of the project' })),
  line: Type.Optional(Type.Integer({ minimum: 1 })),
  column: Type.Optional(Type.Integer({ minimum: 1 })),
  pointer: Type.Optional(
    Type.String({ description: 'A place in the body of the request, or in the JSON file `path` (RFC 6901)' }),
  ),
  message: Type.String(),
  rule: Type.Optional(
    Type.String({
      description: 'Of a site: the rule that is broken. Stable; one of those under Rules in the documentation',
      examples: ['link-broken'],
    }),
  ),
  hint: Type.Optional(Type.String({ description: 'What to do next' })),
  more: Type.Optional(Type.Integer({ minimum: 1, description: 'It stands for so many that are not listed' })),
  frame: Type.Optional(Type.String({ description: 'The source lines around the place' })),
})
export type ErrorDetail = Static<typeof ErrorDetail>

/** RFC 9457. */
export const Problem = Type.Object({
  type: Type.String(),
  title: Type.String(),
  status: Type.Integer(),
  detail: Type.String(),
  code: Type.String({ description: 'Stable; one of the documented codes' }),
  hint: Type.Optional(Type.String()),
  errors: Type.Optional(Type.Array(ErrorDetail)),
  requestId: Type.Optional(Type.String()),
})
export type Problem = Static<typeof Problem>
