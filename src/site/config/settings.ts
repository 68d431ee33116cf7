import { defaultColour, type Shell, type ShellLink } from '../shell.ts'
import { isArray, isObject, pointerTo, show, type Json, type JsonObject } from '../../lib/json-reader.ts'
import type { Problems } from './problems.ts'
import { checkOfLanguage, type Settings } from './schema.ts'
import { inlineOf } from './inline.ts'
import { lookOf } from './look.ts'
import { checkHref } from './href.ts'
import { languageTag } from '../languages.ts'
import { forbidsIndexing, longestMetatag, maxMetatags, siteTags, type Metatag } from '../metatags.ts'

/** Inline SVG of an icon by name (and set), or undefined when there is none. */
export type IconLookup = (name: string, set?: string) => string | undefined

/** The parts of the shell that docs.json alone decides. */
export type ShellSettings = Omit<
  Shell,
  'format' | 'url' | 'anchors' | 'sections' | 'places' | 'assets' | 'actions' | 'repository'
>

export interface SettingsContext {
  /** When docs.json gives no name. */
  readonly title: string
  readonly problems: Problems
  readonly icon: IconLookup
  /** docs.json, for what stands at its navigation. */
  readonly document?: JsonObject | null
  /** Whether the project has a file, for warnings about images. */
  hasFile(path: string): boolean
}

type LinkSetting = NonNullable<NonNullable<Settings['navbar']>['primary']>
export type ImageSetting = NonNullable<Settings['logo']>

/** Turns checked settings into the shell’s parts. Links and image paths are checked here; refused ones are errors. */
export function shellSettings(settings: Settings, context: SettingsContext): ShellSettings {
  const { colors, appearance, background } = settings
  const logo = images(settings.logo, '/logo', context)
  const logoHref = typeof settings.logo === 'object' ? settings.logo.href : undefined
  const favicon = images(settings.favicon ?? usualFavicon(context), '/favicon', context)
  const href = logoHref === undefined ? undefined : link(logoHref, '/logo/href', context)
  const ground = { ...pick('light', background?.color?.light), ...pick('dark', background?.color?.dark) }
  return {
    name: settings.name?.trim() || context.title,
    ...pick('description', settings.description),
    ...pick('lang', settings.language === undefined ? undefined : languageTag(settings.language)),
    colors: {
      primary: colors?.primary ?? defaultColour,
      ...pick('light', colors?.light),
      ...pick('dark', colors?.dark),
      ...(Object.keys(ground).length > 0 ? { background: ground } : {}),
    },
    appearance: { default: appearance?.default ?? 'system', strict: appearance?.strict ?? false },
    ...(logo ? { logo: { ...logo, ...pick('href', href) } } : {}),
    ...pick('favicon', favicon),
    navbar: navbarOf(settings.navbar, '/navbar', context),
    footer: footerOf(settings.footer, '/footer', context),
    ...pick('banner', settings.banner && bannerOf(settings.banner, '/banner', context)),
    ...pick('languages', languagesOf(context.document ?? null, context)),
    ...pick('look', lookOf(settings, context)),
    ...pick('lost', lostOf(settings, context)),
    ...pick('prompt', settings.search?.prompt?.trim() || undefined),
    ...(settings.metadata?.timestamp === false ? { timestamps: false as const } : {}),
    ...pick('organization', organizationOf(settings, context)),
    ...pick('canonical', canonicalOf(settings, context)),
    ...(forbidsIndexing(settings.seo?.metatags?.['robots']) ? { noindex: true } : {}),
    ...pick('metatags', metatags(settings, context)),
    ...pick('cards', cardsOf(settings)),
    ...pick('ask', askOf(settings)),
    ...pick('analytics', settings.analytics?.enabled === true || undefined),
    ...pick('feedback', (settings.feedback?.enabled ?? settings.feedback?.thumbsRating) === true || undefined),
  }
}

function cardsOf({ thumbnails, appearance }: Settings): ShellSettings['cards'] {
  if (thumbnails?.enabled === false) return undefined
  return thumbnails?.appearance ?? (appearance?.default === 'dark' ? 'dark' : 'light')
}

/** Languages that have a banner, a navbar or a footer of their own. */
const maxLanguages = 100
/** Answers a day where docs.json says nothing. */
const usualAnswers = 100

function askOf({ ask, seo }: Settings): ShellSettings['ask'] {
  if (ask?.enabled !== true) return undefined
  return { dailyLimit: ask.dailyLimit ?? usualAnswers, pages: seo?.indexing === 'all' ? 'all' : 'navigable' }
}

/** Where the favicon of a site is that says nothing about it. */
function usualFavicon(context: SettingsContext): string | undefined {
  return ['/favicon.svg', '/favicon.png', '/favicon.ico'].find((path) => context.hasFile(path.slice(1)))
}

