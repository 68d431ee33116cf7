import leven from 'leven'
import type { Value } from '../components/component.tsx'
import { forbidsIndexing, longestMetatag, maxMetatags, pageTags, type Metatag } from '../metatags.ts'
import { detailAt, PageProblem } from './problem.ts'
import { absentActions, pageActions } from '../shell.ts'
import { fieldLine, maxWarnings, YamlReader, type FrontMatterData, type FrontMatterWarning } from './yaml.ts'
import { parseUrl } from '../../lib/parse-url.ts'

const frontMatterBytes = 64 * 1024

const playgrounds = ['interactive', 'simple', 'none', 'auth'] as const
type Action = (typeof pageActions)[number]
const authMethods = ['bearer', 'basic', 'key', 'none'] as const
const modes = ['default', 'wide', 'custom', 'frame', 'center'] as const

/** The fields that Quire knows. Anything else stays readable as `frontmatter.x` in expressions. */
export interface FrontMatter {
  readonly title?: string
  readonly description?: string
  readonly sidebarTitle?: string
  readonly icon?: string
  readonly iconType?: string
  readonly tag?: string
  readonly url?: string
  readonly openapi?: string
  readonly 'openapi-schema'?: string
  readonly asyncapi?: string
  /** `POST https://api.example.com/users`, or a path below the servers of docs.json. */
  readonly api?: string
  readonly authMethod?: (typeof authMethods)[number]
  readonly contentType?: string
  readonly playground?: (typeof playgrounds)[number]
  readonly mode?: (typeof modes)[number]
  readonly keywords?: readonly string[]
  /** `og:image`, `twitter:card` … */
  readonly metatags?: Metatag[]
  readonly hidden?: boolean
  readonly noindex?: boolean
  readonly deprecated?: boolean
  /** The page leads to the feed of its updates. */
  readonly rss?: boolean
  /** An https address or a path of the site. */
  readonly canonical?: string
  readonly timestamp?: boolean
  /** `lastUpdatedDate`, in seconds since 1970. */
  readonly written?: number
  readonly searchable?: boolean
  /** Above 0. */
  readonly boost?: number
  /** `hideFooterPagination` */
  readonly alone?: boolean
  /** `hideApiMarker` */
  readonly unmarked?: boolean
  /** `contextual.options` */
  readonly actions?: readonly Action[]
  /** Everything, for expressions: data with null prototypes. */
  readonly data: { readonly [key: string]: Value }
}

export interface SplitSource {
  readonly frontMatter: FrontMatter
  readonly warnings: readonly FrontMatterWarning[]
}

const none: FrontMatter = { data: Object.create(null) as { [key: string]: Value } }
const opening = /^---([^\S\r\n]*\S[^\r\n]*)?[^\S\r\n]*(?:\r?\n|$)/

/**
 * Splits a page into front matter and body. YAML 1.2 core schema, data only: no aliases, no tags with effects, at most
 * 64 KiB; it ends at `---` or, as YAML documents may, at `...`. `---js` and the like are refused, because engines that read them execute what they say.
 * @throws PageProblem naming the line.
 */
export function splitSource(path: string, text: string): SplitSource {
  if (/^\+{3}[^\S\r\n]*\r?\n/.test(text)) {
    const message = 'Front matter in TOML is not supported: write it as YAML between two lines of `---`.'
    throw new PageProblem(detailAt({ path, line: 1, column: 1 }, 'front-matter-syntax', message, text))
  }
  const open = opening.exec(text)
  if (open === null) return { frontMatter: none, warnings: [] }
  const language = open[1]?.trim()
  if (language !== undefined) {
    if (language.startsWith('-') || !/^[a-z]+$/i.test(language)) return { frontMatter: none, warnings: [] }
    const message = `Front matter in \`${language}\` is not supported: write it as YAML between two lines of \`---\`.`
    throw new PageProblem(detailAt({ path, line: 1, column: 4 }, 'front-matter-syntax', message, text))
  }
  const closing = /^(?:---|\.{3})[^\S\r\n]*(?:\r?\n|$)/gm
  closing.lastIndex = open[0].length
  const close = closing.exec(text)
  if (close === null) return { frontMatter: none, warnings: isMeant(text.slice(open[0].length)) ? [unclosed] : [] }
  const yaml = text.slice(open[0].length, close.index)
  if (Buffer.byteLength(yaml) > frontMatterBytes) {
    const message = `The front matter is larger than ${frontMatterBytes / 1024} KiB.`
    throw new PageProblem({ path, line: 1, column: 1, rule: 'front-matter-syntax', message })
  }
  return readFields(new YamlReader(path, text, yaml).read(), !text.includes('frontmatter'))
}

const unclosed: FrontMatterWarning = {
  line: 1,
  column: 1,
  rule: 'front-matter-open',
  message: 'The front matter that begins here has no end, so readers see it as text: close it with a line of `---`.',
}

