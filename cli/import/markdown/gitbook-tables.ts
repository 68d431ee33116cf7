import { parseDocument } from 'htmlparser2'
import { attribute, type Blocks } from './callouts.ts'
import { decodeEntities } from './to-mdx.ts'

export interface Tables {
  readonly blocks: Blocks
  readonly note: (kind: 'markup', message: string, line: number) => void
  /** What stands in a cell, in our words. */
  readonly inline: (html: string) => string
  readonly line: number
}

/** An element of a table, with the HTML that it is written in. */
interface Cell {
  readonly inner: string
  readonly outer: string
  readonly attributes: Readonly<Record<string, string>>
}

interface Column {
  readonly isHidden: boolean
  readonly attributes: Readonly<Record<string, string>>
  /** Words of a choice, by their ids. */
  readonly options: ReadonlyMap<string, { readonly label: string; readonly color: string }>
  readonly head: string
}

/** A table of GitBook: cards where it says so, else a table without hidden columns, and with the words of its choices. */
export function convertTable(html: string, context: Tables): string {
  const { columns, rows, start } = tableIn(html)
  if (columns.length === 0) return context.inline(html)
  const hasCards = /\bdata-view="cards"/.test(start)
  if (hasCards && !context.blocks.plain) {
    context.blocks.usesComponents = true
    const isLarge = /\bdata-card-size="large"/.test(start)
    const cards = rows.map((row) => cardOf(row, columns, context))
    return [`<CardGroup cols="${isLarge ? 2 : 3}">`, ...cards, '</CardGroup>'].join('\n\n')
  }
  const shown = columns.flatMap(({ isHidden }, index) => (isHidden && !hasCards ? [] : [index]))
  const head = shown.map((index) => `<th${widthOf(columns[index])}>${context.inline(columns[index]?.head ?? '')}</th>`)
  const body = rows.map(
    (row) =>
      `<tr>${shown.map((index) => `<td>${context.inline(cellText(row[index], columns[index], context))}</td>`).join('')}</tr>`,
  )
  return `<table><thead><tr>${head.join('')}</tr></thead><tbody>${body.join('')}</tbody></table>`
}

const widthOf = (column: Column | undefined): string => {
  const width = column?.attributes['width']
  return width === undefined ? '' : ` width="${width.replaceAll('"', '')}"`
}

function tableIn(html: string): { columns: Column[]; rows: Cell[][]; start: string } {
  const rows: (Cell & { readonly name: string })[][] = []
  const visit = (node: unknown): void => {
    for (const child of (node as Parsed).children ?? []) {
      if (child.name === 'tr')
        rows.push((child.children ?? []).flatMap((cell) => (isCell(cell) ? [cellOf(cell, html)] : [])))
      else visit(child)
    }
  }
  visit(parseDocument(html, { withStartIndices: true, withEndIndices: true }))
  const [first = [], ...others] = rows
  const hasHead = first.some(({ name }) => name === 'th')
  return {
    columns: hasHead ? first.map(columnOf) : [],
    rows: others,
    start: /<table[^>]*>/.exec(html)?.[0] ?? '',
  }
}

/** What is read of a parsed node. */
interface Parsed {
  readonly name?: string
  readonly attribs?: Readonly<Record<string, string>>
  readonly children?: readonly Parsed[]
  readonly startIndex: number | null
  readonly endIndex: number | null
}

const isCell = ({ name }: Parsed): boolean => name === 'th' || name === 'td'

function cellOf(node: Parsed, html: string): Cell & { readonly name: string } {
  const [first, last] = [node.children?.[0], node.children?.at(-1)]
  const inner = first === undefined ? '' : html.slice(first.startIndex ?? 0, (last?.endIndex ?? 0) + 1)
  const outer = html.slice(node.startIndex ?? 0, (node.endIndex ?? 0) + 1)
  return { name: node.name ?? '', inner, outer, attributes: node.attribs ?? {} }
}

