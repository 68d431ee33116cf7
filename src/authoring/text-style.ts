/** What a colour of a text is for; what it looks like is the matter of whoever shows it. */
export const textColors = [
  'muted',
  'accent',
  // Of Markdown and MDX.
  'heading',
  'code',
  'link',
  'tag',
  'attribute',
  'string',
  'keyword',
  'comment',
  'punctuation',
  // Of diffs.
  'added',
  'deleted',
] as const
export type TextColor = (typeof textColors)[number]

export interface TextStyle {
  readonly color?: TextColor
  readonly bold?: boolean
  readonly italic?: boolean
  readonly underline?: boolean
  readonly strikethrough?: boolean
}
