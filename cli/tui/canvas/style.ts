import { textColors } from '#authoring/text-style.ts'

/** What a colour is for; what it looks like is the theme's matter (terminal/theme.ts), which knows the terminal. */
export const colors = ['text', 'success', 'warning', 'danger', ...textColors] as const
export type Color = (typeof colors)[number]

/** Behind text. Without colours, the theme has to tell them apart in another way, such as by inversion. */
export const backgrounds = [
  'selected',
  'match',
  'currentMatch',
  'raised',
  'added',
  'deleted',
  'addedWord',
  'deletedWord',
] as const
export type Background = (typeof backgrounds)[number]

export interface Style {
  readonly color?: Color
  readonly background?: Background
  readonly bold?: boolean
  readonly dim?: boolean
  readonly italic?: boolean
  readonly underline?: boolean
  readonly strikethrough?: boolean
}

/** A piece of a line. Its text has neither line ends nor tabs nor other control characters: `shown` sees to that. */
export interface Span {
  readonly text: string
  readonly style?: Style
}

export type Line = readonly Span[]
