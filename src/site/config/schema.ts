import { Type, type Static, type TProperties, type TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { limits } from '../../contract/limits.ts'
import type { Steps } from '../../lib/slices.ts'
import { isArray, isObject, pointerTo, show, tokensOf, type Json, type JsonObject } from '../../lib/json-reader.ts'
import { providers, refusedProviders } from '../integrations.ts'
import { warnOfIgnored, warnOfInner } from './ignored-settings.ts'
import type { Problems } from './problems.ts'

// `description` completes the sentence “… must be …” of an error.
const Text = Type.String({ maxLength: 2000, description: 'a text of at most 2000 characters' })
const Href = Type.String({ description: 'a link: a site path, or one with https, http, mailto or tel' })
const Colour = Type.String({ pattern: '^#[0-9a-fA-F]{3,8}$', description: 'a colour in hex, such as "#0f766e"' })
const File = Type.String({ description: 'the path of an image in the project, or an https link' })
const Icon = Type.Union(
  [
    Type.String(),
    Type.Object({ name: Type.String(), style: Type.Optional(Type.String()), library: Type.Optional(Type.String()) }),
  ],
  {
    description: 'the name of an icon, or { "name": … }',
  },
)

const Link = Type.Object(
  {
    type: Type.Optional(Text),
    label: Type.Optional(Text),
    href: Type.Optional(Href),
    url: Type.Optional(Href),
    icon: Type.Optional(Icon),
  },
  { description: 'an object with label and href' },
)

const LightDark = (description: string) =>
  Type.Object({ light: Type.Optional(File), dark: Type.Optional(File), href: Type.Optional(Href) }, { description })

/** What does not know a value reads it as if it were not there: only the names of members are looked at. */
const Lenient = <Members extends TProperties>(members: Members) => Type.Union([Type.Object(members), Type.Unknown()])
const Anything = Type.Optional(Type.Unknown())

/** Of pages that are made of descriptions of APIs: see `apiSettings`. */
const Api = Lenient({
  openapi: Anything,
  asyncapi: Anything,
  playground: Type.Optional(Lenient({ display: Anything, proxy: Anything, credentials: Anything })),
  url: Anything,
  examples: Type.Optional(
    Lenient({ languages: Anything, defaults: Anything, prefill: Anything, autogenerate: Anything }),
  ),
  params: Type.Optional(Lenient({ expanded: Anything, post: Anything })),
  mdx: Type.Optional(Lenient({ server: Anything, auth: Anything })),
})

const RedirectEntry = Type.Object(
  {
    source: Type.String({ description: 'a path of the site' }),
    destination: Type.String({ description: 'a path of the site or an https link' }),
    permanent: Type.Optional(Type.Boolean({ description: 'true or false' })),
  },
  { description: 'an object with source and destination' },
)
export type RedirectEntry = Static<typeof RedirectEntry>

const Flag = Type.Boolean({ description: 'true or false' })
const oneOf = (names: readonly string[]) => ({ description: names.map((name) => `"${name}"`).join(' or ') })
const bannerTypes = ['info', 'warning', 'critical'] as const
const decorations = ['gradient', 'grid', 'windows'] as const
const eyebrows = ['section', 'breadcrumbs'] as const
const menuPlaces = ['header', 'toc'] as const

const anyOf = (names: readonly string[]): Record<string, ReturnType<typeof Type.Optional>> =>
  Object.fromEntries(names.map((name) => [name, Type.Optional(Type.Unknown())]))

const Navbar = Type.Object(
  { links: Type.Optional(Type.Array(Link, { description: 'a list of links' })), primary: Type.Optional(Link) },
  { description: 'an object with links and primary' },
)

const Footer = Type.Object(
  {
    socials: Type.Optional(Type.Record(Type.String(), Href, { description: 'an object of links by platform' })),
    links: Type.Optional(
      Type.Array(
        Type.Object(
          { header: Type.Optional(Text), items: Type.Array(Link, { description: 'a list of links' }) },
          { description: 'an object with header and items' },
        ),
        { description: 'a list of columns' },
      ),
    ),
  },
  { description: 'an object with socials and links' },
)

const Banner = Type.Object(
  {
    content: Text,
    dismissible: Type.Optional(Flag),
    type: Type.Optional(Type.Enum([...bannerTypes], oneOf(bannerTypes))),
    color: Type.Optional(
      Type.Union([Colour, Type.Object({ light: Type.Optional(Colour), dark: Type.Optional(Colour) })], {
        description: 'a colour, or an object with light and dark',
      }),
    ),
  },
  { description: 'an object with content' },
)

/** What an entry of `navigation.languages` may have for its own pages. */
const OfLanguage = Type.Object({
  banner: Type.Optional(Banner),
  footer: Type.Optional(Footer),
  navbar: Type.Optional(Navbar),
})
type OfLanguage = Static<typeof OfLanguage>

const Theme = Type.String({ maxLength: 60, description: 'the name of a theme, such as "dracula"' })

const fontMembers = {
  family: Type.Optional(
    Type.String({
      pattern: String.raw`^[\p{L}\p{N}][\p{L}\p{N} _.-]{0,79}$`,
      description: 'the name of a font: letters, digits, spaces, dots and hyphens',
    }),
  ),
  weight: Type.Optional(Type.Number({ minimum: 1, maximum: 1000, description: 'a number from 1 to 1000' })),
  source: Type.Optional(Type.String({ maxLength: 2000, description: 'the path of a file, or an https link' })),
  format: Type.Optional(Type.String({ maxLength: 20, description: '"woff2" or "woff"' })),
}
const Font = Type.Object(fontMembers, { description: 'an object with family' })
export type Font = Static<typeof Font>

/** Everything of docs.json that is used, but for `navigation`, whose shape its own reader checks, and `redirects`. */
const Settings = Type.Object({
  name: Type.Optional(Text),
  description: Type.Optional(Text),
  basePath: Type.Optional(
    Type.String({
      maxLength: 200,
      pattern: String.raw`^/?[A-Za-z\d][\w.~-]*(?:/[A-Za-z\d][\w.~-]*)*/?$`,
      description: 'the path that the site stands below, such as "/docs"',
    }),
  ),
  language: Type.Optional(Type.String({ maxLength: 35, description: 'the code of a language, such as "de"' })),
  colors: Type.Optional(
    Type.Object(
      { primary: Colour, light: Type.Optional(Colour), dark: Type.Optional(Colour) },
      { description: 'an object with primary, and perhaps light and dark' },
    ),
  ),
  logo: Type.Optional(
    Type.Union([File, LightDark('')], { description: 'a path, or an object with light, dark and href' }),
  ),
  favicon: Type.Optional(
    Type.Union([File, LightDark('')], { description: 'a path, or an object with light and dark' }),
  ),
  navbar: Type.Optional(Navbar),
  footer: Type.Optional(Footer),
  banner: Type.Optional(Banner),
  appearance: Type.Optional(
    Type.Object(
      {
        default: Type.Optional(
          Type.Union([Type.Literal('system'), Type.Literal('light'), Type.Literal('dark')], {
            description: '"system", "light" or "dark"',
          }),
        ),
        strict: Type.Optional(Type.Boolean({ description: 'true or false' })),
      },
      { description: 'an object with default and strict' },
    ),
  ),
  background: Type.Optional(
    Type.Object(
      {
        color: Type.Optional(
          Type.Object(
            { light: Type.Optional(Colour), dark: Type.Optional(Colour) },
            { description: 'an object with light and dark' },
          ),
        ),
        image: Type.Optional(
          Type.Union([File, LightDark('')], { description: 'a path, or an object with light and dark' }),
        ),
        decoration: Type.Optional(Type.Enum([...decorations], oneOf(decorations))),
      },
      { description: 'an object with color, image and decoration' },
    ),
  ),
  variables: Type.Optional(
    Type.Record(
      Type.String(),
      Type.Union([Text, Type.Number()], { description: 'a text of at most 2000 characters' }),
      {
        description: 'an object of texts by name',
      },
    ),
  ),
  fonts: Type.Optional(
    Type.Object(
      { ...fontMembers, heading: Type.Optional(Font), body: Type.Optional(Font) },
      { description: 'an object with family, or with heading and body' },
    ),
  ),
  styling: Type.Optional(
    Type.Object(
      {
        eyebrows: Type.Optional(Type.Enum([...eyebrows], oneOf(eyebrows))),
        codeblocks: Type.Optional(
          Type.Union(
            [
              Theme,
              Type.Object({
                theme: Type.Optional(Type.Union([Theme, Type.Object({ light: Theme, dark: Theme })])),
                light: Type.Optional(Theme),
                dark: Type.Optional(Theme),
                languages: Type.Optional(Type.Unknown()),
              }),
            ],
            { description: '"system", "dark", the name of a theme, or an object with theme' },
          ),
        ),
        latex: Type.Optional(Flag),
      },
      { description: 'an object with eyebrows and codeblocks' },
    ),
  ),
  search: Type.Optional(Type.Object({ prompt: Type.Optional(Text) }, { description: 'an object with prompt' })),
  interaction: Type.Optional(
    Type.Object({ drilldown: Type.Optional(Flag) }, { description: 'an object with drilldown' }),
  ),
  metadata: Type.Optional(Type.Object({ timestamp: Type.Optional(Flag) }, { description: 'an object with timestamp' })),
  errors: Type.Optional(
    Type.Object(
      {
        '404': Type.Optional(
          Type.Object(
            {
              redirect: Type.Optional(Flag),
              title: Type.Optional(Text),
              description: Type.Optional(Text),
            },
            { description: 'an object with title, description and redirect' },
          ),
        ),
      },
      { description: 'an object with 404' },
    ),
  ),
  seo: Type.Optional(
    Type.Object(
      {
        indexing: Type.Optional(
          Type.Union([Type.Literal('all'), Type.Literal('navigable')], { description: '"all" or "navigable"' }),
        ),
        metatags: Type.Optional(
          Type.Record(Type.String(), Type.Unknown(), { description: 'an object of texts by name' }),
        ),
        organization: Type.Optional(
          Type.Object(
            {
              id: Type.Optional(Href),
              name: Type.Optional(Text),
              legalName: Type.Optional(Text),
              url: Type.Optional(Href),
              logo: Type.Optional(File),
              sameAs: Type.Optional(Type.Array(Href, { maxItems: 50, description: 'a list of at most 50 links' })),
            },
            { description: 'an object with name, legalName, url, logo and sameAs' },
          ),
        ),
      },
      { description: 'an object with indexing, metatags and organization' },
    ),
  ),
  thumbnails: Type.Optional(
    Type.Object(
      {
        enabled: Type.Optional(Type.Boolean({ description: 'true or false' })),
        appearance: Type.Optional(
          Type.Union([Type.Literal('light'), Type.Literal('dark')], { description: '"light" or "dark"' }),
        ),
      },
      { description: 'an object with enabled and appearance' },
    ),
  ),
  ask: Type.Optional(
    Type.Object(
      {
        enabled: Type.Boolean({ description: 'true or false' }),
        dailyLimit: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: limits.answersPerDay,
            description: `a whole number from 1 to ${limits.answersPerDay}`,
          }),
        ),
      },
      { description: 'an object with enabled, and perhaps dailyLimit' },
    ),
  ),
  analytics: Type.Optional(
    Type.Object(
      // Services stood here before there were integrations, whose reader judges them.
      { ...anyOf([...Object.keys(providers), ...Object.keys(refusedProviders)]), enabled: Type.Optional(Flag) },
      { description: 'an object with enabled' },
    ),
  ),
  feedback: Type.Optional(
    Type.Object(
      {
        enabled: Type.Optional(Type.Boolean({ description: 'true or false' })),
        thumbsRating: Type.Optional(Type.Boolean({ description: 'true or false' })),
      },
      { description: 'an object with enabled' },
    ),
  ),
  contextual: Type.Optional(
    Type.Object(
      {
        options: Type.Optional(Type.Array(Type.Unknown(), { description: 'a list of options' })),
        display: Type.Optional(Type.Enum([...menuPlaces], oneOf(menuPlaces))),
      },
      { description: 'an object with options and display' },
    ),
  ),
  repository: Type.Optional(
    Type.Union(
      [
        Text,
        Type.Object({
          url: Text,
          branch: Type.Optional(Text),
          directory: Type.Optional(Text),
          edit: Type.Optional(Text),
        }),
      ],
      { description: 'the address of a repository, or an object with url, branch, directory and edit' },
    ),
  ),
  icons: Type.Optional(Type.Object({ library: Type.Optional(Text) }, { description: 'an object with library' })),
  api: Type.Optional(Api),
})
export type Settings = Static<typeof Settings> & { readonly redirects?: readonly RedirectEntry[] }

