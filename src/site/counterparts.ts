import { encodePath } from '../lib/url-path.ts'
import type { NavItem, Section, Shell } from './shell.ts'

type Switch = Section['switches'][number]

/** One of the choices of a switch, seen from a section. */
export interface Choice extends Switch {
  /** Where it leads when the page has no counterpart: the first page of the section most like the present one. */
  readonly href: string
  readonly isCurrent: boolean
  /** That section. */
  readonly section: Section
}

/** A page in one of its languages. */
export interface Translation {
  /** BCP 47. */
  readonly lang: string
  readonly label: string
  readonly href: string
}

/** The default version, seen from a page of another one. */
export interface Newer {
  readonly version: string
  readonly current: string
  readonly href: string
  /** Whether it has the very page; else `href` is its first one. */
  readonly isSamePage: boolean
}

/** A section as a list of pages, for those that are arranged alike. */
interface Arrangement {
  /** Equal for sections whose groups hold the same numbers of pages. */
  readonly shape: string
  /** Hrefs in reading order. */
  readonly hrefs: readonly string[]
  readonly positions: ReadonlyMap<string, number>
}

/** Finds the same page in another version or language. What it knows of a section is made when it is first needed. */
export class Counterparts {
  readonly #shell: Pick<Shell, 'sections' | 'places' | 'lang'>
  readonly #choices = new WeakMap<Section, (readonly Choice[])[]>()
  readonly #arrangements = new WeakMap<Section, Arrangement>()

  constructor(shell: Pick<Shell, 'sections' | 'places' | 'lang'>) {
    this.#shell = shell
  }

  /** Alternatives at one level, each leading to the section most like the present one: same tab in another version. */
  choices(current: Section, level: number): readonly Choice[] {
    const levels = this.#choices.get(current) ?? []
    this.#choices.set(current, levels)
    return (levels[level] ??= this.#choicesAt(current, level))
  }

  #choicesAt(current: Section, level: number): readonly Choice[] {
    const { sections } = this.#shell
    const own = current.switches[level]
    const best = new Map<string, { section: Section; item: Switch; score: number }>()
    const orders = new Map<string, number>()
    const ownOrder = sections.filter((section) => agree(section, current, level + 1)).indexOf(current)
    for (const section of sections) {
      const item = section.switches[level]
      if (item === undefined || !agree(section, current, level)) continue
      const key = `${item.kind}\0${item.label}`
      const order = orders.get(key) ?? 0
      orders.set(key, order + 1)
      // Names are translated, but the order of tabs seldom changes.
      const score = likeness(section, current, level) + (order === ownOrder ? 0.5 : 0)
      const known = best.get(key)
      if (known === undefined || score > known.score) best.set(key, { section, item, score })
    }
    return [...best.values()].map(({ section, item }) => ({
      ...item,
      href: section.href,
      section,
      isCurrent: item.kind === own?.kind && item.label === own.label,
    }))
  }