/** Whether a page that begins with a line of `---` means front matter, and not a rule above its text. */
function isMeant(text: string): boolean {
  const [first = '', second = ''] = text.split(/\r?\n/, 2)
  return fieldLine.test(first) && (knownFields.has(first.slice(0, first.indexOf(':'))) || fieldLine.test(second))
}

/** Names with which front matter begins, of those that Quire knows. */
const knownFields = new Set([
  'title',
  'description',
  'sidebarTitle',
  'icon',
  'iconType',
  'tag',
  'url',
  'openapi',
  'openapi-schema',
  'asyncapi',
  'api',
  'authMethod',
  'contentType',
  'playground',
  'mode',
  'keywords',
  'hidden',
  'noindex',
  'deprecated',
  'rss',
  'canonical',
  'timestamp',
  'lastUpdatedDate',
  'searchable',
  'boost',
  'hideFooterPagination',
  'hideApiMarker',
  'contextual',
])

/** Fields of Mintlify’s that do nothing here: what they do there, and the way to have that. */
const absentFields: Readonly<Record<string, { readonly would: string; readonly instead: string }>> = {
  public: {
    would: 'show the page to everybody on a site that asks readers to sign in',
    instead: 'A private site is private as a whole.',
  },
  related: { would: 'list other pages below this one', instead: 'Link to them in its text.' },
}

/** Names with fewer letters are too like others: `tags` is no misspelt `tag`. */
const leastLetters = 5
/** Longer than any name of ours, and its misspellings. */
const longestField = 30

/** The field that was meant with a name that is none: written in another way, or with one letter or two swapped. */
function meantField(name: string): string | undefined {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[-_]/g, '')
  const letters = (text: string): string => plain(text).split('').sort().join('')
  if (name.length > longestField) return undefined
  const written = plain(name)
  return [...knownFields].find((field) => {
    const meant = plain(field)
    if (written === meant) return true
    if (meant.length < leastLetters || written === `${meant}s` || `${written}s` === meant) return false
    return letters(name) === letters(field) || leven(written, meant, { maxDistance: 2 }) === 1
  })
}

/**
 * Data → the fields that Quire knows; a field of the wrong kind is left out with a warning.
 * @param isClosed nothing in the page asks for other fields, which may have any name.
 */
