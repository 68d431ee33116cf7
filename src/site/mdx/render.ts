import type { Expression, JSXElement, JSXFragment } from 'estree-jsx'
import type { Rendered } from '../components/component.tsx'
import { isMermaid } from '../highlight/code.ts'
import { math } from '../components/inline.tsx'
import { components } from '../components/registry.ts'
import { joinViews } from '../components/sections.tsx'
import { escapeHtml, Html } from '../../lib/html.ts'
import { Elements, htmlOf, textPart } from './elements.ts'
import type { ModuleNode } from './graph.ts'
import { IslandSources } from './islands.ts'
import { canRun, elementCode, namesUsed, partProps } from './live-parts.ts'
import { isNarrow, looksInside, repairNesting } from './nesting.ts'
import type { PageState } from './page-state.ts'
import { Interpreter } from './interpreter/interpreter.ts'
import { type Scope, isCallable, isDictionary, NeedsScript, UnknownName, type Item } from './interpreter/values.ts'
import { JsxRenderer } from './jsx.ts'
import {
  childrenOf,
  plainText,
  startOf,
  textOf,
  type Code,
  type Element,
  type MdxElement,
  type MdxExpression,
  type Node,
  type PropertyValue,
} from './nodes.ts'
import type { SourceLocation } from './problem.ts'
import { Scopes } from './scopes.ts'

/** What surrounds a node: its module and the names that are bound there. */
interface NodeContext {
  readonly node: ModuleNode
  readonly scope: Scope
}

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

/** Trees → HTML, without executing anything: see `Interpreter` for expressions, `writeTag` for what may be written. */
export class Renderer {
  readonly #state: PageState
  readonly #interpreter: Interpreter
  readonly #elements: Elements
  readonly #jsxRenderer: JsxRenderer
  readonly #scopes: Scopes
  readonly #page: ModuleNode
  /** What needs a browser, of the nodes that were rendered. */
  readonly islands: IslandSources
  /** What is rendered stands directly in what holds some elements only, and no island: browsers put it elsewhere. */
  #isTight = false

