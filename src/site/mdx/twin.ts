import type { MdxElement } from './nodes.ts'

/** `<Visibility for="humans">`; what is for machines has its tag around it in their text, which says so. */
export function isForHumans({ name, attributes }: MdxElement): boolean {
  return (
    name === 'Visibility' &&
    attributes.some(
      (attribute) =>
        attribute.type === 'mdxJsxAttribute' &&
        attribute.name === 'for' &&
        typeof attribute.value === 'string' &&
        attribute.value.trim().toLowerCase() === 'humans',
    )
  )
}

/** Text of a page as machines read it: without its front matter and without these parts, which are offsets. */
export function withoutBlocks(
  text: string,
  bodyOffset: number,
  blocks: readonly (readonly [start: number, end: number])[],
): string {
  let markdown = ''
  let from = bodyOffset
  for (const [start, end] of blocks.toSorted((a, b) => a[0] - b[0])) {
    markdown = joined(markdown, text.slice(from, Math.max(from, start)))
    from = Math.max(from, end)
  }
  return `${joined(markdown, text.slice(from)).trim()}\n`
}

/** What a block stood between: one empty line stays. Those in the text, as in code, are the author's. */
function joined(before: string, after: string): string {
  if (before.trim() === '') return after
  if (!/\n[^\S\n]*$/.test(before) || !/^[^\S\n]*(?:\n|$)/.test(after)) return before + after
  return `${before.trimEnd()}\n\n${after.replace(/^(?:[^\S\n]*\n)+/, '')}`
}
