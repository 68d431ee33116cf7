import { defaultColour, type Shell, type ShellLink } from '../shell.ts'
import { pointerTo, show } from '../../lib/json-reader.ts'
import type { Problems } from './problems.ts'
import type { Settings } from './schema.ts'
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
  /** Whether the project has a file, for warnings about images. */
  hasFile(path: string): boolean
}

type LinkSetting = NonNullable<NonNullable<Settings['navbar']>['primary']>
type ImageSetting = NonNullable<Settings['logo']>

/** Turns checked settings into the shell’s parts. Links and image paths are checked here; refused ones are errors. */
export function shellSettings(settings: Settings, context: SettingsContext): ShellSettings {
  const { colors, appearance, background } = settings
  const logo = images(settings.logo, '/logo', context)
  const logoHref = typeof settings.logo === 'object' ? settings.logo.href : undefined
  const favicon = images(settings.favicon ?? usualFavicon(context), '/favicon', context)
  const href = logoHref === undefined ? undefined : link(logoHref, '/logo/href', context)
  const primary = settings.navbar?.primary && shellLink(settings.navbar.primary, '/navbar/primary', context)
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
    navbar: { links: links(settings.navbar?.links ?? [], '/navbar/links', context), ...pick('primary', primary) },
    footer: { socials: socials(settings, context), columns: columns(settings, context) },
    ...(settings.banner ? { banner: readBanner(settings.banner, context) } : {}),
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

function images(setting: ImageSetting | undefined, pointer: string, context: SettingsContext) {
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

function socials(settings: Settings, context: SettingsContext): ShellLink[] {
  return Object.entries(settings.footer?.socials ?? {}).flatMap(([platform, target]) => {
    const href = link(target, pointerTo('/footer/socials', platform), context)
    if (href === undefined) return []
    const icon = context.icon(platform, 'brands') ?? context.icon(platform) ?? context.icon('globe')
    return [{ label: platformName(platform) ?? platform, href, ...pick('icon', icon) }]
  })
}

function columns(settings: Settings, context: SettingsContext): Shell['footer']['columns'] {
  return (settings.footer?.links ?? []).map((column, index) => ({
    ...pick('header', column.header),
    links: links(column.items, `/footer/links/${index}/items`, context),
  }))
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
    if (name === 'robots') continue
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

type Banner = NonNullable<Shell['banner']>
type BannerPart = NonNullable<Banner['parts']>[number]
type BannerSetting = NonNullable<Settings['banner']>

const linkPattern = /!?\[([^\]\n]{0,500})\]\(\s*([^)\s]{0,2000})[^)\n]{0,500}\)/g

const strongPattern = /(\*\*|__)(?=\S)([^*_\n]{1,500})\1/g

/** A banner is written in Markdown: of that, links and strong words stay; a refused link is an error at its pointer. */
function readBanner({ content, dismissible }: BannerSetting, context: { readonly problems: Problems }): Banner {
  const parts: BannerPart[] = []
  let end = 0
  for (const match of content.matchAll(linkPattern)) {
    const [whole, label = '', target = ''] = match
    parts.push(...words(content.slice(end, match.index)))
    const href = whole.startsWith('!') ? undefined : link(target, '/banner/content', context)
    parts.push({ text: plain(label), ...pick('href', href) })
    end = match.index + whole.length
  }
  parts.push(...words(content.slice(end)))
  const shown = parts.filter(({ text }) => text !== '')
  return {
    text: shown
      .map(({ text }) => text)
      .join('')
      .trim(),
    parts: shown,
    ...(dismissible === true ? { dismissible } : {}),
  }
}

function words(markdown: string): BannerPart[] {
  const parts: BannerPart[] = []
  let end = 0
  for (const match of markdown.matchAll(strongPattern)) {
    parts.push({ text: plain(markdown.slice(end, match.index)) }, { text: plain(match[2] ?? ''), strong: true })
    end = match.index + match[0].length
  }
  return [...parts, { text: plain(markdown.slice(end)) }]
}

function plain(markdown: string): string {
  return markdown.replaceAll(/[*_`]{1,3}/g, '').replaceAll(/\s+/g, ' ')
}
