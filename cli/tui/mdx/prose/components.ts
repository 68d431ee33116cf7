import { fit, span } from '../../canvas/lines.ts'
import type { Color, Style } from '../../canvas/style.ts'
import { shown } from '../../canvas/width.ts'
import { attribute, lineOf, type Node } from './node.ts'
import { type Container, within } from './container.ts'
import { boxed, indented, insideOfBox, type Row } from './row.ts'
import { type Piece, wrapped } from './wrap.ts'

type Component = (node: Node, container: Container) => Row[]

const muted: Style = { color: 'muted' }
const strong: Style = { bold: true }

const kinds: Readonly<Record<string, readonly [label: string, color: Color]>> = {
  note: ['Note', 'accent'],
  info: ['Info', 'accent'],
  tip: ['Tip', 'success'],
  check: ['Check', 'success'],
  success: ['Check', 'success'],
  warning: ['Warning', 'warning'],
  caution: ['Warning', 'warning'],
  danger: ['Danger', 'danger'],
  error: ['Danger', 'danger'],
}

function inner(node: Node, container: Container, isTight = false): Row[] {
  return container.blocks(node.children ?? [], container, isTight)
}

function text(node: Node, name: string): string {
  return shown(attribute(node, name) ?? '')
}

function row(node: Node, container: Container, ...parts: readonly (readonly [string, Style?])[]): Row[] {
  const source = lineOf(node)
  const pieces = parts
    .filter(([words]) => words !== '')
    .map(([words, style]): Piece => ({ text: words, style, source }))
  return pieces.length === 0 ? [] : wrapped(pieces, container.width)
}

function box(
  node: Node,
  container: Container,
  look: { readonly title: string; readonly color: Color; readonly body?: readonly Row[] },
): Row[] {
  const inside = { ...within(container, 0), width: Math.max(1, insideOfBox(container.width)) }
  const body = look.body ?? inner(node, inside)
  return boxed(body, { width: container.width, color: look.color, title: look.title, source: lineOf(node) })
}

const callout =
  (kind?: string): Component =>
  (node, container) => {
    const [label, color] = kinds[kind ?? text(node, 'type')] ?? ['Note', 'accent']
    const title = text(node, 'title')
    return box(node, container, { title: title === '' ? label : `${label}: ${title}`, color })
  }

const card: Component = (node, container) => {
  const inside = { ...within(container, 0), width: Math.max(1, insideOfBox(container.width)) }
  const body = [
    ...row(node, inside, [text(node, 'description')]),
    ...inner(node, inside),
    ...row(node, inside, [text(node, 'href') === '' ? '' : `→ ${text(node, 'href')}`, { color: 'link' }]),
  ]
  return box(node, container, { title: text(node, 'title'), color: 'muted', body })
}

/** Narrower, cards stand one under the other. */
const narrowestColumn = 28
const gap = 2

/** Cards in columns, as many as are wanted and have room. */
const columns: Component = (node, container) => {
  const wanted = Number(attribute(node, 'cols') ?? 2)
  const room = Math.floor((container.width + gap) / (narrowestColumn + gap))
  const cells = (node.children ?? []).filter((child) => child.type.startsWith('mdxJsx'))
  const count = Math.min(Number.isFinite(wanted) ? Math.max(1, Math.round(wanted)) : 2, room, cells.length)
  if (count < 2 || cells.length < (node.children ?? []).length) return children(node, container)
  const width = Math.floor((container.width - gap * (count - 1)) / count)
  const lines: Row[] = []
  for (let first = 0; first < cells.length; first += count) {
    const beside = cells.slice(first, first + count)
    lines.push(
      ...joined(
        beside.map((cell) => container.blocks([cell], { ...within(container, 0), width })),
        width,
      ),
    )
  }
  return lines
}

/** Blocks beside each other. */
function joined(blocks: readonly (readonly Row[])[], width: number): Row[] {
  const height = Math.max(...blocks.map((block) => block.length))
  const source = blocks[0]?.[0]?.source ?? 0
  return Array.from({ length: height }, (_, index) => ({
    line: blocks.flatMap((block, column) => [
      ...(column === 0 ? [] : [span(' '.repeat(gap))]),
      ...fit(block[index]?.line ?? [], width),
    ]),
    source,
  }))
}

const children: Component = (node, container) => inner(node, within(container, 0))

function below(node: Node, container: Container, by: string): Row[] {
  return indented(inner(node, within(container, by.length)), [span(by, muted)], [span(by, muted)])
}

/** Steps count themselves; what else stands among them stays. */
const steps: Component = (node, container) => {
  let number = 0
  const isStep = (child: Node): boolean => child.name === 'Step'
  return separated(
    (node.children ?? []).map((child) => {
      if (!isStep(child)) return container.blocks([child], within(container, 0))
      number = Number(attribute(child, 'stepNumber') ?? number + 1)
      return step(child, container, `${number} `)
    }),
  )
}

