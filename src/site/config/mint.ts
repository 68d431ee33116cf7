import { limits } from '../../contract/limits.ts'
import { isArray, isObject, pointerTo, type Json, type JsonObject } from '../../lib/json-reader.ts'
import type { Steps } from '../../lib/slices.ts'

/** The name that docs.json had before. */
export const mintFile = 'mint.json'

/** A mint.json as the docs.json that says the same. */
export interface FromMint {
  /** Undefined where the navigation becomes too large: each version has all groups that name none. */
  readonly value: JsonObject | undefined
  /** Pointer into mint.json of what stands at a pointer of `value`. */
  readonly origin: (pointer: string) => string
}

type Made = Record<string, Json>

/** A part of the site that groups are dealt to by the folder of their first page: a tab, or an anchor. */
interface Part {
  readonly entry: Made
  readonly pointer: string
  readonly groups: [group: JsonObject, pointer: string][]
}

/** Tabs, anchors and versions that are read of each; docs.json may have no more. */
const most = 1000

/**
 * Reads a mint.json, the configuration that Mintlify had before docs.json: other names for the same settings, and one list
 * of groups that tabs, anchors and versions choose from. What it has no other name for stays as it is, to be judged as a
 * setting of docs.json.
 */
export function* fromMint(mint: JsonObject): Steps<FromMint> {
  const moved = new Map<string, string>()
  const value = Object.assign(Object.create(null) as Made, mint)
  for (const key of renamed) delete value[key]
  for (const [to, from, made] of settingsOf(mint)) {
    if (made === undefined) continue
    const [outer = '', inner] = to.split('.')
    moved.set(`/${to.replaceAll('.', '/')}`, `/${from.replaceAll('.', '/')}`)
    if (inner === undefined) value[outer] = made
    else value[outer] = { ...(value[outer] as JsonObject | undefined), [inner]: made }
  }
  const navigation = mint['navigation'] === undefined ? undefined : yield* navigationOf(mint, moved)
  if (navigation !== undefined) value['navigation'] = navigation
  return {
    value: moved.size > limits.configValues ? undefined : value,
    origin: (pointer) => {
      for (let end = pointer.length; end > 0; end = pointer.lastIndexOf('/', end - 1)) {
        const from = moved.get(pointer.slice(0, end))
        if (from !== undefined) return from + pointer.slice(end)
      }
      return pointer
    },
  }
}

/** Keys of mint.json that docs.json has under other names. */
const renamed = (
  'topbarLinks topbarCtaButton footerSocials footer modeToggle backgroundImage background font api openapi analytics ' +
  'integrations metadata seo eyebrow codeBlock colors navigation tabs primaryTab anchors topAnchor versions'
).split(' ')

function* settingsOf(mint: JsonObject): Generator<[to: string, from: string, value: Json | undefined]> {
  const { background: ground, ...colors } = objectOf(mint['colors'])
  yield ['colors', 'colors', mint['colors'] && (isObject(mint['colors']) ? without(colors, shades) : mint['colors'])]
  yield ['background.color', 'colors.background', ground]
  yield ['background.image', 'backgroundImage', mint['backgroundImage']]
  yield ['background.decoration', 'background.style', objectOf(mint['background'])['style']]
  yield ['navbar.links', 'topbarLinks', each(mint['topbarLinks'], linkOf)]
  yield ['navbar.primary', 'topbarCtaButton', mint['topbarCtaButton'] && buttonOf(mint['topbarCtaButton'])]
  const { socials, links } = objectOf(mint['footer'])
  yield ['footer.socials', 'footerSocials', socialsOf(mint['footerSocials'] ?? socials)]
  yield ['footer.links', 'footer.links', each(links, columnOf)]
  const mode = objectOf(mint['modeToggle'])
  yield ['appearance.default', 'modeToggle.default', mode['default']]
  yield ['appearance.strict', 'modeToggle.isHidden', mode['isHidden']]
  yield ['fonts', 'font', mint['font'] && fontsOf(mint['font'])]
  yield ['styling.eyebrows', 'eyebrow.display', objectOf(mint['eyebrow'])['display']]
  const code = objectOf(mint['codeBlock'])['mode']
  yield ['styling.codeblocks', 'codeBlock.mode', code === 'auto' ? 'system' : code]
  yield ['api', 'api', apiOf(mint)]
  yield ['integrations', mint['analytics'] === undefined ? 'integrations' : 'analytics', integrationsOf(mint)]
  const { indexHiddenPages: indexesAll, metatags, ...seo } = objectOf(mint['seo'])
  const tags = { ...objectOf(mint['metadata']), ...objectOf(metatags) }
  for (const [key, one] of Object.entries(seo)) yield [`seo.${key}`, `seo.${key}`, one]
  yield ['seo.indexing', 'seo.indexHiddenPages', indexesAll === true ? 'all' : undefined]
  yield ['seo.metatags', 'metadata', Object.keys(tags).length > 0 ? tags : undefined]
}

