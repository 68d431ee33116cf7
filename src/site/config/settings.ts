import type { Json } from '../../lib/json-reader.ts'
import { pointerTo, show } from '../../lib/json-reader.ts'
import { languageTag } from '../languages.ts'
import { withoutEndSlashes } from '../../lib/url-path.ts'
import { forbidsIndexing, longestMetatag, maxMetatags, siteTags, type Metatag } from '../metatags.ts'
import { defaultColour, type Shell } from '../shell.ts'
import { bannerOf, footerOf, languagesOf, navbarOf } from './around.ts'
import { checkHref } from './href.ts'
import { inlineOf } from './inline.ts'
import { integrationsOf, isTelemetryOff } from './integrations.ts'
import { lookOf } from './look.ts'
import type { Settings } from './schema.ts'
import { images, link, pick, type SettingsContext } from './values.ts'

/** The parts of the shell that docs.json alone decides. */
export type ShellSettings = Omit<
  Shell,
  'format' | 'url' | 'anchors' | 'sections' | 'places' | 'assets' | 'actions' | 'repository'
>

/** Turns checked settings into the shell’s parts. Links and image paths are checked here; refused ones are errors. */
export function shellSettings(settings: Settings, context: SettingsContext): ShellSettings {
  const { colors, appearance, background } = settings
  const { document = null } = context
  const isSilent = isTelemetryOff(document)
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
    ...pick('languages', languagesOf(document, context)),
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
    ...pick('analytics', (settings.analytics?.enabled === true && !isSilent) || undefined),
    ...pick('integrations', isSilent ? undefined : integrationsOf(document, context.problems)),
    ...pick('drilldown', settings.interaction?.drilldown || undefined),
    ...pick(
      'feedback',
      ((settings.feedback?.enabled ?? settings.feedback?.thumbsRating) === true && !isSilent) || undefined,
    ),
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

function lostOf({ errors }: Settings, context: SettingsContext): Shell['lost'] {
  const { title, description, redirect } = errors?.['404'] ?? {}
  const parts = description === undefined ? undefined : inlineOf(description, '/errors/404/description', context)
  const lost = { ...pick('title', title), ...pick('parts', parts), ...(redirect === true ? { redirect } : {}) }
  return Object.keys(lost).length === 0 ? undefined : lost
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
    return withoutEndSlashes(checked.href)
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
