import { closest } from '../client/browser.ts'

/** Where somebody reads in the text that the page is made of. */
export interface Spot {
  /** Ids of the headings before and behind; null: the beginning, the end. */
  readonly before: string | null
  readonly behind: string | null
  /** How far it is from the one to the other, 0 to 1. */
  readonly part: number
}

export function spotOf(data: object): Spot | undefined {
  const { before, behind, part } = { before: undefined, behind: undefined, part: undefined, ...data }
  const isId = (value: unknown): value is string | null => value === null || typeof value === 'string'
  if (!isId(before) || !isId(behind) || typeof part !== 'number' || !(part >= 0 && part <= 1)) return undefined
  return { before, behind, part }
}

/** Shows the same place of the page at the top of the window. */
export function follow({ before, behind, part }: Spot): void {
  const end = document.documentElement.scrollHeight - innerHeight
  const from = before === null ? 0 : topOf(before)
  const to = behind === null ? end : topOf(behind)
  // A heading that is not there yet comes with the next text.
  if (from === undefined || to === undefined) return
  scrollTo({ top: Math.min(end, from + (to - from) * part), behavior: 'instant' })
}

/** In pixels from the top of the page, with the room that is left above a heading. */
function topOf(id: string): number | undefined {
  const element = document.querySelector(`#${CSS.escape(id)}`)
  return element === null ? undefined : Math.max(0, element.getBoundingClientRect().top + scrollY - 16)
}

/** Id of the heading that was clicked, outside its links. */
export function headingOf(event: Event): string | undefined {
  if (closest(event, 'a, button') !== null) return undefined
  return closest(event, ':is(h1, h2, h3, h4, h5, h6)[id]')?.id
}
