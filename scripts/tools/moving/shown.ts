import { Parser } from 'htmlparser2'
import type { Counts } from './originals.ts'

export interface ShownPage {
  readonly counts: Counts
  /** Addresses in its sidebar, in their order. */
  readonly sidebar: readonly string[]
  /** All of its body, decoded: names of pictures are looked for in it. */
  readonly pictures: string
}

/** Classes of what pages are made of, by what it is called in a comparison. */
const classes: Readonly<Record<string, string>> = {
  'q-callout': 'notes',
  'q-accordion': 'folds',
  'q-tab': 'panels',
  'q-step': 'steps',
  'q-column': 'columns',
  'q-update': 'updates',
  'q-prompt': 'prompts',
  'q-card': 'cards',
}

/** Reads what a page shows out of its HTML. */
export function shownPage(html: string): ShownPage {
  const counts: Record<string, number> = {}
  const add = (name: string): void => void (counts[name] = (counts[name] ?? 0) + 1)
  const sidebar: string[] = []
  const pictures: string[] = []
  // Depths at which the sidebar and the page began.
  let depth = 0
  let nav = 0
  let prose = 0
  const voids = new Set('area base br col embed hr img input link meta source track wbr'.split(' '))
  const parser = new Parser({
    onopentag: (tag, attributes) => {
      const names = (attributes['class'] ?? '').split(/\s+/)
      if (!voids.has(tag)) depth++
      if (names.includes('q-nav')) nav = depth
      if (names.includes('q-prose')) prose = depth
      const { href, src, srcset } = attributes
      if (nav > 0 && tag === 'a' && href !== undefined) sidebar.push(decodeURI(href).replace(/[?#].*$/, ''))
      if (prose === 0) return
      for (const name of names) if (Object.hasOwn(classes, name)) add(classes[name] ?? '')
      if (tag === 'iframe' || tag === 'video') add('films')
      pictures.push(src ?? '', srcset ?? '', attributes['data-src'] ?? '')
    },
    onclosetag: (tag) => {
      if (voids.has(tag)) return
      if (nav === depth) nav = 0
      if (prose === depth) prose = 0
      depth--
    },
  })
  parser.end(html)
  const text = pictures.join('\n')
  return { counts, sidebar: [...new Set(sidebar.map((url) => url.replace(/(.)\/$/, '$1')))], pictures: decoded(text) }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