function step(node: Node, container: Container, number: string): Row[] {
  const head = row(node, container, [number, { color: 'accent', bold: true }], [text(node, 'title'), strong])
  return [...head, ...below(node, container, '│ ')]
}

/** A terminal has room for all tabs, one under the other. */
const tab: Component = (node, container) => {
  const title = text(node, 'title')
  return [
    ...row(node, container, [`▸ ${title === '' ? 'Tab' : title}`, { color: 'accent', bold: true }]),
    ...below(node, container, '  '),
  ]
}

const fold: Component = (node, container) => {
  const title = text(node, 'title')
  const head = row(
    node,
    container,
    [`▾ ${title === '' ? 'Details' : title}`, strong],
    [spaced(text(node, 'description')), muted],
  )
  return [...head, ...below(node, container, '  ')]
}

const places = ['path', 'query', 'body', 'header', 'cookie', 'name']

const field: Component = (node, container) => {
  const where = places.find((name) => attribute(node, name) !== undefined) ?? 'name'
  const value = text(node, 'default')
  const head = row(
    node,
    container,
    [text(node, where), { color: 'code', bold: true }],
    [spaced(text(node, 'type')), { color: 'keyword' }],
    [where === 'name' ? '' : ` ${where}`, muted],
    [attribute(node, 'required') === undefined ? '' : ' required', { color: 'danger' }],
    [attribute(node, 'deprecated') === undefined ? '' : ' deprecated', { color: 'warning' }],
    [value === '' ? '' : ` default: ${value}`, muted],
  )
  return [...head, ...below(node, container, '  ')]
}

const frame: Component = (node, container) => [
  ...row(node, container, [text(node, 'hint'), muted]),
  ...children(node, container),
  ...row(node, container, [text(node, 'caption'), { ...muted, italic: true }]),
]

const update: Component = (node, container) => {
  const label = text(node, 'label')
  const head = row(
    node,
    container,
    [label === '' ? 'Update' : label, { color: 'heading', bold: true }],
    [spaced(text(node, 'description')), muted],
  )
  return separated([head, children(node, container)])
}

const treeEntry =
  (mark: string): Component =>
  (node, container) => [
    ...row(node, container, [`${mark}${text(node, 'name')}`, strong], [spaced(text(node, 'comment')), muted]),
    ...separated([]).concat(indented(inner(node, within(container, 2), true), [span('  ')], [span('  ')])),
  ]

const prompt: Component = (node, container) => {
  const description = text(node, 'description')
  return box(node, container, { title: description === '' ? 'Prompt' : description, color: 'accent' })
}

const swatch: Component = (node, container) =>
  row(node, container, [text(node, 'name'), strong], [spaced(text(node, 'value')), { color: 'code' }])

const repository: Component = (node, container) => row(node, container, [text(node, 'repo'), { color: 'link' }])

const visibility: Component = (node, container) =>
  text(node, 'for').toLowerCase() === 'agents' ? [] : children(node, container)

const titled =
  (title: string): Component =>
  (node, container) => [...row(node, container, [title, strong]), ...children(node, container)]

const components: Readonly<Record<string, Component>> = {
  Note: callout('note'),
  Info: callout('info'),
  Tip: callout('tip'),
  Check: callout('check'),
  Warning: callout('warning'),
  Danger: callout('danger'),
  Callout: callout(),
  Card: card,
  CardGroup: columns,
  Columns: columns,
  Tile: card,
  Steps: steps,
  Step: (node, container) => step(node, container, ''),
  Tab: tab,
  View: tab,
  Prompt: prompt,
  'Color.Row': (node, container) => [
    ...row(node, container, [text(node, 'title'), strong]),
    ...children(node, container),
  ],
  'Color.Item': swatch,
  'GitHub.Repo': repository,
  Accordion: fold,
  Expandable: fold,
  details: fold,
  ParamField: field,
  ResponseField: field,
  Frame: frame,
  Update: update,
  Visibility: visibility,
  RequestExample: titled('Request'),
  ResponseExample: titled('Response'),
  'Tree.Folder': treeEntry('▾ '),
  'Tree.File': treeEntry('  '),
}

/** An element as a block: components that look like something, of others what stands in them. */
export function componentRows(node: Node, container: Container): Row[] {
  const name = node.name ?? ''
  const component = Object.hasOwn(components, name) ? components[name] : undefined
  if (component !== undefined) return component(node, container)
  if (name === 'Tree' || name === 'FileTree') return inner(node, within(container, 0), true)
  const rows = children(node, container)
  // Such as a snippet, which only the service knows.
  return rows.length === 0 && /^[A-Z]/.test(name) ? row(node, container, [`<${name} />`, { color: 'tag' }]) : rows
}

function spaced(words: string): string {
  return words === '' ? '' : ` ${words}`
}

function separated(blocks: readonly (readonly Row[])[]): Row[] {
  return blocks
    .filter((block) => block.length > 0)
    .flatMap((block, index) => (index === 0 ? [...block] : [{ line: [], source: block[0]?.source ?? 0 }, ...block]))
}
