import { escapeHtml } from '../../lib/html.ts'
import type { AnchorKind } from '../components/component.tsx'

const longest = 200

/** GitHub’s rule: lower case, letters, digits, `_` and `-` stay, spaces become hyphens. */
function slugOf(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')
}

/** The id that is ours: GitHub’s slug without `_` and `-` at its ends (`## _meta` is `#meta`). */
export function idOf(text: string): string {
  return slugOf(text).replaceAll(/^[-_]+|[-_]+$/g, '')
}

/**
 * Mintlify’s rule: spaces and periods become one hyphen, quotation marks are the round ones, `/`, `&`, `:`, `$`, `@` and
 * whatever is not ASCII stay (`## What's new in v1.2 & later` is `#what’s-new-in-v1-2-&-later`).
 */
export function mintlifySlug(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replaceAll(/(?<=^|[\s(])"/g, '“')
    .replaceAll('"', '”')
    .replaceAll("'", '’')
    .replaceAll(/[!#%(),;<=>?[\\\]^`{|}~*]/g, '')
    .replaceAll(/[\s.-]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}

/** How Mintlify writes names in ids: `qstashClient` and `qstash_client` are `qstash-client`. */
function wordsOf(name: string): string {
  return name
    .slice(0, longest)
    .replaceAll(/([\p{Ll}\p{N}])(?=\p{Lu})/gu, '$1-')
    .replaceAll(/(\p{Lu})(?=\p{Lu}\p{Ll})/gu, '$1-')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '')
}

/** Further names of an element, beside its id. */
interface Names {
  /** In the order in which they are given out. */
  readonly plain: readonly string[]
  /** By Mintlify’s rule, which counts those that are equal: `overview`, `overview-2`, `overview-3`. */
  readonly counted?: string
}

/**
 * Ids of one page, each given out once. Links from elsewhere know a heading by other names, too: those are given when
 * all ids are known, and only where nothing has them yet, so that no link that has worked leads elsewhere.
 */
export class Anchors {
  /** What links may lead to. */
  readonly targets = new Set<string>()
  readonly #taken = new Set<string>()
  readonly #counts = new Map<string, number>()
  readonly #names = new Map<string, Names>()

  /** `install`, `install-1`, `install-2` … */
  unique(base: string): string {
    const wanted = base === '' ? 'section' : base.slice(0, longest)
    let id = wanted
    let count = this.#counts.get(wanted) ?? 0
    while (this.#taken.has(id)) id = `${wanted}-${++count}`
    this.#counts.set(wanted, count)
    this.#taken.add(id)
    return id
  }

  /** Of a heading, from its text. */
  heading(text: string): string {
    // Before it kept `&`, Mintlify wrote it out.
    return this.#target(idOf(text), [slugOf(text), slugOf(text.replaceAll(/\s*&\s*/g, ' and '))], text)
  }

  /** Of a component, from its title or name: see `ComponentContext.anchor`. */
  component(text: string, kind?: AnchorKind): string {
    const slug = slugOf(text)
    if (kind === 'field') return this.#target(`param-${wordsOf(text)}`, [slug])
    if (kind === 'part') return this.#target(wordsOf(text), [])
    return kind === 'section' ? this.#target(slug, [], text) : this.#target(slug, [mintlifySlug(text)])
  }

  /** What has an id is found by a text, too. */
  named(id: string, text: string): void {
    this.#name(id, [slugOf(text), mintlifySlug(text)])
  }

  #target(base: string, plain: readonly string[], counted?: string): string {
    const id = this.unique(base)
    this.targets.add(id)
    this.#name(id, plain, counted)
    return id
  }

  /** An id that the author chose: it is theirs even where it was given before. */
  claim(id: string): string {
    this.#taken.add(id)
    this.targets.add(id)
    return id
  }

  /** @param counted text whose slug Mintlify counts */
  #name(id: string, plain: readonly string[], counted = ''): void {
    const slug = mintlifySlug(counted)
    this.#names.set(escapeHtml(id), { plain, ...(slug === '' ? {} : { counted: slug }) })
  }

  /**
   * The HTML of a page with its further names, as empty targets at the beginning of their elements. Those of headings
   * are given first, then those of components, as they follow each other.
   */
  write(html: string): string {
    if (this.#names.size === 0) return html
    const places: { readonly end: number; readonly names: Names }[] = []
    for (const match of html.matchAll(/ id="([^"]*)"[^>]*>(?:<summary>)?/g)) {
      const names = this.#names.get(match[1] ?? '')
      if (names !== undefined) places.push({ end: match.index + match[0].length, names })
      this.#names.delete(match[1] ?? '')
    }
    const given = new Map<number, string>()
    const counts = new Map<string, number>()
    const give = (end: number, name: string): void => {
      if (name === '' || name.length > longest || this.#taken.has(name)) return
      this.claim(name)
      given.set(end, `${given.get(end) ?? ''}<a name="${escapeHtml(name)}"></a>`)
    }
    const counted = places.filter(({ names }) => names.counted !== undefined)
    for (const { end, names } of counted) {
      const slug = names.counted ?? ''
      const count = (counts.get(slug) ?? 0) + 1
      counts.set(slug, count)
      for (const name of names.plain) give(end, name)
      give(end, count === 1 ? slug : `${slug}-${count}`)
    }
    for (const { end, names } of places)
      if (names.counted === undefined) for (const name of names.plain) give(end, name)
    let [written, from] = ['', 0]
    for (const { end } of places) {
      written += html.slice(from, end) + (given.get(end) ?? '')
      from = end
    }
    return written + html.slice(from)
  }
}
