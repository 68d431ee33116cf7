import { parse, stringify } from 'yaml'
import type { JsonObject } from '../site.ts'
import { withoutMarks } from './callouts.ts'
import { buttonClass } from './inline.ts'
import { pictureTag } from './pictures.ts'

export interface SplitPage {
  readonly data: Readonly<Record<string, unknown>>
  readonly body: string
  /** Line of the file in which the body begins. */
  readonly firstLine: number
  /** Why the front matter could not be read. */
  readonly error?: string
}

export function splitPage(text: string): SplitPage {
  const match = /^---[ \t]*\n([\s\S]*?)(?:^|\n)(?:---|\.\.\.)[ \t]*(?:\n|$)/.exec(text)
  if (match === null) return { data: {}, body: text, firstLine: 1 }
  const body = text.slice(match[0].length)
  const firstLine = match[0].split('\n').length
  try {
    const data: unknown = parse(match[1] ?? '', { logLevel: 'silent', merge: true })
    const isObject = typeof data === 'object' && data !== null && !Array.isArray(data)
    return { data: isObject ? (data as Record<string, unknown>) : {}, body, firstLine }
  } catch (error) {
    return { data: {}, body, firstLine, error: (error as Error).message.split('\n')[0] ?? '' }
  }
}

const heading = /#[ \t]+([^\n]+?)[ \t]*#*[ \t]*(?:\n|$)|([^\n#<>|`-][^\n]*)\n=+[ \t]*(?:\n|$)/y

