import * as fc from 'fast-check'
import type { Schema } from '#test/support/endpoints.ts'
import { names, type KnownName } from './names.ts'

/** Whether a value is what an endpoint takes at this moment, or only what its schema takes. */
type Sense = 'right' | 'any'

/** Dates of which a minute is past, near or far. */
const timestamps = fc.constantFrom('2020-01-01T00:00:00Z', '2030-01-01T00:00:00.000Z', '2999-12-31T23:59:59+14:00')

const idsOf: Readonly<Record<string, KnownName>> = {
  branches: 'branch',
  deploys: 'deploy',
  webhooks: 'webhook',
  changelog: 'entry',
  keys: 'key',
  visibility: 'shareLink',
  invitations: 'invitation',
  sessions: 'session',
  members: 'member',
}
const anyId = names('branch', 'deploy', 'webhook', 'entry', 'key', 'invitation', 'session', 'member', 'foreignBranch')

type Texts = Readonly<Record<string, fc.Arbitrary<string>>>

/** Texts that mean something to the service, by the name of the member that carries them. */
const meaning: Texts = {
  code: names('invitationCode'),
  user_code: names('userCode'),
  device_code: names('deviceCode'),
  client_id: fc.constant('quire-cli'),
  grant_type: fc.constant('urn:ietf:params:oauth:grant-type:device_code'),
  password: names('password'),
  currentPassword: names('password'),
  newPassword: names('password'),
  delivery: names('delivery'),
}

const right: Texts = {
  ...meaning,
  slug: names('slug'),
  project: names('slug'),
  branchId: names('branch'),
  deployId: names('deploy'),
  from: fc.oneof(fc.constant('main'), names('branch')),
  path: names('mainPath'),
  content: fc.constantFrom('# Home', 'text\n', 'a\r\nb', 'ä 😀 &amp; <b>'),
  url: fc.constantFrom('https://example.com/hook', 'https://discord.com/api/webhooks/1/x'),
  scope: fc.constant('account'),
  domain: names('domain'),
  role: fc.constant('writer'),
  expiresAt: fc.constant('2999-12-31T23:59:59+14:00'),
}

const plausible: Texts = {
  ...meaning,
  slug: fc.oneof({ weight: 8, arbitrary: names('slug') }, names('foreignSlug'), fc.constant('no-such-project')),
  project: fc.oneof({ weight: 8, arbitrary: names('slug') }, names('foreignSlug')),
  branchId: names('branch', 'foreignBranch'),
  deployId: names('deploy', 'foreignDeploy'),
  from: fc.oneof(fc.constantFrom('main', 'draft'), names('branch', 'foreignBranch', 'commit')),
  path: fc.constantFrom('index.md', 'guide/start.md', 'new.md', 'guide', 'index.md/below.md', 'broken.md', 'ä/ö.mdx'),
  content: fc.constantFrom('# Home', 'text\n', '', 'aGk=', '\ufeffx', 'a\r\nb'),
  url: fc.constantFrom('https://example.com/hook', 'https://discord.com/api/webhooks/1/x', 'https://10.0.0.1/'),
  domain: fc.oneof(
    names('domain'),
    fc.constantFrom('docs.example.com', 'Bücher.de', 'localhost', 'x.localhost', '10.0.0.1', '*.example.com'),
  ),
}

/** What only whoever has read something knows, or what says more than it must: wrong more often than not. */
const leftOut = new Set(['cursor', 'expectedOid', 'if_updated_at', 'seen', 'encoding', 'resolutions'])

function meant(member: string, noun: string, sense: Sense): fc.Arbitrary<string> | undefined {
  const own = idsOf[noun]
  if (member === 'id' && own !== undefined && sense === 'right') return names(own)
  if (member === 'id') return own === undefined ? anyId : fc.oneof({ weight: 4, arbitrary: names(own) }, anyId)
  const texts = sense === 'right' ? right : plausible
  // Everything has a `toString`.
  return Object.hasOwn(texts, member) ? texts[member] : undefined
}

