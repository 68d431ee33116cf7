import type { Sha256 } from '../../contract/release.ts'
import { sorted, type Steps } from '../../lib/slices.ts'
import type { IndexedPart, IndexedSite, ScopeIndex, SearchIndex } from './search-index.ts'

/** Parts that are not there any more, or not as they were, and those that there are now. */
export interface Changes {
  readonly gone: readonly IndexedPart[]
  readonly come: readonly WantedPart[]
}

/** A part as the index is to have it. */
export interface WantedPart {
  readonly number: number
  readonly tab: number
  readonly blob: Sha256
  readonly size: number
}

/** Parts of a site: what comes after is not found. */
const maxParts = 40_000

function keyOfPart(url: string, key: string): string {
  return `${url}#${key}`
}

/**
 * The parts of all pages that sitemap and llms.txt name, by scope and number.
 *
 * @param numbers is told which part got which
 */
export function* wantedParts(
  { plan, records, site }: IndexedSite,
  numbers: Map<string, { readonly scope: number; readonly number: number }>,
): Steps<Map<number, WantedPart>[]> {
  const { scopes, sections, places } = site.searched
  const urls = new Map<string, string>()
  for (const { path, url } of plan.pages) {
    yield
    urls.set(path, url)
  }
  const found: { readonly key: string; readonly scope: number; readonly part: Omit<WantedPart, 'number'> }[] = []
  for (const path of site.listed) {
    yield
    const url = urls.get(path) ?? ''
    const place = sections[places.get(url) ?? 0] ?? { scope: 0, tab: 31 }
    for (const [key, blob, size] of records[path]?.parts?.texts ?? []) {
      if (found.length < maxParts)
        found.push({ key: keyOfPart(url, key), scope: place.scope, part: { tab: place.tab, blob, size } })
    }
  }
  const inOrder = yield* sorted(found, (one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0))
  const wanted = scopes.map(() => new Map<number, WantedPart>())
  const mask = (1 << bitsOf(found.length)) - 1
  const taken = new Set<number>()
  for (const { key, scope, part } of inOrder) {
    yield
    let number = hashOf(key) & mask
    while (taken.has(number)) number = (number + 1) & mask
    taken.add(number)
    wanted[scope]?.set(number, { number, ...part })
    numbers.set(key, { scope, number })
  }
  return wanted
}

/** Numbers are spread over sixteen times as many as there are, so that few take the place of another. */
function bitsOf(parts: number): number {
  return Math.max(10, Math.ceil(Math.log2(parts + 1)) + 4)
}

/** FNV-1a over UTF-16 code units. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}

/**
 * What has changed, by scope, where no part has come, gone or another number: then nothing has to be looked through.
 * Undefined where that may be.
 */
export function partsInPlace(
  { scopes, made }: SearchIndex,
  { plan, site, records }: IndexedSite,
  changed: readonly string[] | undefined,
): readonly Changes[] | undefined {
  if (made?.site !== site || made.plan !== plan || changed === undefined) return undefined
  const changes = scopes.map(() => ({ gone: [] as IndexedPart[], come: [] as WantedPart[] }))
  for (const path of changed) {
    const before = made.records[path]?.parts
    const after = records[path]?.parts
    if (before?.path !== after?.path || before?.texts.length !== after?.texts.length) return undefined
    for (const [index, [key, blob, size]] of (after?.texts ?? []).entries()) {
      if (before?.texts[index]?.[0] !== key) return undefined
      const place = made.numbers.get(keyOfPart(after?.path ?? '', key))
      const part = place === undefined ? undefined : scopes[place.scope]?.parts.get(place.number)
      if (place === undefined || part === undefined || part.blob === blob) continue
      changes[place.scope]?.gone.push(part)
      changes[place.scope]?.come.push({ number: part.number, tab: part.tab, blob, size })
    }
  }
  return changes
}

export function* changesOf({ parts }: ScopeIndex, wanted: ReadonlyMap<number, WantedPart>): Steps<Changes> {
  const gone: IndexedPart[] = []
  const come: WantedPart[] = []
  for (const part of parts.values()) {
    yield
    if (!isSame(part, wanted.get(part.number))) gone.push(part)
  }
  for (const part of wanted.values()) {
    yield
    if (!isSame(part, parts.get(part.number))) come.push(part)
  }
  return { gone, come }
}

function isSame(one: Pick<WantedPart, 'blob' | 'tab'>, other: Pick<WantedPart, 'blob' | 'tab'> | undefined): boolean {
  return other !== undefined && one.blob === other.blob && one.tab === other.tab
}
