import { lineWidth, slice, span } from '../canvas/lines.ts'
import { lineText, widthOf } from '../canvas/width.ts'

/** A part of the breadcrumb, and the view that it leads to, by its index. */
export interface Crumb {
  readonly text: string
  readonly view: number
}

const brand = ' Quire '
const separator = ' › '

/** Columns before a part: the first one stands behind the name of the program. */
function gapBefore(index: number): number {
  return index === 0 ? widthOf(brand) + 1 : widthOf(separator)
}

/**
 * The parts that there is room for in so many columns: the last ones, which say where one is; `…` stands for those before
 * them, and for the beginning of the last one where it is too long itself.
 */
export function fitCrumbs(titles: readonly string[], width: number): readonly Crumb[] {
  const crumbs = titles.map((text, view): Crumb => ({ text, view }))
  if (end(crumbs) <= width) return crumbs
  for (let left = 1; left < crumbs.length; left++) {
    const shorter = [{ text: '…', view: left - 1 }, ...crumbs.slice(left)]
    if (end(shorter) <= width) return shorter
  }
  const last = crumbs.at(-1)
  return last === undefined ? [] : [{ ...last, text: endOf(last.text, width - gapBefore(0)) }]
}

/** The view whose part is at a column. */
export function crumbAt(crumbs: readonly Crumb[], column: number): number | undefined {
  return crumbs.find((_, index) => column < end(crumbs.slice(0, index + 1)))?.view
}

/** The end of a text, in at most so many columns; `…` stands for what is before it. */
export function endOf(text: string, width: number): string {
  const line = [span(text)]
  const own = lineWidth(line)
  if (own <= width) return text
  return width < 1 ? '' : `…${lineText(slice(line, own - width + 1, own))}`
}

function end(crumbs: readonly Crumb[]): number {
  return crumbs.reduce((sum, { text }, index) => sum + gapBefore(index) + widthOf(text), 0)
}