  /**
   * The href of the page that is to `choice` what the page at `url` (decoded) is to its own section: itself, at the same path
   * below the folder of the choice, at its path with the code of the other language wherever that stands, or at the same
   * place of a translation that is arranged alike. Undefined where there is none.
   */
  find(url: string, current: Section, level: number, choice: Choice): string | undefined {
    if (!choice.href.startsWith('/')) return undefined
    if (choice.isCurrent && Object.hasOwn(this.#shell.places, url)) return encodePath(url)
    for (const path of this.#candidates(url, current, level, choice)) {
      const place = Object.hasOwn(this.#shell.places, path) ? this.#shell.places[path] : undefined
      const section = place === undefined ? undefined : this.#shell.sections[place.section]
      if (section !== undefined && agree(section, choice.section, level + 1)) return encodePath(path)
    }
    return choice.kind === 'language' ? this.#inSamePlace(url, current, choice.section) : undefined
  }

  *#candidates(url: string, current: Section, level: number, choice: Choice): Generator<string> {
    yield* pathsOf(url, current.switches[level]?.folder, choice.folder)
    const { lang } = this.#shell
    if (choice.kind === 'language') yield* translatedPaths(url, codesOf(current, lang), codesOf(choice.section, lang))
  }

  /** The page at `url` in all languages that have it, its own included, the default one first; empty for just one. */
  translations(url: string, current: Section): readonly Translation[] {
    const level = current.switches.findIndex(({ kind }) => kind === 'language')
    if (level === -1) return []
    const choices = this.#ofKind(current, level)
    const first = beginning(choices)
    const found: Translation[] = []
    for (const choice of choices) {
      const href = choice.isCurrent ? encodePath(url) : this.find(url, current, level, choice)
      if (href === undefined) continue
      const translation = { lang: languageOf(choice.section, this.#shell.lang), label: choice.label, href }
      if (choice === first) found.unshift(translation)
      else found.push(translation)
    }
    return found
  }

  /** Whether a section is of the version and the language that its switches begin with. */
  isDefault(section: Section): boolean {
    return section.switches.every(
      ({ kind }, level) =>
        (kind !== 'version' && kind !== 'language') || beginning(this.#ofKind(section, level))?.isCurrent !== false,
    )
  }

  /** What a page of another version than the default one says of that; undefined for others. */
  newer(url: string, current: Section): Newer | undefined {
    const level = current.switches.findLastIndex(({ kind }) => kind === 'version')
    const own = current.switches[level]
    if (own === undefined) return undefined
    const first = beginning(this.#ofKind(current, level))
    if (first === undefined || first.isCurrent) return undefined
    if (!(own.notice ?? (looksLikeVersion(own.label) && looksLikeVersion(first.label)))) return undefined
    const same = this.find(url, current, level, first)
    return { version: own.label, current: first.label, href: same ?? first.href, isSamePage: same !== undefined }
  }

  /**
   * The section whose folders an address lies in, for a page that stands in none, or is not there: the first of those
   * that agree with it most. One choice may have its pages beside the folders of the others. Undefined where no folder
   * tells.
   */
  sectionAt(path: string): Section | undefined {
    const agreements = this.#shell.sections.map(({ switches }) => {
      const folders = switches.flatMap(({ folder }) => folder ?? [])
      const around = folders.filter((folder) => restBelow(path, folder) !== undefined).length
      return around - (folders.length - around)
    })
    const most = Math.max(...agreements)
    if (most < 0 || agreements.every((one) => one === 0)) return undefined
    return this.#shell.sections[agreements.indexOf(most)]
  }

  #ofKind(current: Section, level: number): readonly Choice[] {
    return this.choices(current, level).filter(({ kind }) => kind === current.switches[level]?.kind)
  }

  #inSamePlace(url: string, current: Section, other: Section): string | undefined {
    const here = this.#arrangement(current)
    const there = this.#arrangement(other)
    const position = here.shape === there.shape ? here.positions.get(encodePath(url)) : undefined
    return position === undefined ? undefined : there.hrefs[position] || undefined
  }

  #arrangement(section: Section): Arrangement {
    let known = this.#arrangements.get(section)
    if (known === undefined) {
      const hrefs: string[] = []
      const shape = shapeOf(section.items, hrefs)
      const positions = new Map<string, number>()
      for (const [position, href] of hrefs.entries()) if (!positions.has(href)) positions.set(href, position)
      known = { shape, hrefs, positions }
      this.#arrangements.set(section, known)
    }
    return known
  }
}

/** The language of a section's pages as a BCP 47 tag; English when nothing says otherwise. */
export function languageOf(section: Section | undefined, site?: string): string {
  const lang = section?.lang ?? section?.switches.find((item) => item.kind === 'language')?.label ?? site ?? ''
  return /^[a-z]{2,3}(?:-[a-z0-9]{2,8})*$/i.test(lang) ? lang : 'en'
}

/** The choice that a switch begins with. */
const beginning = (choices: readonly Choice[]): Choice | undefined =>
  choices.find((choice) => choice.default === true) ?? choices[0]

/** Whether a label is that of a version, and not of one of several editions. */
const looksLikeVersion = (label: string): boolean => /\d/.test(label)

/** Whether two sections have made the same first choices. */
function agree(one: Section, other: Section, levels: number): boolean {
  for (let level = 0; level < levels; level += 1) {
    if (
      one.switches[level]?.label !== other.switches[level]?.label ||
      one.switches[level]?.kind !== other.switches[level]?.kind
    )
      return false
  }
  return true
}

function likeness(one: Section, other: Section, from: number): number {
  return other.switches.slice(from + 1).filter((item, offset) => one.switches[from + 1 + offset]?.label === item.label)
    .length
}

/** Where the counterpart of a page may be. One of the two may have its pages beside the folder of the other. */
function* pathsOf(url: string, from: string | undefined, to: string | undefined): Generator<string> {
  const below = from === undefined ? undefined : restBelow(url, from)
  if (to !== undefined) {
    const beside = restBelow(url, parentOf(to))
    if (from === undefined && beside !== undefined) yield joined(to, beside)
    if (below !== undefined) yield joined(to, below)
    if (from !== undefined && beside !== undefined) yield joined(to, beside)
  } else if (from !== undefined && below !== undefined) yield joined(parentOf(from), below)
}

/** Names that folders of a language have: `pt-BR`, `pt-br`, `pt`. */
function codesOf(section: Section, site: string | undefined): readonly string[] {
  const lang = languageOf(section, site)
  return [...new Set([lang, lang.toLowerCase(), lang.split('-', 1)[0] ?? lang])]
}

/** Paths with the code of another language in the place of the own one, or where one of the two has none. */
function* translatedPaths(url: string, from: readonly string[], to: readonly string[]): Generator<string> {
  const segments = url.split('/')
  const at = segments.findIndex((segment) => from.includes(segment))
  if (at !== -1) {
    for (const code of to) yield segments.with(at, code).join('/')
    yield segments.toSpliced(at, 1).join('/')
  } else
    for (let place = 1; place < segments.length; place++)
      for (const code of to) yield segments.toSpliced(place, 0, code).join('/')
}

/** What of a path comes after a folder: empty, or with a slash in front. */
function restBelow(url: string, folder: string): string | undefined {
  if (url === folder) return ''
  const start = folder === '/' ? '/' : `${folder}/`
  return url.startsWith(start) ? url.slice(start.length - 1) : undefined
}

const joined = (folder: string, rest: string): string =>
  folder === '/' ? rest || '/' : rest === '/' ? folder : folder + rest

function parentOf(folder: string): string {
  return folder.slice(0, folder.lastIndexOf('/')) || '/'
}

function shapeOf(items: readonly NavItem[], hrefs: string[]): string {
  let shape = ''
  for (const item of items) {
    // A page in the place of its translation keeps the place, and is none.
    if (item.href !== undefined) hrefs.push(item.kind === 'page' && item.lang !== undefined ? '' : item.href)
    shape += item.kind === 'page' ? 'p' : `g${item.href === undefined ? '' : 'p'}(${shapeOf(item.items, hrefs)})`
  }
  return shape
}
