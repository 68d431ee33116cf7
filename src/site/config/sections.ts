import type { NavItem, Section, ShellLink } from '../shell.ts'
import { isElsewhere, isPageHref } from '../places.ts'
import { pick } from './values.ts'

export interface Navigation {
  readonly sections: readonly Section[]
  /** Links over every sidebar. */
  readonly anchors: readonly ShellLink[]
  /** Href of the page that a visit of the site begins with; absent when navigation has no page. */
  readonly home?: string
}

type Choice = Section['switches'][number]

/** What was read of a navigation: its sections, the links over them, and where the site begins. */
export class Sections {
  readonly #sections: Section[] = []
  /** By label and href. */
  readonly #anchors = new Map<string, ShellLink>()
  /** Of the sections below one choice, in the same way. */
  readonly #scoped = new Map<Choice, Map<string, ShellLink>>()
  #home: { readonly href: string; readonly rank: readonly number[] } | undefined

  get size(): number {
    return this.#sections.length
  }

  /** @param rank position among the alternatives of each switch: the site begins with the smallest */
  add(section: Section, rank: readonly number[]): void {
    this.#sections.push(section)
    if (this.#home === undefined || precedes(rank, this.#home.rank)) this.#home = { href: section.href, rank }
  }

  /** A choice that leads elsewhere. */
  addLink(switches: Section['switches'], href: string): void {
    this.#sections.push({ switches, href, items: [] })
  }

  /** @param switches of the choice that the anchor belongs to; none: it stands over every sidebar */
  addAnchor(anchor: ShellLink, switches: Section['switches']): void {
    const key = JSON.stringify([anchor.label, anchor.href])
    const choice = switches.at(-1)
    const beside = choice === undefined ? this.#anchors : (this.#scoped.get(choice) ?? new Map<string, ShellLink>())
    if (choice !== undefined) this.#scoped.set(choice, beside)
    if (!beside.has(key)) beside.set(key, anchor)
  }

  finish(): Navigation {
    const sections = this.#sections.map((section): Section => {
      const anchors = section.switches.flatMap((choice) => [...(this.#scoped.get(choice)?.values() ?? [])])
      return anchors.length === 0 ? section : { ...section, anchors }
    })
    return { sections, anchors: [...this.#anchors.values()], ...pick('home', this.#home?.href) }
  }
}

/** Href of the first page of this site in reading order. */
export function firstPage(items: readonly NavItem[]): string | undefined {
  for (const item of items) {
    if (isPageHref(item.href) && !isElsewhere(item)) return item.href
    const inner = item.kind === 'group' ? firstPage(item.items) : undefined
    if (inner !== undefined) return inner
  }
  return undefined
}

function precedes(one: readonly number[], other: readonly number[]): boolean {
  for (const [index, rank] of one.entries()) {
    const against = other[index]
    if (against === undefined) return false
    if (rank !== against) return rank < against
  }
  return false
}