function readFields({ data, at, unknownTags, accepted }: FrontMatterData, isClosed: boolean): SplitSource {
  const warnings = unknownTags.map(({ line, column, tag }): FrontMatterWarning => {
    const message = `The tag \`${tag}\` has no effect in front matter: its value is read as if it were not there.`
    return { line, column, rule: 'front-matter-value', message }
  })
  const refuse = (key: string, wanted: string): undefined => {
    const { line, column } = at(key)
    warnings.push({
      line,
      column,
      rule: 'front-matter-value',
      message: `\`${key}\` in the front matter should be ${wanted}; it is ignored.`,
    })
  }
  if (hasGroups(data['groups'])) {
    const { line, column } = at('groups')
    const message =
      '`groups` in the front matter would show this page to readers of those groups alone. It does not here: whoever may read the site reads this page, in its navigation and its search, too.'
    warnings.push({ line, column, rule: 'page-unrestricted', message })
  }
  for (const [key, { would, instead }] of Object.entries(absentFields)) {
    if (!isClosed || data[key] === undefined || data[key] === false) continue
    const message = `\`${key}\` in the front matter does nothing here; it would ${would}.`
    warnings.push({ ...at(key), rule: 'front-matter-ignored', message, hint: instead })
  }
  for (const key of isClosed ? Object.keys(data) : []) {
    const meant = knownFields.has(key) || warnings.length >= maxWarnings ? undefined : meantField(key)
    if (meant === undefined || meant in data) continue
    const { line, column } = at(key)
    const message = `The front matter has \`${key}\`, which is none of its fields. Did you mean \`${meant}\`?`
    warnings.push({ line, column, rule: 'front-matter-name', message, hint: `Write \`${meant}\`.` })
  }
  const text = (key: string): string | undefined => {
    const value = data[key]
    if (value === undefined || value === null) return undefined
    return typeof value === 'object' ? refuse(key, 'text') : oneLine(String(value))
  }
  const flag = (key: string): boolean | undefined => {
    const value = data[key]
    if (value === undefined || value === null) return undefined
    if (typeof value === 'boolean') return value
    return value === 'true' || value === 'false' ? value === 'true' : refuse(key, '`true` or `false`')
  }
  const keywords = (): readonly string[] | undefined => {
    const value = data['keywords']
    if (value === undefined || value === null) return undefined
    const list = typeof value === 'string' ? value.split(',') : value
    if (!Array.isArray(list)) return refuse('keywords', 'a list of words')
    return list
      .flatMap((item: Value) => (typeof item === 'string' || typeof item === 'number' ? [oneLine(String(item))] : []))
      .filter((word) => word !== '')
  }
  const metatags = (): Metatag[] | undefined => {
    const names = Object.keys(data).filter((key) => pageTags.test(key) && !forbidsIndexing(data[key]))
    for (const name of names.splice(maxMetatags)) refuse(name, `one of ${maxMetatags} tags of the head at most`)
    const tags = names.flatMap((name): Metatag[] => {
      const content = text(name) ?? ''
      if (content.length > longestMetatag) refuse(name, `text of at most ${longestMetatag} characters`)
      return content === '' || content.length > longestMetatag ? [] : [[name, content]]
    })
    return tags.length === 0 ? undefined : tags
  }
  const canonical = (): string | undefined => {
    const value = text('canonical')
    if (value === undefined || value === '') return undefined
    const isAddress = /^https?:\/\/[^\s]+$/i.test(value) && parseUrl(value) !== undefined
    return isAddress || /^\/(?![/\\])\S*$/.test(value)
      ? value
      : refuse('canonical', 'an https address or a path of the site')
  }
  const written = (): number | undefined => {
    const value = text('lastUpdatedDate')
    if (value === undefined || value === '') return undefined
    const time = isoDate.test(value) ? Date.parse(value) : NaN
    return Number.isNaN(time) ? refuse('lastUpdatedDate', 'a day such as 2026-08-13') : Math.floor(time / 1000)
  }
  const boost = (): number | undefined => {
    const value = text('boost')
    if (value === undefined || value === '') return undefined
    const factor = Number(value)
    return factor > 0 ? Math.min(Math.max(factor, leastBoost), 1 / leastBoost) : refuse('boost', 'a number above 0')
  }
  const actions = (): readonly Action[] | undefined => {
    const value = data['contextual']
    if (value === undefined || value === null) return undefined
    const options = typeof value === 'object' ? (value as { readonly options?: Value }).options : undefined
    if (!Array.isArray(options)) return refuse('contextual', 'an object with a list of options')
    return options.slice(0, pageActions.length).flatMap((option: Value): Action[] => {
      const known = pageActions.find((name) => name === option)
      if (known !== undefined) return [known]
      const name = typeof option === 'string' ? option.slice(0, longestField) : 'an object'
      const absent = Object.hasOwn(absentActions, name) ? absentActions[name] : undefined
      const message =
        absent === undefined
          ? `The menu of one page has no option ${typeof option === 'string' ? `“${name}”` : 'of its own'}; it is left out.`
          : `“${name}” is not in the menus of pages here; it would ${absent.would}.`
      const hint =
        absent?.instead ?? `There are: ${pageActions.join(', ')}. Links of your own are in contextual of docs.json.`
      if (warnings.length < maxWarnings)
        warnings.push({ ...at('contextual'), rule: 'front-matter-ignored', message, hint })
      return []
    })
  }
  const choice = <T extends string>(key: string, names: readonly T[]): T | undefined => {
    const value = text(key)
    const known = names.find((name) => name === value)
    if (value !== undefined && known === undefined) refuse(key, `one of ${names.join(', ')}`)
    return known
  }
  const fields = {
    title: text('title'),
    description: text('description'),
    sidebarTitle: text('sidebarTitle'),
    // Mintlify also accepts an object here; its `name` is the icon.
    icon: nameOf(data['icon']) ?? text('icon'),
    iconType: text('iconType'),
    tag: text('tag'),
    url: text('url'),
    openapi: text('openapi'),
    'openapi-schema': text('openapi-schema'),
    asyncapi: text('asyncapi'),
    api: text('api'),
    authMethod: choice('authMethod', authMethods),
    contentType: text('contentType'),
    playground: choice('playground', playgrounds),
    mode: choice('mode', modes),
    keywords: keywords(),
    metatags: metatags(),
    hidden: flag('hidden'),
    noindex: forbidsIndexing(data['robots']) || flag('noindex'),
    deprecated: flag('deprecated'),
    rss: flag('rss'),
    canonical: canonical(),
    timestamp: flag('timestamp'),
    written: written(),
    searchable: flag('searchable'),
    boost: boost(),
    alone: flag('hideFooterPagination'),
    unmarked: flag('hideApiMarker'),
    actions: actions(),
  }
  const present = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''))
  return { frontMatter: { ...present, data }, warnings: [...accepted, ...warnings] }
}

/** Of what pages are worth in a search; the most is as many times more. */
const leastBoost = 0.05

/** A day, or a time of ISO 8601. */
const isoDate = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/

/** Whether the field restricts a page on Mintlify: it names somebody. */
function hasGroups(groups: Value): boolean {
  return typeof groups === 'string' ? groups.trim() !== '' : Array.isArray(groups) && groups.length > 0
}

function nameOf(value: Value): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const name = (value as { readonly name?: Value }).name
  return typeof name === 'string' ? name : undefined
}

/** Titles and descriptions end up in attributes and headers: line breaks and control characters become spaces. */
function oneLine(value: string): string {
  // eslint-disable-next-line no-control-regex
  return value.replaceAll(/[\u0000-\u001f\u007f\u2028\u2029]+/g, ' ').trim()
}