/** Values that all of them have together: their check has no pauses. */
const maxValues = 2000

/** The settings. Each wrong place is an error; what stands under its top-level key is then left out, so that the rest can still be judged. */
export function* checkSettings(value: JsonObject, problems: Problems): Steps<Settings> {
  warnOfIgnored(value, Object.keys(Settings.properties), problems)
  yield
  const others = checkOthers(value, problems)
  yield
  const redirects = yield* checkRedirects(value['redirects'], problems)
  return redirects === undefined ? others : { ...others, redirects }
}

function isUsed(key: string): boolean {
  return Object.hasOwn(Settings.properties, key)
}

function checkOthers(value: JsonObject, problems: Problems): Static<typeof Settings> {
  const used = Object.entries(value).filter(([key]) => isUsed(key))
  let left = maxValues
  for (const [key, setting] of used) {
    left = countDown(setting, left)
    if (left > 0) continue
    problems.error(
      'settings-limit',
      pointerTo('', key),
      `The settings beside navigation and redirects have more than ${maxValues} values; ${key} is too long. Shorten it.`,
    )
    return {}
  }
  for (const [key, setting] of used)
    warnOfInner(setting, Reflect.get(Settings.properties, key), pointerTo('', key), problems)
  const settings: unknown = Object.fromEntries(used)
  if (Value.Check(Settings, settings)) return settings
  const wrong = new Set(report(Settings, value, '', problems).map((pointer) => tokensOf(pointer)[0]))
  const rest: unknown = Object.fromEntries(used.filter(([key]) => !wrong.has(key)))
  return Value.Check(Settings, rest) ? rest : {}
}

