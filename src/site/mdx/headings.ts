import { escapeHtml } from '../../lib/html.ts'
import type { Heading } from '../page.ts'

/** GitHub’s rule: lower case, letters, digits, `_` and `-` stay, spaces become hyphens. */
export function slugOf(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')
}

/**
 * The id of a heading, and other names under which links know it. Our own is GitHub’s slug without `_` and `-` at its
 * ends (`## _meta` is `#meta`); GitHub’s whole slug and the form that keeps `/` and `:` (`#tasks/get`) lead there too.
 */
export function headingNames(text: string): { readonly id: string; readonly aliases: readonly string[] } {
  const slug = slugOf(text)
  const id = slug.replaceAll(/^[-_]+|[-_]+$/g, '')
  const verbatim = text
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\-/: ]/gu, '')
    .replaceAll(' ', '-')
  return {
    id,
    aliases: [...new Set([slug, verbatim])].filter((name) => name !== id && name !== '' && name.length <= 200),
  }
}

/**
 * Headings as they follow each other in the page. They are noted when they are rendered, and what a component holds is
 * rendered before the component; what it then leaves out is no heading of the page.
 */
export function inOrder(headings: readonly Heading[], html: string): Heading[] {
  const places = new Map<string, number>()
  for (const match of html.matchAll(/ id="([^"]*)"/g))
    if (!places.has(match[1] ?? '')) places.set(match[1] ?? '', match.index)
  return headings
    .flatMap((heading) => {
      const place = places.get(escapeHtml(heading.id))
      return place === undefined ? [] : [{ heading, place }]
    })
    .sort((a, b) => a.place - b.place)
    .map(({ heading }) => heading)
}

/** Ids of one page, each given out once. */
export class Ids {
  readonly #taken = new Set<string>()
  readonly #counts = new Map<string, number>()

  /** `install`, `install-1`, `install-2` … */
  unique(base: string): string {
    const wanted = base === '' ? 'section' : base.slice(0, 200)
    let id = wanted
    let count = this.#counts.get(wanted) ?? 0
    while (this.#taken.has(id)) id = `${wanted}-${++count}`
    this.#counts.set(wanted, count)
    this.#taken.add(id)
    return id
  }

  isTaken(id: string): boolean {
    return this.#taken.has(id)
  }

  /** An id that the author chose: it is theirs even where it was given before. */
  claim(id: string): string {
    this.#taken.add(id)
    return id
  }
}