/** Shades of the colour that this service makes itself. */
const shades = ['anchors', 'ultraLight', 'ultraDark']

function linkOf(link: JsonObject): Json {
  const { name, url, type, ...rest } = link
  return tidy({ ...rest, label: name, href: url, type: type === 'link' ? undefined : type })
}

function buttonOf(button: Json): Json {
  if (!isObject(button)) return button
  const { name, url, type } = button
  return tidy({ type: type === 'github' ? type : 'button', label: name, href: url })
}

function columnOf({ title, links }: JsonObject): Json {
  const items = each(links, ({ label, url, name, href }) => tidy({ label: label ?? name, href: url ?? href }))
  return tidy({ header: title, items: items ?? [] })
}

/** As an object by platform, or a list of `{ type, url }`. */
function socialsOf(socials: Json | undefined): Json | undefined {
  if (!isArray(socials)) return socials
  const byType = Object.create(null) as Made
  for (const social of socials)
    if (isObject(social) && typeof social['type'] === 'string' && social['url'] !== undefined)
      byType[social['type']] = social['url']
  return byType
}

function fontsOf(font: Json): Json {
  if (typeof font === 'string') return { family: font }
  if (!isObject(font)) return font
  const { headings, url, ...rest } = font
  const inner = (one: Json | undefined) => (one === undefined ? undefined : fontsOf(one))
  return tidy({ ...rest, source: url, heading: inner(headings), body: inner(rest['body']) })
}

const displays: Readonly<Record<string, string>> = { show: 'interactive', simple: 'simple', hide: 'none' }

function apiOf(mint: JsonObject): Json | undefined {
  const { baseUrl, auth, playground, request, paramFields, maintainOrder: _, ...rest } = objectOf(mint['api'])
  const { mode, disableProxy } = objectOf(playground)
  const { languages, showOptionalParams } = objectOf(objectOf(request)['example'])
  const made = tidy({
    ...rest,
    openapi: mint['openapi'],
    mdx: some({ server: baseUrl, auth }),
    playground: some({
      display: typeof mode === 'string' ? (displays[mode] ?? mode) : undefined,
      proxy: disableProxy === true ? false : undefined,
    }),
    examples: some({ languages, defaults: showOptionalParams === true ? 'all' : undefined }),
    params: some({ expanded: objectOf(paramFields)['expanded'] }),
  })
  return some(made)
}

/** Trackers stood by themselves; a chat was named by its id alone. */
function integrationsOf(mint: JsonObject): Json | undefined {
  const chats = { ...objectOf(mint['integrations']) }
  if (typeof chats['intercom'] === 'string') chats['intercom'] = { appId: chats['intercom'] }
  return some({ ...objectOf(mint['analytics']), ...chats })
}

function* navigationOf(mint: JsonObject, moved: Map<string, string>): Steps<Json> {
  const list = mint['navigation']
  if (!isArray(list)) return list ?? null
  const groups: Part['groups'] = list.flatMap((group, index) =>
    isObject(group) ? [[group, `/navigation/${index}`] as Part['groups'][number]] : [],
  )
  const versions = entriesOf(mint['versions'], 'versions').map(([entry, pointer]) => {
    const { name, url, locale, default: first } = typeof entry === 'string' ? { name: entry } : objectOf(entry)
    return { name, url, locale, first, pointer }
  })
  const named = versions.filter(({ name, locale }) => typeof (name ?? locale) === 'string')
  if (named.length === 0) return yield* partsOf(mint, groups, { moved, pointer: '/navigation', version: undefined })
  const kind = named.every(({ locale }) => typeof locale === 'string') ? 'language' : 'version'
  const made: Json[] = []
  for (const { name, url, locale, first, pointer: from } of named) {
    if (moved.size > limits.configValues) break
    const pointer = `/navigation/${kind}s/${made.length}`
    const own = groups.filter(([{ version }]) => version === undefined || version === (name ?? locale))
    const label = kind === 'language' ? { language: locale } : { version: name ?? locale }
    const inner =
      typeof url === 'string' && !groups.some(([{ version }]) => version === (name ?? locale))
        ? { href: hrefOf(url) }
        : ((yield* partsOf(mint, own, { moved, pointer, version: name ?? locale })) as JsonObject)
    moved.set(pointer, from)
    made.push(tidy({ ...label, default: first, ...inner }))
  }
  return { [`${kind}s`]: made }
}

interface At {
  readonly moved: Map<string, string>
  /** Where it will stand. */
  readonly pointer: string
  readonly version: Json | undefined
}

