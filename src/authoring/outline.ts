import type { Lines } from './lines.ts'
import { PageParts } from './page-parts.ts'

export interface Heading {
  /** From 0. */
  readonly line: number
  /** 1 to 6. */
  readonly level: number
  /** Without its marks. */
  readonly text: string
  /** What links lead to: `#install-it`. */
  readonly anchor: string
}

const ownAnchor = /\s*\\?\{#([\w.:-]+)\}\s*$/
/** Longer is no heading. */
const longestHeading = 1_000

/** The headings of a page. Reads all of it: a few milliseconds for five megabytes. */
export function outlineOf(lines: Lines): Heading[] {
  const parts = new PageParts()
  const headings: Heading[] = []
  const taken = new Map<string, number>()
  let before = ''
  for (let line = 0; line < lines.count; line++) {
    const text = lines.at(line)
    const isProse = parts.next(text) === 'text'
    const found = isProse ? headingOf(text, before) : undefined
    if (found !== undefined) {
      const anchor = uniqueAnchor(found.anchor ?? anchorOf(found.text), taken)
      headings.push({ line: found.isAbove ? line - 1 : line, level: found.level, text: found.text, anchor })
    }
    before = isProse && found === undefined ? text : ''
  }
  return headings
}

interface Found {
  readonly level: number
  readonly text: string
  readonly anchor?: string
  /** The text stands on the line before this one, which underlines it. */
  readonly isAbove: boolean
}

function headingOf(text: string, before: string): Found | undefined {
  const first = text.charCodeAt(0)
  // Most lines are none: they are told by a character.
  if (first === 32 || first === 9 ? text.trimStart().startsWith('#') : first === 35) {
    const [, hashes, words = ''] = /^\s*(#{1,6})(?:\s+(.*))?$/.exec(text.slice(0, longestHeading)) ?? []
    return hashes === undefined ? undefined : { level: hashes.length, isAbove: false, ...wordsOf(words) }
  }
  const isUnderline = (first === 61 || first === 45) && /^(?:=+|-{2,})\s*$/.test(text)
  if (!isUnderline || before.trim() === '' || /^\s*(?:[-*+>|<#]|\d+[.)])/.test(before)) return undefined
  return { level: first === 61 ? 1 : 2, isAbove: true, ...wordsOf(before.slice(0, longestHeading)) }
}

function wordsOf(text: string): Pick<Found, 'text' | 'anchor'> {
  const anchor = ownAnchor.exec(text)?.[1]
  const words = text.replace(ownAnchor, '').trim().replace(/\s#+$/, '').trim()
  const plain = words
    .replaceAll(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replaceAll(/<\/?[A-Za-z][^<>]*>/g, '')
    .replaceAll(/[*`]|~~/g, '')
  return { text: plain.trim(), ...(anchor === undefined ? {} : { anchor }) }
}

/** As GitHub makes it of a heading: what the service does, too. */
function anchorOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-')
}

function uniqueAnchor(anchor: string, taken: Map<string, number>): string {
  const times = taken.get(anchor) ?? 0
  taken.set(anchor, times + 1)
  return times === 0 ? anchor : `${anchor}-${times}`
}
