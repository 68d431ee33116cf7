import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import { isObject, type Json, type JsonObject } from './json.ts'
import type { Problems } from './problems.ts'

// `description` completes the sentence “… must be …” of an error.
const Text = Type.String({ maxLength: 2000, description: 'a text of at most 2000 characters' })
const Href = Type.String({ description: 'a link: a site path, or one with https, http, mailto or tel' })
const Colour = Type.String({ pattern: '^#[0-9a-fA-F]{3,8}$', description: 'a colour in hex, such as "#0f766e"' })
const File = Type.String({ description: 'the path of an image in the project, or an https link' })
const Icon = Type.Union([Type.String(), Type.Object({ name: Type.String() })], {
  description: 'the name of an icon, or { "name": … }',
})

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

const RedirectEntry = Type.Object(
  {
    source: Type.String({ description: 'a path of the site' }),
    destination: Type.String({ description: 'a path of the site or an https link' }),
    permanent: Type.Optional(Type.Boolean({ description: 'true or false' })),
  },
  { description: 'an object with source and destination' },
)
export type RedirectEntry = Static<typeof RedirectEntry>

/** Everything of docs.json that is used, but for `navigation`, whose shape its own reader checks. */
const Settings = Type.Object({
  name: Type.Optional(Text),
  description: Type.Optional(Text),
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
  navbar: Type.Optional(
    Type.Object(
      { links: Type.Optional(Type.Array(Link, { description: 'a list of links' })), primary: Type.Optional(Link) },
      { description: 'an object with links and primary' },
    ),
  ),
  footer: Type.Optional(
    Type.Object(
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
    ),
  ),
  banner: Type.Optional(Type.Object({ content: Text }, { description: 'an object with content' })),
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
      },
      { description: 'an object with color' },
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
      },
      { description: 'an object with indexing and metatags' },
    ),
  ),
  icons: Type.Optional(Type.Object({ library: Type.Optional(Text) }, { description: 'an object with library' })),
  redirects: Type.Optional(Type.Array(RedirectEntry, { description: 'a list of { source, destination }' })),
})
export type Settings = Static<typeof Settings>

/** Keys of public repositories that mean something elsewhere and nothing here. */
const ignoredFields: ReadonlySet<string> = new Set([
  '$schema', 'theme', 'navigation', 'contextual', 'api', 'integrations', 'fonts', 'styling', 'thumbnails', 'search',
  'interaction', 'errors', 'metadata', 'variables', 'topbar', 'openapi', 'asyncapi', 'layout', 'eyebrows', 'feedback',
]) // prettier-ignore

/** The settings. Each wrong place is an error; what stands under its top-level key is then left out, so that the rest can still be judged. */
export function checkSettings(value: JsonObject, problems: Problems): Settings {
  const unknown = Object.keys(value).filter((key) => !(key in Settings.properties) && !ignoredFields.has(key))
  if (unknown.length > 0) {
    const names = unknown
      .slice(0, 20)
      .map((key) => key.slice(0, 60))
      .join(', ')
    problems.warning('', `Unknown keys are ignored: ${names}${unknown.length > 20 ? ' …' : ''}.`)
  }
  const plain: unknown = value
  if (Value.Check(Settings, plain)) return plain
  const wrong = report(value, problems)
  const rest: unknown = Object.fromEntries(Object.entries(value).filter(([key]) => !wrong.has(key)))
  return Value.Check(Settings, rest) ? rest : {}
}

/** One error a place: those of a union’s members would only repeat it. Returns the top-level keys concerned. */
function report(value: JsonObject, problems: Problems): ReadonlySet<string> {
  const found = [...Value.Errors(Settings, value)]
  const unions = found.filter(({ keyword }) => keyword === 'anyOf').map(({ schemaPath }) => `${schemaPath}/anyOf/`)
  const said = new Set<string>()
  for (const { keyword, schemaPath, instancePath, params } of found) {
    if (unions.some((union) => schemaPath.startsWith(union))) continue
    const missing = keyword === 'required' && 'requiredProperties' in params ? params.requiredProperties : []
    const message =
      missing.length > 0
        ? `${label(instancePath)} lacks ${missing.join(' and ')}.`
        : `${label(instancePath)} must be ${describe(schemaPath)}, not ${show(at(value, instancePath))}.`
    if (said.has(instancePath)) continue
    said.add(instancePath)
    problems.error(instancePath, message)
  }
  return new Set([...said].map((pointer) => pointer.split('/')[1] ?? ''))
}

/** `/footer/links/0` → `footer.links.0`. */
function label(pointer: string): string {
  return pointer === ''
    ? 'docs.json'
    : pointer.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~')
}

function describe(schemaPath: string): string {
  let node: unknown = Settings
  for (const token of schemaPath.split('/').slice(1)) {
    if (typeof node === 'object' && node !== null) node = Reflect.get(node, token)
  }
  const description: unknown = typeof node === 'object' && node !== null ? Reflect.get(node, 'description') : undefined
  return typeof description === 'string' && description !== '' ? description : 'of another type'
}

function at(value: Json, pointer: string): Json | undefined {
  let node: Json | undefined = value
  for (const token of pointer.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~')
    node = Array.isArray(node) ? (node as readonly Json[])[Number(key)] : isObject(node) ? node[key] : undefined
  }
  return node
}

/** A value as it stands in an error message: short. */
export function show(value: Json | undefined): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  const text = JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}