/** A heading of the first level at the beginning is the title; the rest is without it, and with as many lines. */
export function titleIn(body: string): { readonly title?: string; readonly rest: string } {
  const start = headEnd(body)
  heading.lastIndex = start
  const [whole = '', atx, setext] = heading.exec(body) ?? []
  const words = (atx ?? setext ?? '').replace(/[ \t]*\\?\{[:#.][^}]*\}[ \t]*$/, '').replaceAll(/<[^>]*>/g, '')
  const title = withoutMarks(words).trim()
  if (title === '') return { rest: body }
  const lines = '\n'.repeat(whole.split('\n').length - 1)
  // Blanks that kept it from being the title.
  return { title, rest: body.slice(0, start).replaceAll('&nbsp;', '') + lines + body.slice(start + whole.length) }
}

/** What may stand before a title: blanks, imports and exports, comments, scripts. */
function headEnd(body: string): number {
  const past = (text: string, from: number): number => {
    const at = body.indexOf(text, from)
    return at === -1 ? body.length : at + text.length
  }
  for (let at = 0; ;) {
    at += /^(?:\s|&nbsp;)*/.exec(body.slice(at))?.[0].length ?? 0
    if (/^(?:import|export)\s/.test(body.slice(at, at + 8))) at = past('\n\n', at)
    else if (body.startsWith('<!--', at)) at = past('-->', at)
    else if (body.startsWith('<script setup', at)) at = past('</script>', at)
    else return at
    if (at >= body.length) return at
  }
}

/** Fields that mean the same here. */
const kept = new Set([
  'title',
  'description',
  'keywords',
  'hidden',
  'noindex',
  'deprecated',
  'mode',
  'sidebarTitle',
  'tag',
  'robots',
  'author',
])
/** Fields of frameworks that have no meaning here, and whose lack nobody sees. */
const silent =
  /^(?:id|slug|layout|sidebar|sidebar_.*|hide_title|pagination_.*|prev|next|custom_edit_url|editUrl|editLink|last_?[uU]pdated?|lastUpdated|toc_.*|outline|aside|displayed_sidebar|format|tags|titleTemplate|navbar|footer|pageClass|template|hero|features|tableOfContents|pagefind|search|hide|status|comments|date|authors?|theme|head|draft|unlisted|cover|coverY|coverHeight|noIndex|noRobotsIndex|layoutOptions|searchable|asIndexPage|filePath|banner|image|hide_table_of_contents|full|isHome|sticky|linkTitle|weight|icon|metaLinks|vars|if|topic|i18nReady|tableOfContent|home|cssclasses|created|updated|order|category)$/

/** Fields whose lack readers may see: what they did. */
const seen: Readonly<Record<string, string>> = {
  tags: 'lists of pages by tag',
  pagination_prev: 'which pages come before and after',
  pagination_next: 'which pages come before and after',
  prev: 'which pages come before and after',
  next: 'which pages come before and after',
  hide_title: 'a page without its title',
  head: 'tags in the head of one page',
  comments: 'comments below a page',
  pageClass: 'a class for styles of the site’s own',
}
const isNothing = (value: unknown): boolean =>
  value === false || value === null || value === undefined || (Array.isArray(value) && value.length === 0)

interface Wanted {
  readonly title?: string | undefined
  readonly sidebarTitle?: string | undefined
  readonly icon?: string | undefined
  readonly tag?: string | undefined
  readonly openapi?: string | undefined
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== ''
    ? value.trim()
    : typeof value === 'number'
      ? String(value)
      : undefined

/**
 * Front matter in our words. @param wanted what counts before what the page says itself
 * @param told names of fields that are left out, with what they did where that is known
 */
export function writeFrontMatter(
  data: Readonly<Record<string, unknown>>,
  wanted: Wanted,
  told: (field: string, meaning?: string) => void,
): string {
  const fields: Record<string, unknown> = {}
  const set = (name: string, value: unknown): void => {
    if (value !== undefined && value !== '' && value !== null) fields[name] = value
  }
  const title = wanted.title ?? textOf(data['title'])
  set('title', title)
  const sidebarTitle = wanted.sidebarTitle ?? textOf(data['sidebarTitle'])
  if (sidebarTitle !== title) set('sidebarTitle', sidebarTitle)
  set('icon', wanted.icon)
  set('tag', wanted.tag)
  set('openapi', wanted.openapi)
  set('mode', modeOf(data))
  if (data['unlisted'] === true) set('hidden', true)
  if (data['noIndex'] === true || data['noRobotsIndex'] === true) set('noindex', true)
  const image = textOf(data['image'])
  if (image !== undefined) set('og:image', image)
  for (const [name, value] of Object.entries(data)) {
    if (name in fields || name === 'title' || name === 'sidebarTitle') continue
    if (kept.has(name)) {
      if (typeof value !== 'object' || name === 'keywords') set(name, name === 'description' ? textOf(value) : value)
    } else if (seen[name] !== undefined) {
      if (!isNothing(value)) told(name, seen[name])
    } else if (!silent.test(name)) told(name)
  }
  if (Object.keys(fields).length === 0) return ''
  return `---\n${stringify(fields, { lineWidth: 0, defaultStringType: 'PLAIN' })}---\n\n`
}

/** Without the list of contents, or without the sidebar as well. */
function modeOf(data: Readonly<Record<string, unknown>>): string | undefined {
  const layout = objectOf(data['layout'])
  const isHidden = (part: string): boolean => objectOf(layout[part])['visible'] === false
  if (isHidden('tableOfContents')) return 'center'
  return isHidden('outline') || isWide(data) ? 'wide' : undefined
}

/** The picture at the top of a page of GitBook. */
export function coverOf(data: Readonly<Record<string, unknown>>): string | undefined {
  const cover = textOf(data['cover'])
  const isShown = objectOf(objectOf(data['layout'])['cover'])['visible'] !== false
  return cover === undefined || !isShown ? undefined : `<img src="${cover.replaceAll('"', '%22')}" alt="">`
}

const isWide = (data: Readonly<Record<string, unknown>>): boolean =>
  data['hide_table_of_contents'] === true ||
  data['tableOfContents'] === false ||
  data['outline'] === false ||
  data['aside'] === false ||
  (Array.isArray(data['hide']) && data['hide'].includes('toc'))

/** The first page of sites of VitePress and Starlight: what front matter says of it, as Markdown. */
export function heroOf(
  data: Readonly<Record<string, unknown>>,
): { readonly title?: string; readonly body: string } | undefined {
  const hero = objectOf(data['hero'])
  const features = Array.isArray(data['features']) ? data['features'].map(objectOf) : []
  if (Object.keys(hero).length === 0 && features.length === 0) return undefined
  const plain = (value: unknown): string => (textOf(value) ?? '').replaceAll(/<[^>]*>/g, '').replaceAll(/[{<]/g, '\\$&')
  const title = textOf(hero['text']) ?? textOf(hero['title']) ?? textOf(hero['name'])
  const lines: string[] = []
  if (hero['tagline'] !== undefined) lines.push(plain(hero['tagline']), '')
  const picture = pictureOf(hero['image'])
  if (picture !== undefined) lines.push(picture, '')
  const actions = (Array.isArray(hero['actions']) ? hero['actions'] : []).map(objectOf)
  const buttons = actions.flatMap((action) => {
    const [label, href] = [textOf(action['text']), textOf(action['link'])]
    return label === undefined || href === undefined
      ? []
      : [`<a class="${buttonClass}" href="${attributeOf(href)}">${plain(label)}</a>`]
  })
  if (buttons.length > 0) lines.push(`<div class="flex flex-wrap gap-3">${buttons.join('')}</div>`, '')
  if (features.length > 0) {
    lines.push('<CardGroup cols="2">', '')
    for (const feature of features) {
      const href = textOf(feature['link'])
      const { mark, icon } = iconIn(feature['icon'])
      const head = [
        `<Card title="${attributeOf([mark, plain(feature['title'])].filter(Boolean).join(' '))}"`,
        ...(icon === undefined ? [] : [`icon="${attributeOf(icon)}"`]),
        ...(href === undefined ? [] : [`href="${attributeOf(href)}"`]),
      ]
      lines.push(`${head.join(' ')}>`, '', plain(feature['details']), '', '</Card>', '')
    }
    lines.push('</CardGroup>', '')
  }
  const named = title === undefined ? {} : { title: plain(title) }
  return { ...named, body: lines.join('\n') }
}

const attributeOf = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')

/** An emoji before the title of a card, or a picture above it; code of an SVG is neither. */
function iconIn(value: unknown): { readonly mark?: string; readonly icon?: string } {
  const source = textOf(objectOf(value)['src']) ?? textOf(objectOf(value)['light'])
  if (source !== undefined) return { icon: source }
  const text = textOf(value)
  return text === undefined || text.includes('<') || text.length > 8 ? {} : { mark: text }
}

/** `/logo.svg`, `{ src, alt }`, `{ file }`, `{ light, dark }`: the picture of a first page, in each theme. */
function pictureOf(value: unknown): string | undefined {
  const image = objectOf(value)
  const alt = textOf(image['alt']) ?? ''
  const [light, dark] = [textOf(image['light']), textOf(image['dark'])]
  if (light !== undefined && dark !== undefined)
    return pictureTag(light, { alt, width: '320' }, 'light') + pictureTag(dark, { alt, width: '320' }, 'dark')
  const source = textOf(value) ?? textOf(image['src']) ?? textOf(image['file']) ?? light ?? dark
  return source === undefined ? undefined : pictureTag(source, { alt, width: '320' })
}

/** What stands above a page of Starlight: `banner.content`, which is HTML. */
export function bannerOf(data: Readonly<Record<string, unknown>>): string | undefined {
  const content = textOf(objectOf(data['banner'])['content'])
  return content === undefined ? undefined : `> [!NOTE]\n> ${content.replaceAll(/\s*\n\s*/g, ' ')}\n`
}

function objectOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
}
