import * as fc from 'fast-check'
import type { Schema } from '../../support/endpoints.ts'
import { known as knownNames, type KnownName } from './world.ts'

const name = (one: KnownName): string => `__${one}__`
const names = (...some: KnownName[]): fc.Arbitrary<string> => fc.constantFrom(...some.map(name))

/** Texts that something has choked on before, somewhere. */
const oddTexts = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'x\udc00',
  '\u202etxt.exe',
  '\u200e',
  '\u2028',
  '\ufeff',
  '\uffff',
  'e\u0301',
  '😀'.repeat(60),
  'ſ'.repeat(300),
  'a'.repeat(64),
  'a'.repeat(256),
  'x'.repeat(5000),
  'a/'.repeat(40) + 'b',

  '..',
  '../../etc/passwd',
  '.git/config',
  '.GIT/HEAD',
  'CON',
  'a\\b',
  'a//b',
  '/a',
  'a/',
  '%00',
  '%2e%2e/x',
  './a',

  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'null',
  'true',
  '-1',
  '1e309',
  'NaN',
  '00',
  'main',
  'HEAD',
  'refs/heads/main',
  '@',
  '-',
  '--all',
  'a..b',
  'a.lock',
  'a@{1}',
  'a b',
  '*',
  '[',
  '~1',
  'a:b',

  '0'.repeat(40),
  'f'.repeat(40),
  'A'.repeat(40),
  '<script>',
  '\r\nx: y',
  '${x}',
  'broken.md',
  'docs.json',
  '{{x}}',

  '2026-02-30T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
  '+275760-09-13T00:00:00.001Z',
  'http://127.0.0.1/',
  'https://[::1]/',
  'https://a:b@example.com/',
  'javascript:0',
  'a@b',
  '@example.com',
]
export const oddText: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...oddTexts) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.constantFrom(...knownNames.map(name)) },
)

const deep = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth))
const polluted: unknown = JSON.parse('{"__proto__":{"admin":true},"constructor":{"prototype":{}}}')

/** A value of any type but perhaps the right one. */
export const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: oddText },
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -1,
    1.5,
    201,
    1e308,
    2 ** 53,
    -(2 ** 31),
    [],
    {},
    [[]],
    [null],
    polluted,
  ),
  fc.constantFrom(deep(31), deep(33), deep(500)),
  fc.jsonValue({ maxDepth: 2 }),
)

/** Dates of which a minute is past, near or far. */
const timestamps = fc.constantFrom('2020-01-01T00:00:00Z', '2030-01-01T00:00:00.000Z', '2999-12-31T23:59:59+14:00')

const idsOf: Readonly<Record<string, KnownName>> = {
  branches: 'branch',
  deploys: 'deploy',
  webhooks: 'webhook',
  changelog: 'entry',
  keys: 'key',
  invitations: 'invitation',
  sessions: 'session',
  members: 'member',
}
const anyId = names('branch', 'deploy', 'webhook', 'entry', 'key', 'invitation', 'session', 'member', 'foreignBranch')

/** Texts that mean something to the service, by the name of the member that carries them. */
function meant(member: string, noun: string): fc.Arbitrary<string> | undefined {
  const own = idsOf[noun]
  const ids = own === undefined ? anyId : fc.oneof({ weight: 4, arbitrary: names(own) }, anyId)
  const texts: Readonly<Record<string, fc.Arbitrary<string>>> = {
    slug: fc.oneof({ weight: 8, arbitrary: names('slug') }, names('foreignSlug'), fc.constant('no-such-project')),
    project: fc.oneof({ weight: 8, arbitrary: names('slug') }, names('foreignSlug')),
    id: ids,
    branchId: names('branch', 'foreignBranch'),
    deployId: names('deploy', 'foreignDeploy'),
    delivery: names('delivery'),
    from: fc.oneof(fc.constantFrom('main', 'draft'), names('branch', 'foreignBranch')),
    path: fc.constantFrom('index.md', 'guide/start.md', 'new.md', 'guide', 'index.md/below.md', 'broken.md', 'ä/ö.mdx'),
    content: fc.constantFrom('# Home', 'text\n', '', 'aGk=', '\ufeffx', 'a\r\nb'),
    url: fc.constantFrom('https://example.com/hook', 'https://discord.com/api/webhooks/1/x', 'https://10.0.0.1/'),
    code: names('code'),
    user_code: names('userCode'),
    device_code: names('deviceCode'),
    client_id: fc.constant('quire-cli'),
    grant_type: fc.constant('urn:ietf:params:oauth:grant-type:device_code'),
    password: names('password'),
    currentPassword: names('password'),
    newPassword: names('password'),
  }
  // Everything has a `toString`.
  return Object.hasOwn(texts, member) ? texts[member] : undefined
}

function text(schema: Schema, member: string, noun: string): fc.Arbitrary<string> {
  const { pattern, format, minLength = 0, maxLength = 60 } = schema
  const most = Math.min(maxLength, 2000)
  if (format === 'date-time') return timestamps
  if (format === 'email') return fc.oneof(names('email', 'foreignEmail'), fc.emailAddress())
  if (pattern?.includes('{40}') === true) return fc.oneof(names('oid', 'commit'), fc.constant('1'.repeat(40)))
  const known = meant(member, noun)
  const sizes = fc.constantFrom(Math.max(minLength, 1), most).map((size) => 'y'.repeat(size))
  const written = fc.string({ minLength: Math.max(minLength, 1), maxLength: Math.min(most, 40) })
  // What is random is no slug; what is random text fits other patterns nearly always.
  if (pattern?.startsWith('^[a-z0-9]') === true) return known ?? sizes
  return known === undefined ? fc.oneof(sizes, written) : fc.oneof({ weight: 6, arbitrary: known }, sizes)
}

/** What a schema takes. */
export function valid(schema: Schema, member: string, noun: string): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((one) => valid(one, member, noun)))
  const { minimum = 0, maximum = 2 ** 31, items = {}, minItems = 0, maxItems = 4 } = schema
  switch (schema.type) {
    case 'object':
      return members(schema, noun)
    case 'array':
      return fc.array(valid(items, member, noun), { minLength: minItems, maxLength: Math.min(maxItems, 4) })
    case 'integer':
    case 'number':
      return fc.oneof(fc.constantFrom(minimum, maximum), fc.integer({ min: minimum, max: maximum }))
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'string':
      return text(schema, member, noun)
    default:
      throw new Error(`Nothing is known of ${JSON.stringify(schema)}`)
  }
}

/** Whatever an object of the contract takes: with and without what is optional. */
export function members({ properties = {}, required = [] }: Schema, noun: string) {
  const all = Object.entries(properties).map(([key, one]) => [key, valid(one, key, noun)] as const)
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
  return fc.tuple(members(schema, noun), kind, key, unknownNames, odd).map(([right, how, at, other, value]) => {
    const entries = Object.entries(right)
    if (how === 'add') return Object.fromEntries([...entries, [other, value]])
    const rest = entries.filter(([one]) => one !== at)
    const list: unknown = (right as Record<string, unknown>)[at]
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