function text(schema: Schema, member: string, noun: string, sense: Sense): fc.Arbitrary<string> {
  const { pattern, format, minLength = 0, maxLength = 60 } = schema
  const most = Math.min(maxLength, 2000)
  const known = meant(member, noun, sense)
  if (known !== undefined && sense === 'right') return known
  if (format === 'date-time') return timestamps
  if (format === 'email') return fc.oneof(names('email', 'foreignEmail'), fc.emailAddress())
  if (pattern?.includes('{40}') === true) return fc.oneof(names('mainOid', 'commit'), fc.constant('1'.repeat(40)))
  const sizes = fc.constantFrom(Math.max(minLength, 1), most).map((size) => 'y'.repeat(size))
  const written = fc.string({ minLength: Math.max(minLength, 1), maxLength: Math.min(most, 40) })
  // What is random is no slug; what is random text fits other patterns nearly always.
  if (pattern?.startsWith('^[a-z0-9]') === true) return known ?? sizes
  return known === undefined ? fc.oneof(sizes, written) : fc.oneof({ weight: 6, arbitrary: known }, sizes)
}

/** What a schema takes. */
function valid(schema: Schema, member: string, noun: string, sense: Sense): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((one) => valid(one, member, noun, sense)))
  const { minimum = 0, maximum = 2 ** 31, items = {}, minItems = 0, maxItems = 4 } = schema
  switch (schema.type) {
    case 'object':
      return members(schema, noun, sense)
    case 'array': {
      const lengths = { minLength: minItems, maxLength: Math.min(maxItems, 4) }
      const item = valid(items, member, noun, sense)
      return schema.uniqueItems === true && sense === 'right' ? fc.uniqueArray(item, lengths) : fc.array(item, lengths)
    }
    case 'integer':
    case 'number':
      return fc.oneof(fc.constantFrom(minimum, maximum), fc.integer({ min: minimum, max: maximum }))
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'string':
      return text(schema, member, noun, sense)
    default:
      throw new Error(`Nothing is known of ${JSON.stringify(schema)}`)
  }
}

/** Whatever an object of the contract takes: with and without what is optional. */
export function members({ properties = {}, required = [] }: Schema, noun: string, sense: Sense) {
  const all = Object.entries(properties)
    .filter(([key]) => sense === 'any' || required.includes(key) || !leftOut.has(key))
    .map(([key, one]) => [key, valid(one, key, noun, sense)] as const)
  return fc.record(Object.fromEntries(all), { requiredKeys: [...required] })
}

const unknownNames = fc.constantFrom('nope', '__proto__', 'constructor', 'Slug', 'toString', '', 'a\0', 'x'.repeat(500))

/** An object with one thing wrong: a member of another type, one too many, one too few, or a wrong item of a list. */
export function broken(
  schema: Schema,
  noun: string,
  odd: fc.Arbitrary<unknown>,
): fc.Arbitrary<Record<string, unknown>> {
  const keys = Object.keys(schema.properties ?? {})
  const key = keys.length === 0 ? unknownNames : fc.constantFrom(...keys)
  const kind = fc.constantFrom('replace', 'replace', 'item', 'remove', 'add')
  return fc.tuple(members(schema, noun, 'any'), kind, key, unknownNames, odd).map(([whole, how, at, other, value]) => {
    const entries = Object.entries(whole)
    if (how === 'add') return Object.fromEntries([...entries, [other, value]])
    const rest = entries.filter(([one]) => one !== at)
    const list: unknown = (whole as Record<string, unknown>)[at]
    if (how === 'remove') return Object.fromEntries(rest)
    return Object.fromEntries([
      ...rest,
      [at, how === 'item' && Array.isArray(list) ? withWrongItem(list, value) : value],
    ])
  })
}

function withWrongItem(list: readonly unknown[], value: unknown): unknown[] {
  const [first, ...rest] = list
  if (typeof first !== 'object' || first === null) return [value, ...rest]
  const [key = 'nope'] = Object.keys(first)
  return [...rest, { ...first, [key]: value }]
}
