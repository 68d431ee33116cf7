import type { Expression, JSXAttribute, JSXElement, JSXFragment, JSXOpeningElement } from 'estree-jsx'
import type { Html } from '../../lib/html.ts'
import type { Rendered } from '../components/component.tsx'
import type { Attributes } from './attributes.ts'
import { type Elements, textPart } from './elements.ts'
import { placeOf } from './expression.ts'
import type { Interpreter } from './interpreter/interpreter.ts'
import { type Scope, isDictionary, characterWork, NeedsScript, type Item } from './interpreter/values.ts'
import type { SourceLocation } from './problem.ts'

type JsxName = JSXOpeningElement['name']

type RenderSnippet = (
  file: Item,
  attributes: Attributes,
  children: readonly Rendered[],
  place: SourceLocation,
) => readonly Rendered[]

/** Renders JSX inside expressions. */
export class JsxRenderer {
  readonly #elements: Elements
  readonly #interpreter: Interpreter
  readonly #snippet: RenderSnippet

  constructor(elements: Elements, interpreter: Interpreter, snippet: RenderSnippet) {
    this.#elements = elements
    this.#interpreter = interpreter
    this.#snippet = snippet
  }

  render(node: JSXElement | JSXFragment, scope: Scope): Html {
    const place = placeOf(node)
    if (node.type === 'JSXFragment') return this.#elements.fragment(this.#children(node, scope), place)
    const name = nameOf(node.openingElement.name)
    const children = this.#elements.around.within(name, () => this.#children(node, scope))
    const attributes = this.#attributes(node.openingElement, scope)
    const given =
      children.length === 0 && attributes.has('children')
        ? this.#elements.partsOf(attributes.get('children'), place)
        : children
    const parts =
      name === 'Snippet'
        ? this.#snippet(attributes.get('file'), attributes, given, place)
        : this.#elements.element(name, attributes, given, scope, place)
    return this.#elements.fragment(parts, place)
  }

  #children(node: JSXElement | JSXFragment, scope: Scope): Rendered[] {
    const parts: Rendered[] = []
    for (const child of node.children) {
      if (child.type === 'JSXText') {
        this.#interpreter.budget.work(characterWork * child.value.length, () => placeOf(node))
        const text = cleanText(child.value)
        if (text !== '') parts.push(textPart(text))
      } else if (child.type === 'JSXExpressionContainer') {
        if (child.expression.type === 'JSXEmptyExpression') continue
        this.#append(child.expression, { parts, scope, place: placeOf(child) })
      } else if (child.type === 'JSXSpreadChild') throw new NeedsScript('spreads children', placeOf(child))
      else this.#append(child, { parts, scope, place: placeOf(child) })
    }
    return parts
  }

  #append(child: Expression, to: { parts: Rendered[]; scope: Scope; place: SourceLocation }): void {
    const parts = this.#elements.partsOf(this.#interpreter.evaluate(child, to.scope), to.place)
    // Too many for the arguments of one call.
    for (const part of parts) to.parts.push(part)
  }

  #attributes(opening: JSXOpeningElement, scope: Scope): Map<string, Item> {
    const attributes = new Map<string, Item>()
    for (const attribute of opening.attributes) {
      if (attribute.type === 'JSXSpreadAttribute') {
        const value = this.#interpreter.evaluate(attribute.argument, scope)
        if (isDictionary(value)) this.#elements.spread(value, attributes, placeOf(attribute))
      } else attributes.set(attributeName(attribute), this.#value(attribute, scope))
    }
    return attributes
  }

  #value({ value }: JSXAttribute, scope: Scope): Item {
    if (value === null) return true
    if (value.type === 'Literal') return value.value as Item
    if (value.type !== 'JSXExpressionContainer') return this.#interpreter.evaluate(value, scope)
    return value.expression.type === 'JSXEmptyExpression'
      ? undefined
      : this.#interpreter.evaluate(value.expression, scope)
  }
}

function nameOf(name: JsxName): string {
  if (name.type === 'JSXIdentifier') return name.name
  if (name.type === 'JSXNamespacedName') return `${name.namespace.name}:${name.name.name}`
  return `${nameOf(name.object)}.${name.property.name}`
}

function attributeName({ name }: JSXAttribute): string {
  return name.type === 'JSXIdentifier' ? name.name : `${name.namespace.name}:${name.name.name}`
}

/** Blanks in JSX text as React reads them: line breaks and the indentation around them vanish. */
function cleanText(text: string): string {
  const lines = text.split(/\r\n|\n|\r/)
  const last = Math.max(
    0,
    lines.findLastIndex((line) => /[^ \t]/.test(line)),
  )
  let result = ''
  for (const [index, raw] of lines.entries()) {
    let line = raw.replaceAll('\t', ' ')
    if (index !== 0) line = line.replace(/^ +/, '')
    if (index !== lines.length - 1) line = line.replace(/ +$/, '')
    if (line !== '') result += index === last ? line : `${line} `
  }
  return result
}
