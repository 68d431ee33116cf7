import { fit, lineWidth, span } from '../../canvas/lines.ts'
import type { Format } from '#authoring/mdx-state.ts'
import { blockRows, footnoteRows, headingRows } from './blocks.ts'
import type { References } from './inline.ts'
import { lineOf, type Node } from './node.ts'
import { parse } from './parse.ts'
import type { Container } from './container.ts'
import type { Row } from './row.ts'
import { wrapped } from './wrap.ts'

export interface ProseRequest {
  readonly text: string
  readonly format: Format
  /** Columns. */
  readonly width: number
}

export interface RenderedProse {
  readonly rows: readonly Row[]
  /** What was not understood: sentences. */
  readonly notes: readonly string[]
}

/** Longer pages are not rendered by the service either. */
const longestText = 1024 * 1024
const mostRows = 100_000

/**
 * Markdown or MDX → lines. Executes nothing. Not for the process of the terminal UI: the parser is native, and a text
 * that is made for it can end it.
 */
export function renderProse({ text, format, width }: ProseRequest): RenderedProse {
  const isLong = text.length > longestText
  const { root, notes, source } = parse(isLong ? text.slice(0, longestText) : text, format)
  const references: References = { source, definitions: definitionsOf(root), footnotes: new Map() }
  const container: Container = { width, references, lists: 0, depth: 0, blocks: blockRows }
  const nodes = root.children ?? []
  const blocks = [frontMatterRows(nodes, container), blockRows(nodes, container), footnoteRows(nodes, container)]
  const rows: Row[] = []
  for (const block of blocks) {
    if (block.length > 0 && rows.length > 0) rows.push({ line: [], source: block[0]?.source ?? 0 })
    for (const row of block)
      if (rows.length < mostRows) rows.push(lineWidth(row.line) > width ? { ...row, line: fit(row.line, width) } : row)
  }
  const cut = isLong ? ['The page is longer than 1 MB: its beginning is shown.'] : []
  return { rows, notes: [...cut, ...notes] }
}

/** Title and description, as a page begins with them. */
function frontMatterRows(nodes: readonly Node[], container: Container): Row[] {
  const yaml = nodes.find(({ type }) => type === 'yaml')
  const value = (name: string): string => valueOf(yaml?.value ?? '', name)
  const position = yaml?.position
  const line = yaml === undefined ? 0 : lineOf(yaml)
  const at = position === undefined ? {} : { position }
  const title: Node = { type: 'heading', children: [{ type: 'text', value: value('title'), ...at }], ...at }
  const description = { text: value('description'), style: { color: 'muted' } as const, source: line }
  return [
    ...(value('title') === '' ? [] : headingRows(title, 1, container)),
    ...(description.text === '' ? [] : wrapped([description], container.width)),
  ]
}

function valueOf(yaml: string, name: string): string {
  const value = new RegExp(`^${name}:[ \\t]*(.*)$`, 'm').exec(yaml)?.[1]?.trim() ?? ''
  return /^(["']).*\1$/.test(value) ? value.slice(1, -1) : value
}

function definitionsOf(root: Node): Map<string, string> {
  const definitions = new Map<string, string>()
  const stack: Node[] = [root]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node.type === 'definition') definitions.set(node.identifier ?? '', node.url ?? '')
    for (const child of node.children ?? []) stack.push(child)
  }
  return definitions
}

/** A text as it is, where it cannot be rendered. */
export function plainRows(text: string, width: number): Row[] {
  return text
    .slice(0, longestText)
    .split('\n', mostRows)
    .flatMap((line, source): Row[] => {
      const rows = wrapped([{ text: line, style: undefined, source }], width)
      return rows.length > 0 ? rows : [{ line: [span('')], source }]
    })
}
