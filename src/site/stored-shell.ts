import { jsonBytes } from '../lib/json-writer.ts'
import { parseOwnJson } from '../lib/own-json.ts'
import type { Steps } from '../lib/slices.ts'
import { placePages } from './places.ts'
import type { NavItem, Shell } from './shell.ts'

/**
 * A shell as it is stored. Whoever opens one reads it whole, so a page is in it once: where it stands follows from the
 * sidebars, and icons, which many entries share, have a list of their own. Shells of before have `places`, and their
 * icons where they are shown.
 */
interface StoredShell extends Omit<Shell, 'places'> {
  readonly places?: Shell['places']
  /** Icons of the sidebars: there they are numbers of this list. */
  readonly icons?: readonly string[]
}

/** What of an entry is stored otherwise. */
interface StoredItem {
  icon?: string | number
  readonly items?: readonly StoredItem[]
}

/** The bytes of a shell, in steps; undefined when they are more than `maxBytes`. */
export function* encodeShell(shell: Shell, maxBytes: number): Steps<Buffer | undefined> {
  const icons = new Map<string, number>()
  const numbered = (icon: string): number => {
    const number = icons.get(icon) ?? icons.size
    icons.set(icon, number)
    return number
  }
  const sections: object[] = []
  for (const section of shell.sections)
    sections.push({ ...section, items: yield* storedItems(section.items, numbered) })
  return yield* jsonBytes({ ...shell, places: undefined, sections, icons: [...icons.keys()] }, maxBytes)
}

function* storedItems(items: readonly NavItem[], numbered: (icon: string) => number): Steps<object[]> {
  const stored: object[] = []
  for (const item of items) {
    yield
    const icon = item.icon === undefined ? {} : { icon: numbered(item.icon) }
    if (item.kind === 'group') stored.push({ ...item, ...icon, items: yield* storedItems(item.items, numbered) })
    else stored.push(item.icon === undefined ? item : { ...item, ...icon })
  }
  return stored
}

/** Reads a shell that was stored, in steps. @throws Error when it is none */
export function* decodeShell(bytes: Buffer): Steps<Shell> {
  const { icons, places, ...shell } = (yield* parseOwnJson(bytes)) as StoredShell
  if (places !== undefined) return { ...shell, places }
  for (const { items } of shell.sections) yield* restoreIcons(items, icons ?? [])
  return { ...shell, places: yield* placePages(shell.sections) }
}

/** Gives entries that were read just now the icons that they have the numbers of. */
function* restoreIcons(items: readonly StoredItem[], icons: readonly string[]): Steps<void> {
  for (const item of items) {
    yield
    if (typeof item.icon === 'number') item.icon = icons[item.icon] ?? ''
    if (item.items !== undefined) yield* restoreIcons(item.items, icons)
  }
}
