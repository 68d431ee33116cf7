import type { Expression } from 'estree-jsx'
import { escapeHtml, Html } from '../../lib/html.ts'
import type { Rendered } from '../components/component.tsx'
import { components } from '../components/registry.ts'
import type { Attributes } from './attributes.ts'
import type { Elements } from './elements.ts'
import { NeedsScript, type Scope, dictionary, UnknownName, type Item } from './interpreter/values.ts'
import { isHandling, some } from './island-modules.ts'
import type { IslandSources } from './islands.ts'
import { isNarrow } from './nesting.ts'
import type { MdxAttribute, MdxElement, MdxExpression, MdxSpread, Node } from './nodes.ts'
import type { PageState } from './page-state.ts'
import { type NodeContext, placeIn, type Scopes } from './scopes.ts'

/*
 * Parts of a page that run where they stand: an element with a handler, a component that is given a function, an
 * expression that only a browser can evaluate. Each becomes a component of its own, which its page exports to an island.
 */

/** A part of a page that a browser can run. */
interface LivePart {
  /** Whether a browser can do it. */
  readonly isLive: boolean
  /** What its code was parsed to. */
  readonly trees: readonly (Expression | null | undefined)[]
  /** An expression of JSX. */
  readonly code: string
  /** What stands in it, which is rendered here: `$children` in the code. */
  readonly children?: Html | undefined
  /** What it shows first, with a slot around its children. */
  readonly show: (children?: Html) => readonly Rendered[]
  /** What is shown where it cannot run. */
  readonly without: () => readonly Rendered[]
}

const noScript = 'This part needs JavaScript and is not shown here.'

/** Makes islands of such parts, or says why none can be made. */
export class LiveParts {
  readonly #elements: Elements
  readonly #islands: IslandSources
  readonly #state: PageState
  readonly #scopes: Scopes

  constructor(elements: Elements, islands: IslandSources, state: PageState, scopes: Scopes) {
    this.#elements = elements
    this.#islands = islands
    this.#state = state
    this.#scopes = scopes
  }

  /** Has the browser run a part of the page that cannot be evaluated here, or says why that cannot be. */
  run(
    reason: NeedsScript,
    node: MdxElement | MdxExpression,
    context: NodeContext,
    { isLive, trees, code, children, show, without }: LivePart,
  ): readonly Rendered[] {
    // It is part of an island already.
    if (this.#elements.around.isInIsland) throw reason
    const place = placeIn(node, context)
    let refusal = reason
    if (isLive)
      try {
        const names = namesUsed(code, context.scope, this.#scopes.of(context.node))
        const island = this.#islands.part(context.node, node, {
          code,
          trees,
          names: [...names.keys()],
          isThemed: node.type.startsWith('mdxJsx') && components.has((node as MdxElement).name ?? ''),
        })
        const first = (props: Attributes): readonly Rendered[] => {
          const slot = props.get('children')
          return show(slot instanceof Html ? slot : typeof slot === 'string' ? new Html(escapeHtml(slot)) : undefined)
        }
        return this.#elements.island(island, partProps(names, children), first, place)
      } catch (error) {
        if (!(error instanceof NeedsScript)) throw error
        refusal = error
      }
    let shown: readonly Rendered[] = []
    try {
      shown = without()
    } catch (error) {
      if (!(error instanceof NeedsScript)) throw error
    }
    return this.#refuse(refusal, node, context, shown)
  }

  /** What is shown in the place of something that only a browser can run, and that no island is made of. */
  #refuse(refusal: NeedsScript, node: Node, context: NodeContext, shown: readonly Rendered[]): readonly Rendered[] {
    const place = placeIn(node, context)
    this.#state.refused.push({ reason: refusal.message, ...place })
    const result = shown.length > 0 ? 'it is shown without that' : 'it is left out'
    this.#state.warn(
      'script-needed',
      place,
      `This needs JavaScript that cannot run here: it ${refusal.message}; ${result}.`,
    )
    if (shown.length > 0) return shown
    const isInline = node.type === 'mdxTextExpression' || node.type === 'mdxJsxTextElement'
    return [{ html: isInline ? '<span class="q-island">…</span>' : `<div class="q-island"><p>${noScript}</p></div>` }]
  }
}

/** What only a browser knows, or knows anew whenever somebody reads. */
const known: ReadonlySet<string> = new Set(
  'window document navigator location localStorage sessionStorage Date Intl'.split(' '),
)

/** Whether a browser could do what cannot be done here: a name that nobody has is a mistake there, too. */
export function canRun(reason: NeedsScript, code: readonly (Expression | null | undefined)[]): boolean {
  if (reason instanceof UnknownName && !known.has(reason.unknown)) return false
  return code.some((tree) =>
    some(
      tree,
      (node) =>
        isHandling(node) || (node.type === 'Identifier' && typeof node.name === 'string' && known.has(node.name)),
    ),
  )
}

/** An element as JSX. What it holds is `$children`, but for what must stand in it directly. */
export function elementCode({ name, attributes, children }: MdxElement): string {
  const start = `<${name ?? ''}${attributes.map(attributeCode).join('')}`
  if (isNarrow(name)) return `${start}>${children.map(childCode).join('')}</${name}>`
  return children.length === 0 ? `${start} />` : `${start}>{$children}</${name}>`
}

function childCode(node: Node): string {
  switch (node.type) {
    case 'text':
      return node.value.trim() === '' ? '' : `{${JSON.stringify(node.value)}}`
    case 'mdxFlowExpression':
    case 'mdxTextExpression':
      return `{${node.value}\n}`
    case 'mdxJsxFlowElement':
    case 'mdxJsxTextElement': {
      const { name } = node
      return `<${name ?? ''}${node.attributes.map(attributeCode).join('')}>${node.children.map(childCode).join('')}</${name ?? ''}>`
    }
    case 'element':
      return node.tagName === 'p' ? node.children.map(childCode).join('') : tagCode(node.tagName, node.children)
    default:
      return ''
  }
}

function tagCode(name: string, children: readonly Node[]): string {
  return `<${name}>${children.map(childCode).join('')}</${name}>`
}

function attributeCode(attribute: MdxAttribute | MdxSpread): string {
  if (attribute.type === 'mdxJsxExpressionAttribute') return ` {${attribute.value}\n}`
  const { name, value } = attribute
  if (value === null || value === undefined) return ` ${name}`
  return typeof value === 'string' ? ` ${name}={${JSON.stringify(value)}}` : ` ${name}={${value.value}\n}`
}

/** What code uses of the names that a snippet was given where it is used. */
function namesUsed(code: string, scope: Scope, module: Scope): ReadonlyMap<string, Item> {
  const used = new Map<string, Item>()
  if (scope === module) return used
  const words = new Set(code.split(/[^\w$]+/))
  for (const name of scope.names) if (words.has(name)) used.set(name, scope.find(name)?.value)
  return used
}

/** The properties of a part. */
function partProps(names: ReadonlyMap<string, Item>, children: Item): Attributes {
  const props = new Map<string, Item>()
  if (names.size > 0) props.set('$', dictionary(names))
  if (children !== undefined) props.set('children', children)
  return props
}
