import type { Point } from './nodes.ts'

/** Kinds of asides as they are written elsewhere, and the component that each is here. */
const kinds: Readonly<Record<string, string>> = {
  note: 'Note',
  important: 'Info',
  info: 'Info',
  tip: 'Tip',
  success: 'Check',
  check: 'Check',
  warning: 'Warning',
  caution: 'Warning',
  danger: 'Danger',
  details: 'Accordion',
  'code-group': 'CodeGroup',
}
/** Of GitHub’s alerts, which are the only ones of their form. */
const alerts: ReadonlySet<string> = new Set(['note', 'tip', 'important', 'warning', 'caution'])

/** Nodes of Markdown, as the parser gives them: those of asides, and what stands in them. */
interface Node {
  readonly type: string
  readonly value?: string
  readonly name?: string
  readonly attributes?: Readonly<Record<string, string | null | undefined>> | readonly unknown[] | null
  readonly data?: { readonly directiveLabel?: boolean } | null
  readonly position?: { readonly start: Point; readonly end: Point }
  children?: Node[]
}

/** Whether a page may hold asides between `:::`. */
export function hasAsides(text: string): boolean {
  return /^[ \t>]*:{3}/m.test(text)
}

/**
 * Asides are written `:::tip[Title]`, and also `:::tip Title` and `::: tip Title`, which the parser does not know. They
 * become the first form with a shorter name, so that no place in the text moves. Code stays as it is.
 */
export function evenAsides(text: string): string {
  let fence: string | undefined
  return text.replaceAll(/^[^\n]*$/gm, (line) => {
    const run = /^[ \t>]*(?:[-*+][ \t]+|\d{1,9}[.)][ \t]+)*(`{3,}|~{3,})/.exec(line.slice(0, 2_000))?.[1]
    if (fence !== undefined) {
      if (run?.startsWith(fence) === true && /^[ \t>]*[`~]+[ \t\r]*$/.test(line)) fence = undefined
      return line
    }
    if (run !== undefined) fence = run
    return run === undefined ? evenLine(line) : line
  })
}

const opening = /^([ \t>]*(?:[-*+][ \t]+)?:{3,})([ \t]*)([A-Za-z][\w-]{0,20})([ \t]*)(.*?)(\{[^{}]{0,200}\})?[ \t\r]*$/

function evenLine(line: string): string {
  const [, start, space = '', name = '', , title = '', attributes = ''] = opening.exec(line.slice(0, 2_000)) ?? []
  if (start === undefined || line.length > 2_000 || !Object.hasOwn(kinds, name.toLowerCase())) return line
  if (space === '' && (title === '' || title.startsWith('['))) return line
  const isBalanced = title.split('[').length === title.split(']').length
  const words = isBalanced ? title : title.replaceAll('[', '(').replaceAll(']', ')')
  const label = words === '' ? '' : words.startsWith('[') && words.endsWith(']') ? words : `[${words}]`
  return `${start}${shortName(name)}${label}${attributes}`.padEnd(line.length)
}

const names = Object.keys(kinds)
/** Two letters for each kind, as long names leave no room for the brackets. */
const shortName = (name: string): string => `q${String.fromCharCode(97 + names.indexOf(name.toLowerCase()))}`

function componentOf(name: string): string | undefined {
  const index = /^q[a-z]$/.test(name) ? name.charCodeAt(1) - 97 : names.indexOf(name.toLowerCase())
  return kinds[names[index] ?? '']
}

/** Makes components of asides in a tree of Markdown, and text of what only looks like one. */
export function readAsides(tree: unknown, text: string): void {
  const stack: Node[] = [tree as Node]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node.children?.some(isAside) === true) node.children = node.children.flatMap((child) => replaced(child, text))
    stack.push(...(node.children ?? []))
  }
}

function isAside({ type }: Node): boolean {
  return type === 'blockquote' || type.endsWith('Directive')
}

function replaced(node: Node, text: string): readonly Node[] {
  if (node.type === 'blockquote') return [alertOf(node) ?? node]
  if (!node.type.endsWith('Directive')) return [node]
  const source = text.slice(node.position?.start.offset, node.position?.end.offset)
  // `10:30` and `::name` mean themselves.
  const written: Node = { type: 'text', value: source, ...placeOf(node) }
  if (node.type === 'textDirective') return [written]
  if (node.type === 'leafDirective') return [{ type: 'paragraph', children: [written], ...placeOf(node) }]
  const component = componentOf(node.name ?? '')
  const [first, ...rest] = node.children ?? []
  const label = first?.data?.directiveLabel === true ? first : undefined
  const body = label === undefined ? (node.children ?? []) : rest
  if (component !== undefined) {
    const attributes = { ...(node.attributes as Readonly<Record<string, string>> | null) }
    const title = label === undefined ? attributes['title'] : textOf(label)
    return [
      elementOf(component, node, body, {
        ...(title === undefined ? {} : { title }),
        ...(attributes['icon'] === undefined ? {} : { icon: attributes['icon'] }),
        ...(component === 'Accordion' && attributes['open'] !== undefined ? { defaultOpen: '' } : {}),
      }),
    ]
  }
  const [line = ''] = source.split('\n', 1)
  const lineOf = (value: string): Node => ({
    type: 'paragraph',
    children: [{ type: 'text', value, ...placeOf(node) }],
    ...placeOf(node),
  })
  return [lineOf(line), ...body, ...(/\n[ \t>]*:{3,}[ \t\r]*$/.test(source) ? [lineOf(':::')] : [])]
}

/** `> [!NOTE]`, with a title where one stands behind it; undefined for a quotation. */
function alertOf(node: Node): Node | undefined {
  const [first, ...rest] = node.children ?? []
  const [start, ...more] = first?.children ?? []
  if (first?.type !== 'paragraph' || start?.type !== 'text') return undefined
  const match = /^\[!([A-Za-z]{3,10})\][ \t]*([^\n]*)(?:\n|$)/.exec(start.value ?? '')
  const kind = match?.[1]?.toLowerCase() ?? ''
  if (match === null || !alerts.has(kind)) return undefined
  const text = (start.value ?? '').slice(match[0].length)
  const words = [...(text === '' ? [] : [{ ...start, value: text }]), ...more]
  const [next] = words
  if (text === '' && next?.type === 'break') words.shift()
  // A title needs something under it.
  const isTitled = match[2] !== '' && (text !== '' || (more.length === 0 && rest.length > 0))
  const title = isTitled ? (match[2] ?? '').trim() : ''
  const kept = isTitled || match[2] === '' ? words : [{ ...start, value: match[2] ?? '' }, ...more]
  const body = kept.length === 0 ? rest : [{ ...first, children: kept }, ...rest]
  return elementOf(kinds[kind] ?? 'Note', node, body, title === '' ? {} : { title })
}

function elementOf(name: string, node: Node, children: Node[], attributes: Readonly<Record<string, string>>): Node {
  return {
    type: 'mdxJsxFlowElement',
    name,
    attributes: Object.entries(attributes).map(([key, value]) => ({ type: 'mdxJsxAttribute', name: key, value })),
    children,
    ...placeOf(node),
  }
}

const placeOf = ({ position }: Node): Pick<Node, 'position'> => (position === undefined ? {} : { position })

function textOf({ value, children = [] }: Node): string {
  return (value ?? '') + children.map(textOf).join('')
}