/** An icon as docs.json writes it: a name, or `{name, library}`. Unknown ones are left out with a warning. */
export function iconOf(
  value: unknown,
  pointer: string,
  context: Pick<SettingsContext, 'problems' | 'icon'>,
): string | undefined {
  const named = typeof value === 'object' && value !== null ? value : { name: value }
  const name: unknown = Reflect.get(named, 'name')
  const library: unknown = Reflect.get(named, 'library') ?? Reflect.get(named, 'style')
  if (typeof name !== 'string' || name === '') return undefined
  const svg = context.icon(name, typeof library === 'string' ? library : undefined)
  if (svg === undefined)
    context.problems.warning('icon-unknown', pointer, `There is no icon ${show(name)}; it is left out.`)
  return svg
}

/** `{ [key]: value }`, or nothing when the value is absent. */
export function pick<K extends string, V>(key: K, value: V | undefined): Partial<Record<K, V>> {
  return value === undefined ? {} : ({ [key]: value } as Record<K, V>)
}

export function images(setting: ImageSetting | undefined, pointer: string, context: SettingsContext) {
  if (setting === undefined) return undefined
  if (typeof setting === 'string') {
    const image = imagePath(setting, pointer, context)
    return image === undefined ? undefined : { light: image, dark: image }
  }
  const light = setting.light === undefined ? undefined : imagePath(setting.light, `${pointer}/light`, context)
  const dark = setting.dark === undefined ? undefined : imagePath(setting.dark, `${pointer}/dark`, context)
  const either = light ?? dark
  return either === undefined ? undefined : { light: light ?? either, dark: dark ?? either }
}

function imagePath(value: string, pointer: string, context: SettingsContext): string | undefined {
  const href = link(value, pointer, context)
  if (href === undefined || !href.startsWith('/')) return href
  const path = href.slice(1)
  if (path.split('/').includes('..')) {
    context.problems.error('setting-link', pointer, `The path ${show(value)} leads out of the project.`)
    return undefined
  }
  if (!context.hasFile(path)) {
    context.problems.warning('file-missing', pointer, `The project has no file ${show(path)}.`)
    return undefined
  }
  return href
}

function links(entries: readonly LinkSetting[], pointer: string, context: SettingsContext): ShellLink[] {
  return entries.flatMap((entry, index) => shellLink(entry, pointerTo(pointer, index), context) ?? [])
}

function shellLink(entry: LinkSetting, pointer: string, context: SettingsContext): ShellLink | undefined {
  const key = entry.href === undefined ? 'url' : 'href'
  const target = entry.href ?? entry.url
  if (target === undefined) {
    context.problems.error('setting-link', pointer, 'The link lacks href.')
    return undefined
  }
  const href = link(target, pointerTo(pointer, key), context)
  if (href === undefined) return undefined
  const platform = entry.type !== undefined && entry.type !== 'button' && entry.type !== 'link' ? entry.type : undefined
  const icon =
    entry.icon === undefined
      ? platform && context.icon(platform, 'brands')
      : iconOf(entry.icon, `${pointer}/icon`, context)
  return { label: entry.label ?? platformName(platform) ?? target, href, ...pick('icon', icon) }
}

function navbarOf(navbar: Settings['navbar'], pointer: string, context: SettingsContext): Shell['navbar'] {
  const primary = navbar?.primary && shellLink(navbar.primary, `${pointer}/primary`, context)
  return { links: links(navbar?.links ?? [], `${pointer}/links`, context), ...pick('primary', primary) }
}

function footerOf(footer: Settings['footer'], pointer: string, context: SettingsContext): Shell['footer'] {
  const socials = Object.entries(footer?.socials ?? {}).flatMap(([platform, target]) => {
    const href = link(target, pointerTo(`${pointer}/socials`, platform), context)
    if (href === undefined) return []
    const icon = context.icon(platform, 'brands') ?? context.icon(platform) ?? context.icon('globe')
    return [{ label: platformName(platform) ?? platform, href, ...pick('icon', icon) }]
  })
  const columns = (footer?.links ?? []).map((column, index) => ({
    ...pick('header', column.header),
    links: links(column.items, `${pointer}/links/${index}/items`, context),
  }))
  return { socials, columns }
}

/** Its words as text tell whether a reader has closed this one. */
function bannerOf(
  { content, dismissible, type, color }: NonNullable<Settings['banner']>,
  pointer: string,
  context: SettingsContext,
): NonNullable<Shell['banner']> {
  const parts = inlineOf(content, `${pointer}/content`, context)
  const colors = typeof color === 'string' ? { light: color, dark: color } : color
  return {
    text: parts
      .map(({ text }) => text)
      .join('')
      .trim(),
    parts,
    ...(dismissible === true ? { dismissible } : {}),
    ...pick('type', type === 'info' ? undefined : type),
    ...pick('color', colors),
  }
}

