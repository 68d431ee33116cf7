import { Type, type Static, type TProperties } from 'typebox'

const text = Type.String()
const count = Type.Integer({ minimum: 0 })
const exactly = <Fields extends TProperties>(fields: Fields) => Type.Object(fields, { additionalProperties: false })

/** Other files that a description may refer to. */
export const mostFiles = 5_000
/** UTF-16 units of all parts of one together, and of its index. */
export const mostText = 24 * 1024 * 1024
export const mostIndex = 4 * 1024 * 1024

/** What a page can be about. */
export const Entry = exactly({
  kind: Type.Enum(['operation', 'webhook', 'channel', 'schema']),
  /** `GET /users/{id}`, `WEBHOOK order.created`, the name of a channel or of a schema: unique within its kind. */
  name: text,
  /** Upper case; of operations alone. */
  method: Type.Optional(text),
  /** Path of an operation, name of a webhook, address of a channel. */
  path: Type.Optional(text),
  title: text,
  description: Type.Optional(text),
  /** The first one. */
  tag: Type.Optional(text),
  deprecated: Type.Optional(Type.Boolean()),
  /** It has a page, and no entry in the navigation. */
  hidden: Type.Optional(Type.Boolean()),
  /** Where its author wants its page: a path of the site. */
  href: Type.Optional(text),
  /** Front matter of its page, as JSON, and MDX that stands before the reference. */
  metadata: Type.Optional(text),
  content: Type.Optional(text),
  /** Turn of its part. */
  part: count,
  /** Changes with its part and with all that this refers to. */
  hash: text,
})
export type Entry = Static<typeof Entry>

/** Its key, where its JSON text begins among those of all parts and how long it is, in UTF-16 units, and the turns of the parts that it refers to. */
export const Part = Type.Tuple([text, count, count, Type.Array(count)])
export type Part = Static<typeof Part>

/** An index but for entries and parts, of which it has so many. */
export const IndexHead = exactly({
  title: text,
  /** Names of groups by tag, where they are others; in the order in which the description lists its tags. */
  tags: Type.Array(Type.Tuple([text, text])),
  warnings: Type.Array(text),
  entries: count,
  parts: count,
})
export type IndexHead = Static<typeof IndexHead>

/**
 * What a description offers, without its substance. The parts are texts of JSON that stand one after the other: each is
 * an entry, or what others refer to by its key (`#/components/schemas/User`, `models/user.yaml#/User`).
 */
export interface DescriptionIndex extends Pick<IndexHead, 'title' | 'tags' | 'warnings'> {
  readonly entries: readonly Entry[]
  readonly parts: readonly Part[]
}

/** What docs.json chooses of examples. */
export interface SampleChoice {
  /** Names as in `samples.ts`; undefined: the usual ones. */
  readonly languages?: readonly string[]
  /** Optional parameters and fields are left out. */
  readonly requiredOnly: boolean
  /** False: only samples that the description has itself. */
  readonly generate: boolean
}

/** How much of a playground a page has. Who is signed in is not known to a page, so nobody sees one that only they should. */
export function playgroundOf(display: unknown): ApiSettings['playground'] {
  if (display === 'auth') return 'simple'
  return display === 'simple' || display === 'none' ? display : 'interactive'
}

/** How a request says who sends it: `name` is that of a header. */
export interface ApiAuth {
  readonly method: 'bearer' | 'basic' | 'key'
  readonly name?: string
}

/** What docs.json says of pages that are made of descriptions. */
export interface ApiSettings extends SampleChoice {
  readonly playground: 'interactive' | 'simple' | 'none'
  /** Forms of the playground begin with examples of the description. */
  readonly prefill: boolean
  /** It sends what the browser keeps of the server. */
  readonly credentials: boolean
  /** Nested fields are open. */
  readonly expanded: boolean
  /** Addresses are shown whole. */
  readonly fullUrl: boolean
  /** Fields that are told beside types. */
  readonly pills: readonly string[]
  /** Where operations are that pages describe themselves. */
  readonly servers: readonly string[]
  /** How these ask who is there; undefined: they do not. */
  readonly auth?: ApiAuth
}

/** Where docs.json says nothing. */
export const usualSettings: ApiSettings = {
  playground: 'interactive',
  prefill: false,
  credentials: false,
  expanded: false,
  fullUrl: false,
  pills: [],
  servers: [],
  requiredOnly: false,
  generate: true,
}