/** What is left of a number of values; counts no further than that. */
function countDown(value: Json, left: number): number {
  let rest = left - 1
  if (typeof value !== 'object' || value === null) return rest
  for (const member of isArray(value) ? value : Object.values(value)) {
    if (rest <= 0) return 0
    rest = countDown(member, rest)
  }
  return rest
}

/** Banner, navbar and footer of an entry of `navigation.languages`; one that is wrong is an error, and left out. */
export function checkOfLanguage(entry: JsonObject, pointer: string, problems: Problems): OfLanguage {
  const value = Object.fromEntries(Object.entries(entry).filter(([key]) => Object.hasOwn(OfLanguage.properties, key)))
  let left = maxValues
  for (const member of Object.values(value)) left = countDown(member, left)
  if (left <= 0) {
    problems.error('settings-limit', pointer, `The settings of a language have more than ${maxValues} values.`)
    return {}
  }
  for (const [key, member] of Object.entries(value))
    warnOfInner(member, Reflect.get(OfLanguage.properties, key), pointerTo(pointer, key), problems)
  const plain: unknown = value
  if (Value.Check(OfLanguage, plain)) return plain
  report(OfLanguage, value, pointer, problems)
  return {}
}

function* checkRedirects(value: Json | undefined, problems: Problems): Steps<readonly RedirectEntry[] | undefined> {
  if (value === undefined) return undefined
  const pointer = '/redirects'
  if (!isArray(value)) {
    problems.error(
      'setting-invalid',
      pointer,
      `redirects must be a list of { source, destination }, not ${show(value)}.`,
    )
    return undefined
  }
  if (value.length > limits.redirects) {
    problems.error(
      'settings-limit',
      pointer,
      `redirects has ${value.length} entries; at most ${limits.redirects} are allowed. Remove those that nobody follows any more, or join them with :name or :name*.`,
    )
    return undefined
  }
  const entries: RedirectEntry[] = []
  for (const [index, entry] of value.entries()) {
    yield
    const plain: unknown = entry
    warnOfInner(entry, RedirectEntry, pointerTo(pointer, index), problems)
    if (Value.Check(RedirectEntry, plain)) entries.push(plain)
    else report(RedirectEntry, entry, pointerTo(pointer, index), problems)
  }
  return entries.length === value.length ? entries : undefined
}