/** Banner, navbar and footer that entries of `navigation.languages` have for their own pages. */
function languagesOf(document: JsonObject | null, context: SettingsContext): Shell['languages'] {
  const navigation = document?.['navigation']
  const entries = isObject(navigation) ? navigation['languages'] : undefined
  if (!isArray(entries)) return undefined
  const found = new Map<string, NonNullable<Shell['languages']>[string]>()
  for (const [index, entry] of entries.slice(0, maxLanguages).entries()) {
    const code = isObject(entry) ? entry['language'] : undefined
    if (!isObject(entry) || typeof code !== 'string') continue
    const pointer = pointerTo('/navigation/languages', index)
    const own = checkOfLanguage(entry, pointer, context.problems)
    const parts = {
      ...pick('banner', own.banner && bannerOf(own.banner, `${pointer}/banner`, context)),
      ...pick('navbar', own.navbar && navbarOf(own.navbar, `${pointer}/navbar`, context)),
      ...pick('footer', own.footer && footerOf(own.footer, `${pointer}/footer`, context)),
    }
    if (Object.keys(parts).length > 0) found.set(languageTag(code) ?? code, parts)
  }
  return found.size === 0 ? undefined : Object.fromEntries(found)
}

/** What the page of a lost reader says, in the place of our words. */
function lostOf({ errors }: Settings, context: SettingsContext): Shell['lost'] {
  const { title, description, redirect } = errors?.['404'] ?? {}
  const parts = description === undefined ? undefined : inlineOf(description, '/errors/404/description', context)
  const lost = { ...pick('title', title), ...pick('parts', parts), ...(redirect === true ? { redirect } : {}) }
  return Object.keys(lost).length === 0 ? undefined : lost
}

const platforms: ReadonlyMap<string, string> = new Map([
  ['github', 'GitHub'],
  ['gitlab', 'GitLab'],
  ['x-twitter', 'X'],
  ['linkedin', 'LinkedIn'],
  ['youtube', 'YouTube'],
  ['earth-americas', 'Website'],
])

function platformName(platform: string | undefined): string | undefined {
  if (platform === undefined) return undefined
  return platforms.get(platform) ?? platform.charAt(0).toUpperCase() + platform.slice(1).replaceAll('-', ' ')
}

/** `seo.metatags` that may stand in the head of every page; what may not is a warning at its name. */
function metatags({ seo }: Settings, { problems }: SettingsContext): Shell['metatags'] {
  const tags: Metatag[] = []
  for (const [name, value] of Object.entries(seo?.metatags ?? {})) {
    if (name === 'robots' || name === 'canonical') continue
    const content = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
    const isText = typeof content === 'string' && content.length <= longestMetatag
    if (isText && siteTags.test(name) && tags.length < maxMetatags) tags.push([name, content])
    else
      problems.warning(
        'setting-ignored',
        pointerTo('/seo/metatags', name),
        `The tag ${show(name)} is left out: ${whyNot(name, isText)}.`,
      )
  }
  return tags.length === 0 ? undefined : tags
}

/** Where search engines are to look for the site: `canonical` of the tags, an origin with perhaps a path below it. */
function canonicalOf({ seo }: Settings, { problems }: SettingsContext): string | undefined {
  const value = seo?.metatags?.['canonical']
  if (value === undefined) return undefined
  const checked = typeof value === 'string' ? checkHref(value) : undefined
  if (checked !== undefined && 'href' in checked && /^https?:/i.test(checked.href) && !/[?#]/.test(checked.href))
    return checked.href.replace(/\/+$/, '')
  problems.warning(
    'setting-ignored',
    '/seo/metatags/canonical',
    `canonical must be the https address of the site, not ${show(value as Json)}; pages name the address of this site.`,
  )
  return undefined
}

/** Who publishes the site, in the words of schema.org. */
function organizationOf({ seo }: Settings, context: SettingsContext): Shell['organization'] {
  if (seo?.organization === undefined) return undefined
  const { id, name, legalName, url, logo, sameAs } = seo.organization
  const pointer = '/seo/organization'
  const hrefs = (sameAs ?? []).flatMap((href, index) => link(href, `${pointer}/sameAs/${index}`, context) ?? [])
  return {
    ...pick('@id', id === undefined ? undefined : link(id, `${pointer}/id`, context)),
    ...pick('name', name),
    ...pick('legalName', legalName),
    ...pick('url', url === undefined ? undefined : link(url, `${pointer}/url`, context)),
    ...pick('logo', logo === undefined ? undefined : link(logo, `${pointer}/logo`, context)),
    ...pick('sameAs', hrefs.length === 0 ? undefined : hrefs),
  }
}

function whyNot(name: string, isText: boolean): string {
  if (!isText) return `its content must be a text of at most ${longestMetatag} characters`
  return siteTags.test(name)
    ? `there are more than ${maxMetatags}`
    : 'each page says this by itself, or it is none that a site may set'
}

/** The checked href, or undefined after an error at the pointer. */
export function link(
  value: string,
  pointer: string,
  { problems }: { readonly problems: Problems },
): string | undefined {
  const checked = checkHref(value)
  if ('href' in checked) return checked.href
  problems.error('setting-link', pointer, `The link ${show(value)} is refused: ${checked.refused}.`)
  return undefined
}
