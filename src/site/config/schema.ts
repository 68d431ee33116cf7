import { Type, type Static, type TProperties } from 'typebox'
import { limits } from '../../contract/limits.ts'
import { providers, refusedProviders } from '../integrations.ts'

// `description` completes the sentence “… must be …” of an error.
const Text = Type.String({ maxLength: 2000, description: 'a text of at most 2000 characters' })
const Flag = Type.Boolean({ description: 'true or false' })
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

const LightDark = Type.Object({ light: Type.Optional(File), dark: Type.Optional(File), href: Type.Optional(Href) })

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

export const RedirectEntry = Type.Object(
  {
    source: Type.String({ description: 'a path of the site' }),
    destination: Type.String({ description: 'a path of the site or an https link' }),
    permanent: Type.Optional(Flag),
  },
  { description: 'an object with source and destination' },
)
export type RedirectEntry = Static<typeof RedirectEntry>

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
export const OfLanguage = Type.Object({
  banner: Type.Optional(Banner),
  footer: Type.Optional(Footer),
  navbar: Type.Optional(Navbar),
})
export type OfLanguage = Static<typeof OfLanguage>

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
export const Settings = Type.Object({
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
  logo: Type.Optional(Type.Union([File, LightDark], { description: 'a path, or an object with light, dark and href' })),
  favicon: Type.Optional(Type.Union([File, LightDark], { description: 'a path, or an object with light and dark' })),
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
        strict: Type.Optional(Flag),
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
          Type.Union([File, LightDark], { description: 'a path, or an object with light and dark' }),
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
        enabled: Type.Optional(Flag),
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
        enabled: Flag,
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
        enabled: Type.Optional(Flag),
        thumbsRating: Type.Optional(Flag),
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
