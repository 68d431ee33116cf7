import type { Style } from '../../canvas/style.ts'
import { asWritten } from './parse.ts'
import { attribute, isComment, lineOf, literal, type Node } from './node.ts'
import type { Piece } from './wrap.ts'

/** What the text of a page refers to. */
export interface References {
  readonly source: string
  /** Addresses by the identifier of their definitions. */
  readonly definitions: ReadonlyMap<string, string>
  /** Numbers of footnotes, in the order in which they are referred to. */
  readonly footnotes: Map<string, number>
}

const links: Style = { color: 'link', underline: true }
const codes: Style = { color: 'code' }
const muted: Style = { color: 'muted' }

/** Nodes of a line of text, and whatever stands in one, as pieces. */
export function piecesOf(nodes: readonly Node[], references: References, style?: Style): Piece[] {
  return nodes.flatMap((node) => pieceOf(node, references, style))
}

function pieceOf(node: Node, references: References, style: Style | undefined): Piece[] {
  const source = lineOf(node)
  const piece = (text: string, own: Style): Piece[] => [{ text: asWritten(text), style: { ...style, ...own }, source }]
  const inner = (own: Style): Piece[] => piecesOf(node.children ?? [], references, { ...style, ...own })
  switch (node.type) {
    case 'text':
      return [{ text: asWritten(node.value ?? ''), style, source }]
    case 'emphasis':
      return inner({ italic: true })
    case 'strong':
      return inner({ bold: true })
    case 'delete':
      return inner({ strikethrough: true })
    case 'inlineCode':
      return piece(node.value ?? '', codes)
    case 'inlineMath':
      return formula(node, references, style)
    case 'break':
      return [{ text: '', style, source, break: true }]
    case 'link':
      return [...inner(links), ...address(node, source)]
    case 'linkReference':
      return inner(references.definitions.has(node.identifier ?? '') ? links : {})
    case 'image':
    case 'imageReference':
      return piece(imageText(node.alt, node.url), { ...muted, italic: true })
    case 'footnoteReference':
      return piece(`[${numberOf(node, references)}]`, { color: 'link' })
    case 'mdxTextExpression':
    case 'mdxFlowExpression':
      return expression(node, style)
    case 'mdxJsxTextElement':
    case 'mdxJsxFlowElement':
      return element(node, references, style)
    case 'html':
      // Of HTML in Markdown, what stands between the tags is text of its own.
      return /^<br\b/i.test(node.value ?? '') ? [{ text: '', style, source, break: true }] : []
    default:
      return node.children === undefined ? piece(node.value ?? '', {}) : inner({})
  }
}

/** Prices are no formulas: `$5 and $6`. The rule is the service’s own. */
function formula(node: Node, { source }: References, style: Style | undefined): Piece[] {
  const start = node.position?.start.offset
  const end = node.position?.end.offset
  const line = lineOf(node)
  const text = start === undefined || end === undefined ? '' : source.slice(start, end)
  const inside = text.slice(1, -1)
  const isPrice =
    text.startsWith('$') && text[1] !== '$' && (/^\s|\s$/.test(inside) || /\d/.test(source[end ?? 0] ?? ''))
  return isPrice
    ? [{ text: asWritten(text), style, source: line }]
    : [{ text: node.value ?? '', style: { ...style, ...codes, italic: true }, source: line }]
}

/** Where a link leads, unless its text says so. */
function address(node: Node, source: number): Piece[] {
  const url = node.url ?? ''
  const isKnown =
    url === '' || (node.children ?? []).some((child) => (child.value ?? '').includes(url.replace(/^mailto:/, '')))
  return isKnown || !/^https?:/.test(url) ? [] : [{ text: ` (${hostOf(url)})`, style: muted, source }]
}

function hostOf(url: string): string {
  return /^https?:\/\/(?:[^@/?#\s]*@)?([^/?#\s]+)/.exec(url)?.[1] ?? url
}

export function imageText(alt: string | null | undefined, url: string | undefined): string {
  const name = (alt ?? '').trim() === '' ? (url ?? '').split('/').at(-1) : alt
  return name === undefined || name === '' ? '[image]' : `[image: ${name}]`
}

export function numberOf({ identifier = '' }: Node, { footnotes }: References): number {
  const number = footnotes.get(identifier) ?? footnotes.size + 1
  footnotes.set(identifier, number)
  return number
}

function expression(node: Node, style: Style | undefined): Piece[] {
  const value = node.value ?? ''
  if (isComment(value)) return []
  const text = literal(value) ?? (/^\s*-?\d[\d.]*\s*$/.test(value) ? value.trim() : undefined)
  const source = lineOf(node)
  return [text === undefined ? { text: `{${value}}`, style: { ...style, ...codes }, source } : { text, style, source }]
}

const marks: Readonly<Record<string, Style>> = {
  a: links,
  Link: links,
  b: { bold: true },
  strong: { bold: true },
  i: { italic: true },
  em: { italic: true },
  u: { underline: true },
  s: { strikethrough: true },
  del: { strikethrough: true },
  code: codes,
  kbd: { ...codes, bold: true },
  Latex: codes,
  Badge: { color: 'accent', bold: true },
}
const unseen = new Set(['script', 'style', 'Icon'])

function element(node: Node, references: References, style: Style | undefined): Piece[] {
  const name = node.name ?? ''
  const source = lineOf(node)
  if (unseen.has(name)) return []
  if (name === 'br') return [{ text: '', style, source, break: true }]
  if (name === 'img')
    return [
      { text: imageText(attribute(node, 'alt'), attribute(node, 'src')), style: { ...muted, italic: true }, source },
    ]
  const inner = piecesOf(node.children ?? [], references, { ...style, ...marks[name] })
  if (name === 'Badge') {
    const edge = { style: { ...style, ...marks[name] }, source }
    return [{ text: '[', ...edge }, ...inner, { text: ']', ...edge }]
  }
  const tip = name === 'Tooltip' ? (attribute(node, 'tip') ?? attribute(node, 'headline')) : undefined
  if (tip !== undefined) return [...inner, { text: ` (${tip})`, style: { ...style, ...muted }, source }]
  const isEmpty = inner.length === 0 && /^[A-Z]/.test(name)
  return isEmpty ? [{ text: `<${name} />`, style: { ...style, color: 'tag' }, source }] : inner
}
