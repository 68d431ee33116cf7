import { attribute, between, withoutMarks } from './callouts.ts'
import { writeTag } from './elements.ts'
import { iconOf } from './icons.ts'
import { blockEnd, dedent, indentOf, type Line } from './lines.ts'

interface Grid {
  readonly lines: readonly Line[]
  readonly next: number
}

/**
 * `<div class="grid cards" markdown>` of Material: a list of cards; without `cards` blocks side by side. Undefined for other
 * lines. @param convert what a card holds
 */
export function gridAt(
  lines: readonly Line[],
  index: number,
  convert: (inner: readonly Line[]) => Line[],
): Grid | undefined {
  const line = lines[index] as Line
  const [, indent = '', classes] =
    /^([ \t]*)<div class="(?:\w[\w-]* )*grid((?: [\w-]+)*)"[^>]*>[ \t]*$/.exec(line.text) ?? []
  if (classes === undefined) return undefined
  const end = blockEnd(
    lines,
    index + 1,
    (text) => (text.match(/<div\b/g)?.length ?? 0) - (text.match(/<\/div>/g)?.length ?? 0),
  )
  const at = { indent, line: line.line }
  const inner = lines.slice(index + 1, end)
  const cards = classes.split(' ').includes('cards') ? cardsIn(inner, at, convert) : undefined
  const made =
    cards === undefined
      ? between('<Columns cols="2">', convert(inner), '</Columns>', at)
      : between('<CardGroup cols="2">', cards, '</CardGroup>', at)
  return { lines: made, next: end + 1 }
}

/** Items of a list as cards: an icon, a strong title, perhaps a rule, and what follows. */
function cardsIn(
  inner: readonly Line[],
  at: { readonly indent: string; readonly line: number },
  convert: (inner: readonly Line[]) => Line[],
): Line[] | undefined {
  const base = Math.min(...inner.filter(({ text }) => text.trim() !== '').map(({ text }) => indentOf(text)), 100)
  const items: Line[][] = []
  for (const { text, line } of inner) {
    const own = dedent(text, base)
    const [, first] = /^[-*+][ \t]+(.*)$/.exec(own) ?? []
    if (first !== undefined) items.push([{ text: first, line }])
    else if (items.length > 0) items.at(-1)?.push({ text: dedent(own, 4), line })
    else if (own.trim() !== '') return undefined
  }
  if (items.length === 0) return undefined
  return items.flatMap((item, index) => {
    const [head, ...body] = item as [Line, ...Line[]]
    const [, icon, words = ''] = /^(?::([\w-]+):(?:\{[^{}]*\})?[ \t]*)?(.*)$/.exec(head.text) ?? []
    // The words of a strong title, of a link around it, or of one within it.
    const [, label, href] = /^(?:\*\*|__)?\[(.+)\]\(([^()\s]+)\)(?:\*\*|__)?$/.exec(words) ?? []
    const [, strong, plain = ''] = /^(?:\*\*|__)(.+?)(?:\*\*|__)[ \t]*(.*)$/.exec(label ?? words) ?? []
    const first = strong === undefined ? words : plain
    const open = writeTag('Card', [
      ['icon', icon === undefined || !icon.includes('-') ? undefined : iconOf(icon)],
      ['href', strong === undefined ? undefined : href],
    ])
    const title = attribute('title', strong === undefined ? undefined : withoutMarks(strong))
    const rule = body.findIndex(({ text }) => text.trim() !== '')
    const rest = body[rule]?.text.trim() === '---' ? body.slice(rule + 1) : body
    const all = [...(first === '' ? [] : [{ text: first, line: head.line }]), ...rest]
    const placed = convert(all).map(({ text, line }) => ({ text: text === '' ? '' : at.indent + text, line }))
    const card = between(open.replace('<Card', `<Card${title}`), placed, '</Card>', {
      indent: at.indent,
      line: head.line,
    })
    return index === 0 ? card : [{ text: '', line: head.line }, ...card]
  })
}
