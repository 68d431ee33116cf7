import { isArray, isObject, pointerTo, type JsonObject } from '../../lib/json-reader.ts'
import { languageTag } from '../languages.ts'
import type { Shell, ShellLink } from '../shell.ts'
import { inlineOf } from './inline.ts'
import { checkOfLanguage, type Settings } from './schema.ts'
import { iconOf, link, pick, type SettingsContext } from './values.ts'

/* What stands around pages: the bar at the top, the footer, the banner; and those of a language. */

type LinkSetting = NonNullable<NonNullable<Settings['navbar']>['primary']>

/** Languages that have a banner, a navbar or a footer of their own. */
const maxLanguages = 100

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

export function navbarOf(navbar: Settings['navbar'], pointer: string, context: SettingsContext): Shell['navbar'] {
  const primary = navbar?.primary && shellLink(navbar.primary, `${pointer}/primary`, context)
  return { links: links(navbar?.links ?? [], `${pointer}/links`, context), ...pick('primary', primary) }
}

export function footerOf(footer: Settings['footer'], pointer: string, context: SettingsContext): Shell['footer'] {
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
export function bannerOf(
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
export function languagesOf(document: JsonObject | null, context: SettingsContext): Shell['languages'] {
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
