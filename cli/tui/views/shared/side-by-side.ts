import type { Pane, Region, Size } from '../../canvas/pane.ts'

/** Columns from which on details stand beside their list. */
export const wide = 96

interface TitledPane {
  readonly pane: Pane
  readonly title: string
}

/**
 * A list with the details of what is selected: beside it, or in its place where the window is too narrow for both.
 * @param reading the details have the keyboard
 */
export function sideBySide(
  { width, height }: Size,
  { list, details, reading }: { readonly list: TitledPane; readonly details: TitledPane; readonly reading: boolean },
): readonly Region[] {
  const place = { row: 1, height: Math.max(0, height - 1) }
  if (width < wide) return [{ ...(reading ? details : list), ...place, column: 0, width }]
  const left = Math.floor(width * 0.6)
  return [
    { ...list, ...place, column: 0, width: left },
    { ...details, ...place, column: left + 2, width: width - left - 2 },
  ]
}
