import { isArray, isObject, pointerTo, type JsonObject } from '../../lib/json-reader.ts'
import { languageTag } from '../languages.ts'
import type { Shell, ShellLink } from '../shell.ts'
import { inlineOf } from './inline.ts'
import { switchLists } from './navigation-keys.ts'
import type { Settings } from './schema.ts'
import { checkOfLanguage } from './validation.ts'
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

/** Parts of a navigation that are looked at for languages. */
const maxDivisions = 2000

interface Division {
  readonly entry: JsonObject
  readonly pointer: string
  /** Of a language, as it is written. */
  readonly code: string | undefined
}

/** All divisions of the navigation, each before those within it. */
function divisionsOf(document: JsonObject | null): readonly Division[] {
  const navigation = document?.['navigation']
  const found: Division[] = isObject(navigation) ? [{ entry: navigation, pointer: '/navigation', code: undefined }] : []
  // Grows as it is gone through.
  for (const { entry, pointer } of found)
    for (const key of switchLists) {
      const within = entry[key]
      for (const [index, one] of isArray(within) ? within.entries() : []) {
        if (found.length > maxDivisions) return found
        const code = key === 'languages' && isObject(one) ? one['language'] : undefined
        if (isObject(one))
          found.push({
            entry: one,
            pointer: pointerTo(pointerTo(pointer, key), index),
            code: typeof code === 'string' ? code : undefined,
          })
      }
    }
  return found
}

/**
 * Banner, navbar and footer that languages of the navigation have for their own pages, wherever they stand in it: of
 * several entries of a language, those of the first that has some.
 */
export function languagesOf(document: JsonObject | null, context: SettingsContext): Shell['languages'] {
  const found = new Map<string, NonNullable<Shell['languages']>[string]>()
  /** What was written for those, which may be written again at each place of the language. */
  const written = new Map<string, string>()
  for (const { entry, pointer, code } of divisionsOf(document)) {
    const named = (['banner', 'navbar', 'footer'] as const).filter((key) => entry[key] !== undefined)
    if (named.length === 0) continue
    const tag = code === undefined ? undefined : (languageTag(code) ?? code)
    const text = JSON.stringify(named.map((key) => [key, entry[key]]))
    if (tag !== undefined && written.get(tag) === text) continue
    if (tag === undefined || found.has(tag) || found.size >= maxLanguages) {
      const why = tag === undefined ? 'only languages have one of their own' : 'the language has one at another place'
      for (const key of named)
        context.problems.warning('setting-ignored', `${pointer}/${key}`, `This ${key} is not shown: ${why}.`)
      continue
    }
    const own = checkOfLanguage(entry, pointer, context.problems)
    const parts = {
      ...pick('banner', own.banner && bannerOf(own.banner, `${pointer}/banner`, context)),
      ...pick('navbar', own.navbar && navbarOf(own.navbar, `${pointer}/navbar`, context)),
      ...pick('footer', own.footer && footerOf(own.footer, `${pointer}/footer`, context)),
    }
    if (Object.keys(parts).length > 0) found.set(tag, parts)
    written.set(tag, text)
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