/** One error a place: those of a union’s members would only repeat it. Returns the places’ pointers. */
function report(schema: TSchema, value: Json, pointer: string, problems: Problems): string[] {
  const found = [...Value.Errors(schema, value)]
  const unions = found.filter(({ keyword }) => keyword === 'anyOf').map(({ schemaPath }) => `${schemaPath}/anyOf/`)
  const said = new Set<string>()
  for (const { keyword, schemaPath, instancePath, params } of found) {
    if (unions.some((union) => schemaPath.startsWith(union))) continue
    const place = pointer + instancePath
    const missing = keyword === 'required' && 'requiredProperties' in params ? params.requiredProperties : []
    const message =
      missing.length > 0
        ? `${label(place)} lacks ${missing.join(' and ')}.`
        : `${label(place)} must be ${describe(schema, schemaPath)}, not ${show(at(value, instancePath))}.`
    if (said.has(place)) continue
    said.add(place)
    problems.error('setting-invalid', place, message)
  }
  return [...said]
}

/** `/footer/links/0` → `footer.links.0`. */
function label(pointer: string): string {
  return pointer === ''
    ? 'docs.json'
    : pointer.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~')
}

function describe(schema: TSchema, schemaPath: string): string {
  let node: unknown = schema
  for (const token of schemaPath.split('/').slice(1)) {
    if (typeof node === 'object' && node !== null) node = Reflect.get(node, token)
  }
  const description: unknown = typeof node === 'object' && node !== null ? Reflect.get(node, 'description') : undefined
  return typeof description === 'string' && description !== '' ? description : 'of another type'
}

function at(value: Json, pointer: string): Json | undefined {
  let node: Json | undefined = value
  for (const token of tokensOf(pointer))
    node = isArray(node) ? node[Number(token)] : isObject(node) ? node[token] : undefined
  return node
}
