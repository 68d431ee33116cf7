import { lineWidth, span } from '../../canvas/lines.ts'
import type { Style } from '../../canvas/style.ts'
import { codeRows } from './code-rows.ts'
import { componentRows } from './components.ts'
import { imageText, numberOf, piecesOf } from './inline.ts'
import { attribute, isComment, isPhrasing, lineOf, literal, type Node } from './node.ts'
import { asWritten } from './parse.ts'
import { type Container, within } from './container.ts'
import { indented, type Row } from './row.ts'
import { tableRows } from './table.ts'
import { wrapped } from './wrap.ts'

/** Deeper, nothing is shown: it nests for its own sake. */
const deepest = 80
const muted: Style = { color: 'muted' }
const bullets = ['•', '◦', '▪']

/** Blocks one under the other, with an empty line between them; text that stands between them is a paragraph. */
export function blockRows(nodes: readonly Node[], container: Container, isTight = false): Row[] {
  const rows: Row[] = []
  let text: Node[] = []
  const put = (block: readonly Row[]): void => {
    if (block.length === 0) return
    if (rows.length > 0 && !isTight) rows.push({ line: [], source: block[0]?.source ?? 0 })
    for (const row of block) rows.push(row)
  }
  const settle = (): void => {
    put(paragraph(text, container))
    text = []
  }
  for (const node of nodes) {
    if (isPhrasing(node) && !isBlockElement(node)) text.push(node)
    else {
      settle()
      put(rowsOf(node, container))
    }
  }
  settle()
  return rows
}

function isBlockElement(node: Node): boolean {
  return node.type === 'mdxJsxTextElement' && blockElements.has(node.name ?? '')
}

const blockElements = new Set(
  (
    'Note Info Tip Check Warning Danger Callout Card CardGroup Columns Steps Step Tabs Tab Accordion AccordionGroup ' +
    'CodeGroup Frame ParamField ResponseField Expandable Update Panel'
  ).split(' '),
)

function paragraph(nodes: readonly Node[], container: Container): Row[] {
  return wrapped(piecesOf(nodes, container.references), container.width)
}

function rowsOf(node: Node, container: Container): Row[] {
  const source = lineOf(node)
  const children = node.children ?? []
  if (container.depth > deepest) return [{ line: [span('…', muted)], source }]
  switch (node.type) {
    case 'paragraph':
      // `<Note>…</Note>` alone in a line is a paragraph to some parsers.
      return children.some(isBlockElement) ? blockRows(children, container) : paragraph(children, container)
    case 'heading':
      return headingRows(node, node.depth ?? 1, container)
    case 'list':
      return listRows(node, container)
    case 'blockquote':
      return indented(blockRows(children, within(container, 2)), [span('│ ', muted)], [span('│ ', muted)])
    case 'code':
      return fenceRows(node, container)
    case 'math':
      return codeRows(node.value ?? '', { language: '', title: 'formula', width: container.width, source: source + 1 })
    case 'thematicBreak':
      return [{ line: [span('─'.repeat(container.width), muted)], source }]
    case 'table':
      return tableRows(node, container.width, container.references)
    case 'html':
      return htmlRows(node, container)
    case 'mdxFlowExpression':
      return expressionRows(node, container)
    case 'mdxJsxFlowElement':
    case 'mdxJsxTextElement':
      return elementRows(node, container)
    case 'definition':
    case 'footnoteDefinition':
    case 'yaml':
    case 'mdxjsEsm':
      return []
    default:
      return children.length > 0 ? blockRows(children, within(container, 0)) : paragraph([node], container)
  }
}

export function headingRows(node: Node, level: number, container: Container): Row[] {
  const style: Style = level < 4 ? { color: 'heading', bold: true } : { bold: true }
  const rows = wrapped(piecesOf(node.children ?? [], container.references, style), container.width)
  const rule = level === 1 ? '━' : level === 2 ? '─' : ''
  if (rule === '' || rows.length === 0) return rows
  const width = Math.max(...rows.map(({ line }) => lineWidth(line)))
  return [...rows, { line: [span(rule.repeat(width), { color: 'heading' })], source: lineOf(node) }]
}

