import { openSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { dist } from '../../lib/paths.ts'
import { substitutes } from './substitutes.ts'

type SetName = 'solid' | 'regular' | 'brands' | 'lucide' | 'tabler'
type Slice = readonly [offset: number, length: number]

/** `dist/icons/index.json`, which scripts/data/icons.mjs writes. */
interface IconIndex {
  readonly sets: Readonly<Record<SetName, Readonly<Record<string, Slice>>>>
  readonly aliases: Readonly<Record<SetName, Readonly<Record<string, string>>>>
}

interface Store {
  readonly index: IconIndex
  readonly bodies: number
}

/** Where a name is looked up that the set which is asked for does not have; in Tabler only where that is. */
const setOrder: readonly SetName[] = ['solid', 'brands', 'regular', 'lucide']
/** Those that are drawn with lines. */
const isLined = (set: SetName): boolean => set === 'lucide' || set === 'tabler'
const namePattern = /^[a-z0-9][a-z0-9-]{0,60}$/
/** Thicker among filled drawings, so that they weigh about the same. */
const linesOf = (width: string): string =>
  ` fill="none" stroke="currentColor" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round"`

/** Drawings are read when they are first used: the sets have 3 MB, a site uses some dozens. */
const drawn = new LRUCache<string, { svg: string | undefined }>({ max: 500 })
let store: Store | undefined

/** Where names are looked up first that come without a set, in this process. */
let usual: string | undefined

/** Chooses the icon set of the page that is rendered next; children render one at a time. */
export function preferIcons(set: string | undefined): void {
  usual = set
}

/**
 * Inline SVG of an icon by its Font Awesome name (also of versions 4 to 6), its Lucide name or its Tabler name: decorative,
 * coloured as the text. Undefined for a name that no set has.
 * @param name `house`, `github`, `circle-check`
 * @param set where to look first: an icon library or style as docs write it (`lucide`, `tabler`, `brands`, `regular`, `light` …)
 * @throws when the icons are not built (`node scripts/build/build.mjs icons`)
 */
export function icon(name: string, set?: string): string | undefined {
  const plain = name.trim().toLowerCase().replace(/^fa-/, '')
  if (!namePattern.test(plain)) return undefined
  const first = preferred(set ?? usual)
  const key = `${first}:${plain}`
  let entry = drawn.get(key)
  if (entry === undefined) {
    entry = { svg: draw(plain, first) }
    drawn.set(key, entry)
  }
  return entry.svg
}

function preferred(set: string | undefined): SetName {
  const wanted = set?.toLowerCase() ?? ''
  if (wanted === 'lucide' || wanted === 'tabler' || wanted === 'brands') return wanted
  // Font Awesome Free has two weights: the thin ones of Pro are nearest to regular.
  return /regular|light|thin/.test(wanted) ? 'regular' : 'solid'
}

function draw(name: string, first: SetName): string | undefined {
  store ??= open()
  const { index, bodies } = store
  const others = setOrder.filter((set) => set !== first)
  const order =
    first === 'tabler'
      ? [first, ...others.toSorted((a, b) => Number(isLined(b)) - Number(isLined(a)))]
      : [first, ...others]
  const nearest = Object.hasOwn(substitutes, name) ? substitutes[name] : undefined
  const candidates = nearest === undefined ? [name] : [name, nearest]
  // What is near in the kind that is filled goes before what has the name and is drawn with lines.
  for (const sets of isLined(first) ? [order] : [order.filter((set) => set !== 'lucide'), ['lucide' as const]]) {
    for (const candidate of candidates) {
      for (const set of sets) {
        const slice = find(index, set, candidate)
        if (slice !== undefined) return svg(read(bodies, slice), set, first)
      }
    }
  }
  return undefined
}

function find(index: IconIndex, set: SetName, name: string): Slice | undefined {
  const icons = index.sets[set]
  if (Object.hasOwn(icons, name)) return icons[name]
  const today = Object.hasOwn(index.aliases[set], name) ? index.aliases[set][name] : undefined
  return today !== undefined && Object.hasOwn(icons, today) ? icons[today] : undefined
}

function open(): Store {
  const folder = join(dist, 'icons')
  const index = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')) as IconIndex
  return { index, bodies: openSync(join(folder, 'bodies.svg.txt'), 'r') }
}

function read(file: number, [offset, length]: Slice): string {
  const buffer = Buffer.alloc(length)
  readSync(file, buffer, 0, length, offset)
  return buffer.toString('utf8')
}

function svg(body: string, set: SetName, wanted: SetName): string {
  const [viewBox, inner] = body.split('|', 2)
  const paint = isLined(set) ? linesOf(isLined(wanted) ? '2' : '2.75') : ' fill="currentColor"'
  return `<svg class="q-icon" viewBox="${viewBox}"${paint} aria-hidden="true">${inner}</svg>`
}
