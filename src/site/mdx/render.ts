import type { JSXElement, JSXFragment } from 'estree-jsx'
import type { Rendered } from '../components/component.tsx'
import { math } from '../components/inline.tsx'
import { joinViews } from '../components/sections.tsx'
import { escapeHtml, type Html } from '../../lib/html.ts'
import { Elements, htmlOf, textPart } from './elements.ts'
import { type Attributes, isHandler } from './attributes.ts'
import { shownAs } from './braces.ts'
import type { ModuleNode } from './graph.ts'
import { headingText, withId } from './headings.ts'
import { IslandSources } from './islands.ts'
import { canRun, elementCode, LiveParts } from './live-parts.ts'
import { isNarrow, looksInside, repairNesting } from './nesting.ts'
import type { PageState } from './page-state.ts'
import { Interpreter } from './interpreter/interpreter.ts'
import { type Scope, isCallable, isDictionary, NeedsScript, type Item } from './interpreter/values.ts'
import { JsxRenderer } from './jsx.ts'
import {
  plainText,
  type Code,
  type Element,
  type MdxElement,
  type MdxExpression,
  type Node,
  type PropertyValue,
} from './nodes.ts'
import type { SourceLocation } from './problem.ts'
import { type NodeContext, placeIn, Scopes } from './scopes.ts'

/** Trees → HTML, without executing anything: see `Interpreter` for expressions, `writeTag` for what may be written. */
export class Renderer {
  readonly #state: PageState
  readonly #interpreter: Interpreter
  readonly #elements: Elements
  readonly #jsxRenderer: JsxRenderer
  readonly #scopes: Scopes
  readonly #parts: LiveParts
  readonly #page: ModuleNode
  /** What needs a browser, of the nodes that were rendered. */
  readonly islands: IslandSources

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
    this.#parts = new LiveParts(this.#elements, this.islands, state, this.#scopes)
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
      const shown = shownAs(node, expression, error)
      if (shown !== undefined) return this.#asWritten(node, shown, place)
      return this.#parts.run(error, node, context, {
        isLive: !this.#elements.around.isTight && canRun(error, [expression]),
        trees: [expression],
        code: `<>{${node.value}\n}</>`,
        show: evaluate,
        // What a page nests in an expression was left out before it could run.
        without: () => [],
      })
    }
  }

  /** Braces that hold no code of the author’s. */
  #asWritten(
    node: MdxExpression,
    shown: NonNullable<ReturnType<typeof shownAs>>,
    place: SourceLocation,
  ): readonly Rendered[] {
    const message =
      shown !== 'a name'
        ? `The braces here hold ${shown}: they are shown as written.`
        : `The braces here hold a name that the page does not define: \`{${node.value.trim()}}\` is shown as written.`
    this.#state.warn('braces-literal', place, message)
    const text = `{${node.value}}`
    this.#state.charge(text.length, place)
    const part = textPart(text)
    return [node.type === 'mdxFlowExpression' ? { html: `<p>${part.html}</p>` } : part]
  }

  #element(node: Element, context: NodeContext): readonly Rendered[] {
    const place = placeIn(node, context)
    const children = this.#elements.around.within(node.tagName, () => this.#nodes(node.children, context))
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
    const runsWhole = early?.refusal !== undefined && !this.#elements.around.isTight
    let unknown: NeedsScript | undefined
    const renderChildren = (): readonly Rendered[] =>
      this.#elements.around.within(name, () => this.#nodes(nodes, context))
    const renderRunning = (): readonly Rendered[] => {
      try {
        return this.#elements.around.inIsland(renderChildren)
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
    return this.#parts.run(reason, node, context, {
      isLive: !this.#elements.around.isTight && !looksInside(name) && (isGiven || canRun(reason, trees)),
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

  /** Headings that are written as tags are found as others are, by their text. */
  #tagOrComponent(
    name: string,
    attributes: Attributes,
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
          if (isHandler(attribute.name, value) && !this.#elements.around.isInIsland)
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

  #code(node: Code, context: NodeContext): Rendered {
    const found = context.node.module.code.get(node)
    if (found === undefined) throw new Error('a code block was not highlighted before rendering')
    this.#state.charge(found.html.length, placeIn(node, context))
    this.#state.showCode(found.meta)
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
    attributes: Attributes,
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

  #include(node: ModuleNode, props: Attributes, children: readonly Rendered[]): readonly Rendered[] {
    const place = { path: node.module.path, line: 1, column: 1 }
    this.#interpreter.budget.list(props.size, () => place)
    for (const warning of node.warnings) this.#state.note(warning)
    const all = new Map(props)
    if (children.length > 0) all.set('children', this.#elements.fragment(children, place))
    return this.#nodes(node.module.tree.children, { node, scope: this.#scopes.withProps(node, all) })
  }
}

/** `![](picture.png)`, and not `<img alt="" …>`, whose author decided that it says nothing. */
function isMarkdown({ position }: Element, { node }: NodeContext): boolean {
  const start = position?.start.offset
  return start !== undefined && node.module.text.startsWith('![', start)
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
