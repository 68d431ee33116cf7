import type { Steps } from '../../lib/slices.ts'
import type { PagePosition, Section } from '../shell.ts'
import { isKnownLanguage } from '../languages.ts'

type Switch = Section['switches'][number]

/** Switches that keep the page: their choices hold the same pages in another form. */
const parallel: ReadonlySet<Switch['kind']> = new Set(['language', 'version', 'product', 'dropdown'])

/** A choice of a switch, whichever of its sections: what its pages have in common. */
interface Alternative {
  readonly kind: Switch['kind']
  /** Segments that the paths of all its pages begin with; undefined when it has no page. */
  prefix?: readonly string[]
}

/**
 * Gives the choices of version, language, product and dropdown switches their `folder`, so that a switch can lead to the
 * same path below another one. Linear in the pages.
 */
export function* withFolders(
  sections: readonly Section[],
  places: Readonly<Record<string, PagePosition>>,
): Steps<readonly Section[]> {
  if (!sections.some(({ switches }) => switches.some(({ kind }) => parallel.has(kind)))) return sections
  const prefixes = yield* commonPrefixes(places, sections.length)
  const groups = new Map<string, Map<string, Alternative>>()
  for (const [index, { switches }] of sections.entries()) {
    yield
    for (const [level, { kind, label }] of switches.entries()) {
      if (!parallel.has(kind)) continue
      const siblings = at(groups, groupKey(switches, level), () => new Map<string, Alternative>())
      const alternative: Alternative = at(siblings, label, () => ({ kind }))
      const prefix = prefixes[index]
      if (prefix !== undefined) alternative.prefix = common(alternative.prefix ?? prefix, prefix)
    }
  }
  const folders = new Map<string, ReadonlyMap<string, string>>()
  for (const [key, siblings] of groups) folders.set(key, foldersOf(siblings))
  return sections.map((section) => ({
    ...section,
    switches: section.switches.map((choice, level) => {
      const folder = folders.get(groupKey(section.switches, level))?.get(choice.label)
      return folder === undefined ? choice : { ...choice, folder }
    }),
  }))
}

/** Of each section, what the paths of its pages begin with. */
function* commonPrefixes(
  places: Readonly<Record<string, PagePosition>>,
  count: number,
): Steps<readonly (readonly string[] | undefined)[]> {
  const prefixes = Array.from({ length: count }, (): readonly string[] | undefined => undefined)
  for (const url in places) {
    yield
    const section = places[url]?.section ?? 0
    const before = prefixes[section]
    // Most pages change nothing.
    if (before !== undefined && (before.length === 0 || url.startsWith(`/${before.join('/')}/`))) continue
    const segments = url.split('/').slice(1)
    prefixes[section] = before === undefined ? segments : common(before, segments)
  }
  return prefixes
}

/** What comes behind that which all siblings share, as long as none of their pages stands outside of it. */
function foldersOf(siblings: ReadonlyMap<string, Alternative>): ReadonlyMap<string, string> {
  const folders = new Map<string, string>()
  const withPages = [...siblings].filter(([, { prefix }]) => prefix !== undefined)
  if (withPages.length < 2) return folders
  const shared = withPages.map(([, { prefix = [] }]) => prefix).reduce(common)
  const own = withPages.map(([label, { kind, prefix = [] }]) => ({ label, kind, segment: prefix[shared.length] }))
  // Where one language has its code as folder, another folder is only what its pages happen to share.
  const isByCode = own.some(({ kind, segment }) => kind === 'language' && isCode(segment))
  for (const { label, segment } of own) {
    if (segment === undefined || segment === '' || (isByCode && !isCode(segment))) continue
    folders.set(label, `/${[...shared, segment].join('/')}`)
  }
  return folders
}

const isCode = (segment: string | undefined): boolean => segment !== undefined && isKnownLanguage(segment)

function common(one: readonly string[], other: readonly string[]): readonly string[] {
  const end = one.findIndex((segment, index) => segment !== other[index])
  return end === -1 ? one : one.slice(0, end)
}

/** The same for all choices of one switch. */
function groupKey(switches: Section['switches'], level: number): string {
  return JSON.stringify([...switches.slice(0, level).map(({ kind, label }) => [kind, label]), switches[level]?.kind])
}

function at<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}