function columnOf({ inner, attributes }: Cell): Column {
  const options = new Map<string, { label: string; color: string }>()
  for (const [tag] of inner.matchAll(/<option\b[^>]*>/g)) {
    const field = (name: string): string => new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? ''
    options.set(field('value'), { label: field('label'), color: field('color') })
  }
  const head = inner.replaceAll(/<select\b[^]*?<\/select>/g, '').trim()
  return { isHidden: 'data-hidden' in attributes, attributes, options, head }
}

/** A cell as its column means it: a tick, a choice, a picture, or as it is written. */
function cellText(cell: Cell | undefined, column: Column | undefined, { blocks }: Tables): string {
  const inner = cell?.inner.trim() ?? ''
  const type = column?.attributes['data-type']
  if (type === 'checkbox') return inner === 'true' ? '☑' : '☐'
  if (type === 'rating') return '★'.repeat(Math.min(10, Math.max(0, Number(inner) || 0)))
  if (type === 'image')
    return hrefsIn(inner)
      .map((href) => `<img src="${href}" alt="">`)
      .join(' ')
  return inner.replaceAll(
    /<span\b[^>]*\bdata-option="([^"]*)"[^>]*>([^<]*)<\/span>/g,
    (_match, id: string, words: string) => {
      const { label = words, color = '' } = column?.options.get(id) ?? {}
      if (blocks.plain) return label
      blocks.usesComponents = true
      return `<Badge${attribute('color', badgeColors.has(color) ? color : 'gray')}>${label}</Badge>`
    },
  )
}

const addressIn = (name: string, address: string | undefined): string =>
  address === undefined ? '' : ` ${name}="${address}"`
const badgeColors = new Set(['gray', 'blue', 'green', 'yellow', 'orange', 'red', 'purple'])
const hrefsIn = (html: string): string[] =>
  [...html.matchAll(/<a\b[^>]*\bhref="([^"]*)"/g)].map(([, href = '']) => href)
const wordsOf = (html: string): string =>
  decodeEntities(html.replaceAll(/<i class="fa-[^>]*>[^<]*<\/i>/g, '').replaceAll(/<[^>]*>/g, ' '))
    .replaceAll(/\s+/g, ' ')
    .trim()

/** A row as a card: columns that are marked are its target and its picture, the first words its title, the others its text. */
function cardOf(row: readonly Cell[], columns: readonly Column[], context: Tables): string {
  const marked = (mark: string): string | undefined => {
    const index = columns.findIndex(({ attributes }) => mark in attributes)
    const address = index === -1 ? undefined : hrefsIn(row[index]?.inner ?? '')[0]
    if (address?.startsWith('/broken/') !== true) return address
    context.note('markup', 'A card led to a page that GitBook had lost itself: it leads nowhere.', context.line)
    return undefined
  }
  const cells = row.flatMap((cell, index) =>
    columns[index]?.isHidden === true || cell.inner.trim() === '' ? [] : [cellText(cell, columns[index], context)],
  )
  if (marked('data-card-cover-dark') !== undefined)
    context.note('markup', 'Pictures of cards for the dark theme were left out.', context.line)
  let icon: string | undefined
  let title: string | undefined
  const body: string[] = []
  for (const cell of cells) {
    const [, name] = /<i class="fa-([\w-]+)"/.exec(cell) ?? []
    const words = wordsOf(cell)
    if (icon === undefined && title === undefined && name !== undefined) icon = name
    if (words === '' && name !== undefined) continue
    if (title === undefined && body.length === 0 && words !== '' && !/<(?:a|ul|ol|img|Badge|p)\b/.test(cell))
      title = words
    else {
      const text = context.inline(cell.replaceAll(/<\/?h[1-6]>/g, ''))
      // A tag alone on its line is no paragraph in MDX.
      body.push(/^<a\b[^>]*>[^<]*<\/a>$/.test(text.trim()) ? `<p>${text.trim()}</p>` : text)
    }
  }
  const open = `<Card${attribute('title', title)}${attribute('icon', icon)}${addressIn('href', marked('data-card-target'))}${addressIn('img', marked('data-card-cover'))}>`
  return body.length === 0 ? `${open}</Card>` : `${open}\n\n${body.join('\n\n')}\n\n</Card>`
}