function listRows(node: Node, container: Container): Row[] {
  const items = node.children ?? []
  const start = node.start ?? 1
  const digits = String(start + items.length - 1).length
  const isLoose = items.some((item) => item.spread === true)
  return items.flatMap((item, index) => {
    const mark =
      node.ordered === true ? `${String(start + index).padStart(digits)}. ` : `${bullets[container.lists % 3]} `
    const box = typeof item.checked === 'boolean' ? (item.checked ? '[x] ' : '[ ] ') : ''
    const first = [span(mark, { color: 'accent' }), ...(box === '' ? [] : [span(box, { color: 'accent' })])]
    const inner = { ...within(container, mark.length + box.length), lists: container.lists + 1 }
    const rows = blockRows(item.children ?? [], inner, item.spread !== true)
    const shownRows = rows.length > 0 ? rows : [{ line: [], source: lineOf(item) }]
    const placed = indented(shownRows, first, [span(' '.repeat(mark.length + box.length))])
    return isLoose && index > 0 ? [{ line: [], source: lineOf(item) }, ...placed] : placed
  })
}

function fenceRows(node: Node, container: Container): Row[] {
  const language = (node.lang ?? '').replace(/\{.*$/, '')
  const meta = node.meta ?? ''
  const title = /\btitle=["']([^"']*)["']/.exec(meta)?.[1] ?? (/^[\w./ -]+$/.test(meta) ? meta.trim() : '')
  const label = language === 'mermaid' ? 'Mermaid diagram' : [language, title].filter((part) => part !== '').join(' · ')
  const source = lineOf(node) + 1
  return codeRows(node.value ?? '', { language, title: label, width: container.width, source })
}

/** HTML of a Markdown page: what stands between its tags. */
function htmlRows(node: Node, container: Container): Row[] {
  const text = asWritten(node.value ?? '')
    .replaceAll(/<!--[\s\S]*?(?:-->|$)/g, '')
    .replaceAll(/<\/?[A-Za-z!][^<>]*>/g, '')
  return wrapped([{ text, style: undefined, source: lineOf(node) }], container.width)
}

function expressionRows(node: Node, container: Container): Row[] {
  const value = node.value ?? ''
  if (isComment(value)) return []
  const text = literal(value)
  if (text !== undefined) return wrapped([{ text, style: undefined, source: lineOf(node) }], container.width)
  return codeRows(`{${value}}`, { language: 'js', title: '', width: container.width, source: lineOf(node) })
}

const headings = /^h([1-6])$/

function elementRows(node: Node, container: Container): Row[] {
  const name = node.name ?? ''
  const level = headings.exec(name)?.[1]
  if (level !== undefined) return headingRows(node, Number(level), container)
  switch (name) {
    case 'script':
    case 'style':
      return []
    case 'hr':
      return [{ line: [span('─'.repeat(container.width), muted)], source: lineOf(node) }]
    case 'img':
      return textRow(imageText(attribute(node, 'alt'), attribute(node, 'src')), node, container)
    case 'video':
    case 'iframe':
      return textRow(`[${name}: ${attribute(node, 'title') ?? attribute(node, 'src') ?? ''}]`, node, container)
    case 'li':
      return indented(
        blockRows(node.children ?? [], within(container, 2)),
        [span('• ', { color: 'accent' })],
        [span('  ')],
      )
    case 'ul':
    case 'ol':
      return blockRows(node.children ?? [], within(container, 0), true)
    default:
      return componentRows(node, container)
  }
}

function textRow(text: string, node: Node, container: Container): Row[] {
  return wrapped([{ text, style: { ...muted, italic: true }, source: lineOf(node) }], container.width)
}

/** The footnotes that the text refers to, in its order. */
export function footnoteRows(nodes: readonly Node[], container: Container): Row[] {
  const known = nodes.filter(
    ({ type, identifier = '' }) => type === 'footnoteDefinition' && container.references.footnotes.has(identifier),
  )
  if (known.length === 0) return []
  const inOrder = known.toSorted(
    (one, other) => numberOf(one, container.references) - numberOf(other, container.references),
  )
  const rows = inOrder.flatMap((node) => {
    const mark = `[${numberOf(node, container.references)}] `
    const inner = blockRows(node.children ?? [], within(container, mark.length))
    return indented(inner, [span(mark, { color: 'link' })], [span(' '.repeat(mark.length))])
  })
  const source = rows[0]?.source ?? 0
  return [{ line: [span('─'.repeat(Math.min(20, container.width)), muted)], source }, ...rows]
}