/** Tabs, in the first of them anchors, and below those the groups whose first page is in their folder. */
function* partsOf(mint: JsonObject, groups: Part['groups'], { moved, pointer, version }: At): Steps<Json> {
  const byFolder = new Map<string, Part>()
  const read = (key: 'tabs' | 'anchors', label: 'tab' | 'anchor'): { here: Part[]; links: Part[] } => {
    const here: Part[] = []
    const links: Part[] = []
    for (const [entry, from] of entriesOf(mint[key], key)) {
      if (!isObject(entry)) continue
      const { name, url, isDefaultHidden, version: only, color, ...rest } = entry
      if (version !== undefined && only !== undefined && only !== version) continue
      const href = typeof url === 'string' ? url : ''
      const colors = typeof color === 'string' ? { light: color, dark: color } : undefined
      const made = tidy({ ...rest, [label]: name, hidden: isDefaultHidden, color: colors })
      const part: Part = { entry: { ...made }, pointer: from, groups: [] }
      if (/^[a-z][a-z0-9+.-]*:/i.test(href)) {
        part.entry['href'] = href
        links.push(part)
      } else {
        part.entry['href'] = hrefOf(href)
        byFolder.set(folderOf(href), part)
        here.push(part)
      }
    }
    return { here, links }
  }
  const tabs = read('tabs', 'tab')
  const anchors = read('anchors', 'anchor')
  const main: Part['groups'] = []
  for (const group of groups) {
    yield
    ;(partFor(firstPageOf(group[0]), byFolder)?.groups ?? main).push(group)
  }
  const place = (part: Part, at: string): Json => {
    moved.set(at, part.pointer)
    // A part without pages is a link.
    if (part.groups.length === 0) return part.entry
    const { href: _, ...entry } = part.entry
    return { ...entry, groups: placed(part.groups, `${at}/groups`, moved) }
  }
  const top = objectOf(mint['topAnchor'])
  const own = (at: string): JsonObject => {
    if (anchors.here.length === 0) return { groups: placed(main, `${at}/groups`, moved) }
    const first = { icon: 'book-open', ...top, anchor: top['name'] ?? 'Documentation', name: undefined }
    const outside = tabs.here.length + tabs.links.length === 0 ? anchors.links : []
    return {
      anchors: [
        tidy({ ...first, groups: placed(main, `${at}/anchors/0/groups`, moved) }),
        ...[...anchors.here, ...outside].map((part, index) => place(part, `${at}/anchors/${index + 1}`)),
      ],
    }
  }
  const isTabbed = tabs.here.length + tabs.links.length > 0
  const isLinked = anchors.links.length > 0 && (isTabbed || anchors.here.length === 0)
  const global = isLinked
    ? { global: { anchors: anchors.links.map((part, index) => place(part, `${pointer}/global/anchors/${index}`)) } }
    : {}
  if (!isTabbed) return { ...global, ...own(pointer) }
  const primary = objectOf(mint['primaryTab'])
  return {
    ...global,
    tabs: [
      tidy({
        tab: primary['name'] ?? 'Documentation',
        hidden: primary['isDefaultHidden'],
        ...own(`${pointer}/tabs/0`),
      }),
      ...[...tabs.here, ...tabs.links].map((part, index) => place(part, `${pointer}/tabs/${index + 1}`)),
    ],
  }
}

function placed(groups: Part['groups'], at: string, moved: Map<string, string>): Json[] {
  return groups.map(([group, from], index) => {
    moved.set(`${at}/${index}`, from)
    return group['version'] === undefined ? group : without(group, ['version'])
  })
}

/** The part with the longest folder that a page is in. */
function partFor(page: string | undefined, byFolder: ReadonlyMap<string, Part>): Part | undefined {
  if (page === undefined || byFolder.size === 0) return undefined
  const path = folderOf(page)
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
    const part = byFolder.get(path.slice(0, end))
    if (part !== undefined) return part
  }
  return undefined
}

/** Depth is bounded by the parser. */
function firstPageOf({ pages }: JsonObject): string | undefined {
  if (!isArray(pages)) return undefined
  for (const page of pages) {
    const first = isObject(page) ? firstPageOf(page) : page
    if (typeof first === 'string') return first
  }
  return undefined
}

const folderOf = (path: string): string => path.split('/').filter(Boolean).join('/')
const hrefOf = (url: string): string => (/^[a-z][a-z0-9+.-]*:|^\//i.test(url) ? url : `/${url}`)
const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})

function entriesOf(value: Json | undefined, key: string): [Json, string][] {
  return isArray(value) ? value.slice(0, most).map((entry, index) => [entry, pointerTo(`/${key}`, index)]) : []
}

/** A list with its objects made anew; what is no list stays, for the schema to refuse. */
function each(value: Json | undefined, make: (entry: JsonObject) => Json): Json | undefined {
  return isArray(value) ? value.map((entry) => (isObject(entry) ? make(entry) : entry)) : value
}

function without(value: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)))
}

/** Without what is undefined. */
function tidy(value: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(value).filter((pair): pair is [string, Json] => pair[1] !== undefined))
}

/** As `tidy`; undefined where nothing is left. */
function some(value: Readonly<Record<string, Json | undefined>>): JsonObject | undefined {
  const left = tidy(value)
  return Object.keys(left).length === 0 ? undefined : left
}