  constructor(page: ModuleNode, state: PageState) {
    this.#page = page
    this.#state = state
    this.#interpreter = new Interpreter(state.budget, { jsx: (node, scope) => this.#jsx(node, scope) })
    this.islands = new IslandSources(page)
    this.#elements = new Elements(state, this.#interpreter, this.islands, ({ node, props }) =>
      this.#include(node, props, []),
    )
    this.#scopes = new Scopes(
      this.#interpreter,
      state,
      (node) => (props, children) => this.#include(node, props, children),
    )
    this.#jsxRenderer = new JsxRenderer(this.#elements, this.#interpreter, (file, attributes, children, place) =>
      this.#snippet(file, attributes, children, place),
    )
  }

  /** Renders nodes of the page itself. */
  body(nodes: readonly Node[]): readonly Rendered[] {
    return this.#nodes(nodes, { node: this.#page, scope: this.#scopes.of(this.#page) })
  }

  #jsx(node: JSXElement | JSXFragment, scope: Scope): Html {
    return this.#jsxRenderer.render(node, scope)
  }

  #nodes(nodes: readonly Node[], context: NodeContext): readonly Rendered[] {
    return joinViews(nodes.flatMap((node) => this.#node(node, context)))
  }

  #node(node: Node, context: NodeContext): readonly Rendered[] {
    switch (node.type) {
      case 'text':
        this.#state.charge(node.value.length, undefined)
        return [textPart(node.value)]
      case 'element':
        return this.#element(node, context)
      case 'mdxJsxFlowElement':
      case 'mdxJsxTextElement':
        return this.#mdxElement(node, context)
      case 'mdxFlowExpression':
      case 'mdxTextExpression':
        return this.#expression(node, context)
      case 'code':
        return [this.#code(node, context)]
      case 'component':
        return this.#elements.made(node, this.#nodes(node.children, context), placeIn(node, context))
      case 'math':
      case 'inlineMath':
        return [this.#math(node.value, node.type === 'math', placeIn(node, context))]
      case 'root':
        return this.#nodes(node.children, context)
      default:
        return []
    }
  }

  #expression(node: MdxExpression, context: NodeContext): readonly Rendered[] {
    const expression = context.node.module.expressions.get(node)
    if (!expression) return []
    const place = placeIn(node, context)
    const evaluate = (): readonly Rendered[] =>
      this.#elements.partsOf(this.#interpreter.evaluate(expression, context.scope), place)
    try {
      return evaluate()
    } catch (error) {
      if (!(error instanceof NeedsScript)) throw error
      // `{id}` and `{"a": 1}` in prose are what readers should see; a call of something unknown is code.
      const isObject = expression.type === 'ObjectExpression' && node.value.trimStart().startsWith('{')
      if (isObject || (error instanceof UnknownName && isNaming(expression) && names(node, error.unknown)))
        return this.#asWritten(node, isObject, place)
      return this.#run(error, node, context, {
        isLive: canRun(error, [expression]),
        trees: [expression],
        code: `<>{${node.value}\n}</>`,
        show: evaluate,
        // What a page nests in an expression was left out before it could run.
        without: () => [],
      })
    }
  }

  /** Braces that hold no code of the author’s. */
  #asWritten(node: MdxExpression, isObject: boolean, place: SourceLocation): readonly Rendered[] {
    const message = isObject
      ? 'The braces here hold an object: they are shown as written.'
      : `The braces here hold a name that the page does not define: \`{${node.value.trim()}}\` is shown as written.`
    this.#state.warn('braces-literal', place, message)
    const text = `{${node.value}}`
    this.#state.charge(text.length, place)
    const part = textPart(text)
    return [node.type === 'mdxFlowExpression' ? { html: `<p>${part.html}</p>` } : part]
  }

  #element(node: Element, context: NodeContext): readonly Rendered[] {
    const place = placeIn(node, context)
    const children = this.#within(node.tagName, () => this.#nodes(node.children, context))
    const attributes = new Map<string, Item>(Object.entries<PropertyValue>(node.properties))
    if (/^h[1-6]$/.test(node.tagName)) return [this.#heading(node, attributes, children, place)]
    // A header of nothing heads nothing.
    if (node.tagName === 'img' && attributes.get('alt') === '' && isMarkdown(node, context))
      this.#elements.noteAlt(attributes, place)
    const name = node.tagName === 'th' && htmlOf(children).trim() === '' ? 'td' : node.tagName
    const parts = this.#elements.tag(name, attributes, children, place)
    return isTask(node) ? [{ html: labelled(htmlOf(parts)) }] : parts
  }

  #heading(
    node: Element,
    attributes: Map<string, Item>,
    children: readonly Rendered[],
    place: SourceLocation,
  ): Rendered {
    const given = attributes.get('id')
    const inner = htmlOf(children)
    const text = headingText(node, inner)
    const isGiven = typeof given === 'string' && /^[^\s"'<>&]{1,200}$/u.test(given)
    const id = isGiven ? this.#state.anchors.claim(given) : this.#state.anchors.heading(text)
    const level = Number(node.tagName.slice(1))
    // The heading over the footnotes is for screen readers only.
    const listed = given !== 'footnote-label'
    if (listed) this.#state.heading({ id, level, text })
    attributes.delete('id')
    const label = escapeHtml(`Link to “${text}”`)
    const anchor =
      listed && level > 1
        ? `<a class="q-heading-anchor" href="#${encodeURIComponent(id)}" data-word="linkTo" aria-label="${label}"></a>`
        : ''
    const [part] = this.#elements.tag(node.tagName, attributes, [...children, { html: anchor }], place)
    return { html: withId(part?.html ?? '', id) }
  }

  #mdxElement(node: MdxElement, context: NodeContext): readonly Rendered[] {
    const place = placeIn(node, context)
    const { name, children: nodes } = repairNesting(node)
    if (name === null) return this.#nodes(nodes, context)
    // What these hold runs with them.
    const early = isNarrow(name) ? this.#attributes(node, context) : undefined
    const runsWhole = early?.refusal !== undefined && !this.#isTight
    let unknown: NeedsScript | undefined
    const renderChildren = (): readonly Rendered[] => this.#within(name, () => this.#nodes(nodes, context))
    const renderRunning = (): readonly Rendered[] => {
      try {
        return this.#elements.inIsland(renderChildren)
      } catch (error) {
        if (!(error instanceof NeedsScript)) throw error
        unknown = error
        return []
      }
    }
    const children = runsWhole ? renderRunning() : renderChildren()
    const { attributes, refusal } = early ?? this.#attributes(node, context)
    const given =
      children.length === 0 && attributes.has('children')
        ? this.#elements.partsOf(attributes.get('children'), place)
        : children
    const show = (inside: readonly Rendered[]): readonly Rendered[] => {
      // Only a browser knows what it holds.
      if (unknown !== undefined) throw unknown
      return name === 'Snippet'
        ? this.#snippet(attributes.get('file'), attributes, inside, place, context.node)
        : this.#tagOrComponent(name, attributes, inside, context.scope, place)
    }
    let reason = refusal
    try {
      if (reason === undefined) return show(given)
    } catch (error) {
      if (!(error instanceof NeedsScript)) throw error
      reason = error
    }
    const isWhole = isNarrow(name) || children.length === 0
    const { expressions } = context.node.module
    const trees = node.attributes.map((attribute) => expressions.get(attribute))
    const isGiven = [...attributes.values()].some((value) => isCallable(value))
    return this.#run(reason, node, context, {
      isLive: !looksInside(name) && (isGiven || canRun(reason, trees)),
      trees,
      code: elementCode({ ...node, children: isWhole && !isNarrow(name) ? [] : nodes }),
      children: isWhole ? undefined : this.#elements.fragment(children, place),
      show: (slot) => show(slot === undefined ? given : [{ html: slot.html }]),
      // Without the attributes that need JavaScript, the element is what a reader sees until they work.
      without: () => {
        for (const [key, value] of attributes) if (isHandler(key, value)) attributes.delete(key)
        if (refusal === undefined) return []
        // Nobody can press what does nothing.
        return name === 'button' ? this.#elements.tag('span', attributes, given, place) : show(given)
      },
    })
  }

  /** Renders what an element or a component holds. */
  #within(name: string, render: () => readonly Rendered[]): readonly Rendered[] {
    const before = this.#isTight
    if (name !== 'p') this.#isTight = isNarrow(name) || looksInside(name)
    try {
      return render()
    } finally {
      this.#isTight = before
    }
  }

  /** Headings that are written as tags are found as others are, by their text. */
  #tagOrComponent(
    name: string,
    attributes: ReadonlyMap<string, Item>,
    children: readonly Rendered[],
    scope: Scope,
    place: SourceLocation,
  ): readonly Rendered[] {
    const parts = this.#elements.element(name, attributes, children, scope, place)
    const text = /^h[1-6]$/.test(name) && !attributes.has('id') ? plainText(htmlOf(children)) : ''
    return text === '' ? parts : [{ html: withId(htmlOf(parts), this.#state.anchors.heading(text)) }]
  }

  /** Attributes that can be evaluated, and why another cannot. */
  #attributes(
    node: MdxElement,
    context: NodeContext,
  ): { attributes: Map<string, Item>; refusal: NeedsScript | undefined } {
    const attributes = new Map<string, Item>()
    const { expressions } = context.node.module
    let refusal: NeedsScript | undefined
    for (const attribute of node.attributes) {
      try {
        if (attribute.type === 'mdxJsxExpressionAttribute') {
          const expression = expressions.get(attribute)
          const value = expression ? this.#interpreter.evaluate(expression, context.scope) : undefined
          if (isDictionary(value)) this.#elements.spread(value, attributes, placeIn(node, context))
        } else {
          const expression = expressions.get(attribute)
          const value = expression
            ? this.#interpreter.evaluate(expression, context.scope)
            : ((attribute.value ?? true) as string | true)
          if (isHandler(attribute.name, value) && !this.#elements.isInIsland)
            refusal ??= new NeedsScript(`handles an event (\`${attribute.name}\`)`, placeIn(node, context))
          attributes.set(attribute.name, value)
        }
      } catch (error) {
        if (!(error instanceof NeedsScript)) throw error
        // Known to a browser alone, but there.
        if (attribute.type !== 'mdxJsxExpressionAttribute' && attribute.name === 'alt') attributes.set('alt', undefined)
        refusal ??= error
      }
    }
    return { attributes, refusal }
  }

  /** Has the browser run a part of the page that cannot be evaluated here, or says why that cannot be. */
  #run(
    reason: NeedsScript,
    node: MdxElement | MdxExpression,
    context: NodeContext,
    { isLive, trees, code, children, show, without }: LivePart,
  ): readonly Rendered[] {
    // It is part of an island already.
    if (this.#elements.isInIsland) throw reason
    const place = placeIn(node, context)
    let refusal = reason
    if (isLive && !this.#isTight)
      try {
        const names = namesUsed(code, context.scope, this.#scopes.of(context.node))
        const island = this.islands.part(context.node, node, {
          code,
          trees,
          names: [...names.keys()],
          isThemed: node.type.startsWith('mdxJsx') && components.has((node as MdxElement).name ?? ''),
        })
        const first = (props: ReadonlyMap<string, Item>): readonly Rendered[] => {
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

  #code(node: Code, context: NodeContext): Rendered {
    const found = context.node.module.code.get(node)
    if (found === undefined) throw new Error('a code block was not highlighted before rendering')
    this.#state.charge(found.html.length, placeIn(node, context))
    for (const feature of isMermaid(found.meta) ? (['mermaid', 'extras'] as const) : (['code'] as const))
      this.#state.features.add(feature)
    return { html: found.html, component: 'pre', code: found.meta }
  }

  #math(tex: string, display: boolean, place: SourceLocation): Rendered {
    const html = math(tex, display)
    this.#state.charge(html.length, place)
    return { html }
  }

  /** `<Snippet file="…">`. */
  #snippet(
    file: Item,
    attributes: ReadonlyMap<string, Item>,
    children: readonly Rendered[],
    place: SourceLocation,
    from: ModuleNode = this.#page,
  ): readonly Rendered[] {
    const node = typeof file === 'string' ? (from.snippets.get(file) ?? this.#page.snippets.get(file)) : undefined
    // Told where it is looked for.
    if (node === undefined && typeof file === 'string' && (from.absent.has(file) || this.#page.absent.has(file)))
      return []
    if (node === undefined) throw new NeedsScript('includes a snippet whose `file` is not written out', place)
    return this.#interpreter.budget.nested(
      () => place,
      () => this.#include(node, attributes, children),
    )
  }

  #include(node: ModuleNode, props: ReadonlyMap<string, Item>, children: readonly Rendered[]): readonly Rendered[] {
    const place = { path: node.module.path, line: 1, column: 1 }
    this.#interpreter.budget.list(props.size, () => place)
    for (const warning of node.warnings) this.#state.note(warning)
    const all = new Map(props)
    if (children.length > 0) all.set('children', this.#elements.fragment(children, place))
    return this.#nodes(node.module.tree.children, { node, scope: this.#scopes.withProps(node, all) })
  }
}

function isHandler(name: string, value: Item): boolean {
  return isCallable(value) && /^on[A-Z]/.test(name)
}

/** A heading that was written without one. */
function withId(html: string, id: string): string {
  return html.replace(/^<h[1-6]/, (open) => `${open} id="${escapeHtml(id)}"`)
}

/** `![](picture.png)`, and not `<img alt="" …>`, whose author decided that it says nothing. */
function isMarkdown({ position }: Element, { node }: NodeContext): boolean {
  const start = position?.start.offset
  return start !== undefined && node.module.text.startsWith('![', start)
}

/** What only a browser, or a server, has. */
const surroundings = new Set([
  'window',
  'document',
  'globalThis',
  'navigator',
  'localStorage',
  'sessionStorage',
  'process',
])

/** Whether an expression itself has a name, and not what it stands for. */
const names = ({ value }: MdxExpression, name: string): boolean => value.split(/[^\w$]+/).includes(name)

/** Whether an expression only names things, and none that there is elsewhere. */
function isNaming(expression: Expression): boolean {
  const { type } = expression
  if (type === 'Identifier') return !surroundings.has(expression.name)
  if (type === 'Literal') return true
  if (type === 'MemberExpression')
    return !expression.computed && expression.object.type !== 'Super' && isNaming(expression.object)
  // `{get|set}`, `{first-name}`, `{a, b}`
  if (type === 'BinaryExpression')
    return expression.left.type !== 'PrivateIdentifier' && isNaming(expression.left) && isNaming(expression.right)
  return type === 'SequenceExpression' && expression.expressions.every(isNaming)
}

function isTask({ tagName, properties }: Element): boolean {
  return tagName === 'li' && String(properties['className']).includes('task-list-item')
}

const longestLabel = 200

/** An entry of a list of tasks, whose box says what it is of. */
function labelled(html: string): string {
  const own = plainText(html.split(/<(?:ul|ol|table|figure)[ >]/, 1)[0] ?? '').slice(0, longestLabel)
  const label = own === '' ? 'Task' : own
  return html.replace('<input ', `<input aria-label="${escapeHtml(label)}" `)
}

function placeIn(node: Node, context: NodeContext): SourceLocation {
  const { line, column } = startOf(node)
  return { path: context.node.module.path, line, column }
}

/** Text of a heading: of its source where that is plain, else of what it became. */
function headingText(node: Element, inner: string): string {
  return (isPlain(node) ? textOf(node) : plainText(inner)).replaceAll(/\s+/g, ' ').trim()
}

function isPlain(node: Node): boolean {
  return !node.type.startsWith('mdx') && childrenOf(node).every(isPlain)
}
