import { posix } from 'node:path'
import { dictionary } from '#site/mdx/interpreter/values.ts'
import { listIn, objectIn, textIn, type Dictionary, type Item } from '../data.ts'
import { pathFrom } from '../project.ts'
import type { JsonObject, Page, Reading } from '../site.ts'
import { headSettings, headTagsIn, type HeadTag } from './head.ts'
import { colorIn, repositoryOf, socialsOf, urlOf } from './shared.ts'

/** A plugin or a preset with what it is given. */
export interface Plugin {
  readonly name: string
  readonly options: Dictionary
}

/** What stands in the head of every page, also by plugins. */
function headOf(config: Dictionary, plugins: readonly Plugin[]): HeadTag[] {
  const theme = objectIn(config['themeConfig'])
  const image = textIn(theme['image'])
  const metas = listIn(theme['metadata']).map((item): HeadTag => ({ name: 'meta', attributes: objectIn(item) }))
  const social = image === undefined ? [] : [{ property: 'og:image', content: `/${image.replace(/^\/+/, '')}` }]
  const scripts = listIn(config['scripts']).flatMap((item): HeadTag[] => {
    const own = typeof item === 'string' ? dictionary([['src', item] as const]) : objectIn(item)
    return [{ name: 'script', attributes: own }]
  })
  const services = plugins.flatMap(({ name, options }) => [
    ...(/gtag|google/.test(name) ? [options] : []),
    ...['gtag', 'googleTagManager'].map((key) => objectIn(options[key])),
  ])
  const ids = services.flatMap((options) => {
    const id = options['trackingID'] ?? options['containerId']
    return typeof id === 'string' ? [id] : listIn(id).flatMap((one) => textIn(one) ?? [])
  })
  return [
    ...social.map((attributes): HeadTag => ({ name: 'meta', attributes: dictionary(Object.entries(attributes)) })),
    ...metas,
    ...scripts,
    ...ids.map((id): HeadTag => ({ name: 'script', attributes: dictionary([['src', id] as const]) })),
    ...headTagsIn(config['headTags']),
  ]
}

interface SettingsContext extends Reading {
  readonly pages: readonly Page[]
  readonly presets: readonly Plugin[]
  readonly plugins: readonly Plugin[]
}

/** docs.json but for navigation and redirects. */
export function settingsOf(config: Dictionary, context: SettingsContext): JsonObject {
  const { report, sign, presets, plugins } = context
  const tags = headOf(config, [...plugins, ...presets.map(({ options }) => ({ name: '', options }))])
  return { ...looksOf(config, context), ...headSettings(tags, report, sign) }
}

function looksOf(config: Dictionary, { project, report, sign, folder, pages, presets }: SettingsContext): JsonObject {
  const theme = objectIn(config['themeConfig'])
  const css = objectIn(presets.find(({ name }) => name.endsWith('classic'))?.options['theme'])['customCss']
  const navbar = objectIn(theme['navbar'])
  const logo = objectIn(navbar['logo'])
  const styles = (typeof css === 'string' ? [css] : listIn(css).flatMap((item) => textIn(item) ?? [])).flatMap(
    (path) => pathFrom(folder, path) ?? [],
  )
  const path = (value: Item): string | undefined => {
    const own = textIn(value)
    return own === undefined || /^https?:/.test(own) ? own : `/${own.replace(/^\/+/, '')}`
  }
  const [light, dark] = [path(logo['src']), path(logo['srcDark'])]
  const items = listIn(navbar['items']).map(objectIn)
  const known = new Set(pages.map(({ url }) => url))
  const base = (textIn(config['baseUrl']) ?? '/').replace(/\/$/, '')
  const linkIn = (item: Dictionary): { label: string; href: string }[] => {
    const [label, href, to] = [textIn(item['label']), textIn(item['href']), path(item['to'])]
    if (label === undefined) return []
    if (href !== undefined) return [{ label, href }]
    if (to === undefined) return []
    if (/^https?:/.test(to)) return [{ label, href: to }]
    if (known.has(urlOf(to.replace(/[?#].*$/, '').replace(base, '')))) return [{ label, href: to }]
    report.add('navigation', sign, `The bar at the top leads to ${to} (${label}), which was not carried over.`)
    return []
  }
  const outside = items.flatMap(linkIn)
  // Menus are columns at the foot of the page.
  const menus = items.flatMap((item) => {
    const inner = listIn(item['items']).map(objectIn).flatMap(linkIn)
    return inner.length === 0 ? [] : [{ header: textIn(item['label']) ?? 'More', items: inner }]
  })
  const bar = objectIn(theme['announcementBar'])
  const text = textIn(bar['content'])
    ?.replaceAll(/<a[^>]*href=["']([^"']*)["'][^>]*>(.*?)<\/a>/g, '[$2]($1)')
    .replaceAll(/<[^>]*>/g, '')
  const columns = listIn(objectIn(theme['footer'])['links'])
    .map(objectIn)
    .flatMap((column) => {
      const own = [...listIn(column['items']).map(objectIn), column].flatMap((item) => {
        const [label, href] = [textIn(item['label']), textIn(item['href']) ?? path(item['to'])]
        return label === undefined || href === undefined ? [] : [{ label, href }]
      })
      return own.length === 0 ? [] : [{ ...optional('header', textIn(column['title'])), items: own }]
    })
  const mode = textIn(objectIn(theme['colorMode'])['defaultMode'])
  const color = colorIn(project, [...styles, posix.join(folder, 'src/css/custom.css')], ['--ifm-color-primary'])
  // Most are made by code, which is not read.
  if (/\bcopyright\s*:/.test(project.text(sign) ?? ''))
    report.add('theme', sign, 'The copyright at the foot of pages was left out: a link in `footer` can say it.')
  const repository =
    repositoryOf(textIn(objectIn(config['customFields'])['repoUrl'])) ??
    repositoryOf(outside.find(({ href }) => /github\.com/.test(href))?.href)
  const socials = socialsOf(outside.map(({ href }) => ['', href]))
  const links = outside.filter(({ href }) => !Object.values(socials).includes(href))
  return {
    name: textIn(navbar['title']) ?? textIn(config['title']) ?? 'Documentation',
    description: textIn(config['tagline']),
    colors: { primary: color ?? '#2e8555' },
    logo: light === undefined ? undefined : { light, dark: dark ?? light },
    favicon: path(config['favicon']),
    appearance:
      mode === 'dark' || mode === 'light'
        ? { default: objectIn(theme['colorMode'])['respectPrefersColorScheme'] === true ? 'system' : mode }
        : undefined,
    banner: text === undefined ? undefined : { content: text, dismissible: bar['isCloseable'] !== false },
    navbar: links.length === 0 ? undefined : { links },
    footer:
      columns.length + menus.length === 0 && Object.keys(socials).length === 0
        ? undefined
        : { socials, links: [...columns, ...menus].slice(0, 4) },
    repository,
  }
}

const optional = (name: string, value: string | undefined): JsonObject => (value === undefined ? {} : { [name]: value })
