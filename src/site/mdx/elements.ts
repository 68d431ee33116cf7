import type { Component, ComponentContext, Rendered, Value } from '../components/component.ts'
import { components } from '../components/registry.ts'
import { slugOf } from './headings.ts'
import type { Interpreter } from './interpreter/interpreter.ts'
import { runFunction } from './interpreter/functions.ts'
import {
  type Scope,
  Closure,
  dictionary,
  Fragment,
  Imported,
  isCallable,
  isDictionary,
  isList,
  NeedsScript,
  type Item,
} from './interpreter/values.ts'
import { htmlOf, partsOf, valueOf } from './rendered.ts'
import type { SourceLocation } from './problem.ts'
import { judge, writeTag, type AttributeValue, type TagContext } from '../sanitise/tag.ts'
import type { PageState } from './page-state.ts'

export type Attributes = ReadonlyMap<string, Item>

/** Whether a JSX name is an element of HTML (`div`, `a-b`) and not a component. */
export function isTag(name: string): boolean {
  return /^[a-z]/.test(name) && !name.includes('.')
}

/** Renders elements and components, whether Markdown, JSX or an expression asks for them. */
export class Elements {
  readonly #state: PageState
  readonly #interpreter: Interpreter

  constructor(state: PageState, interpreter: Interpreter) {
    this.#state = state
    this.#interpreter = interpreter
  }

  /** @throws NeedsScript when what stands in the attributes or in the component is not pure. */
  element(
    name: string,
    attributes: Attributes,
    children: readonly Rendered[],
    scope: Scope,
    place: SourceLocation,
  ): readonly Rendered[] {
    if (isTag(name)) return this.tag(name, attributes, children, place)
    if (name === 'Fragment' || name === 'React.Fragment') return children
    const own = this.#find(name, scope, place)
    if (own instanceof Imported) {
      return this.#interpreter.budget.nested(
        () => place,
        () => own.render(attributes, children, place),
      )
    }
    if (own instanceof Closure) return this.#closure(own, attributes, children, place)
    const component = components.get(name)
    if (component !== undefined) return [this.#component(name, component, attributes, children, place)]
    this.#state.warn(place, `There is no component \`<${name}>\`; only what is in it is shown.`)
    return children
  }

  tag(name: string, attributes: Attributes, children: readonly Rendered[], place: SourceLocation): readonly Rendered[] {
    const verdict = judge(name)
    if (verdict === 'remove') {
      this.#state.warn(place, `<${name}> is not allowed in pages; it is left out.`)
      return []
    }
    if (verdict === 'unwrap') {
      this.#state.warn(place, `<${name}> is not an element that pages may hold; only what is in it is shown.`)
      return children
    }
    const values: [string, AttributeValue][] = []
    for (const [key, item] of attributes) {
      if (key === 'dangerouslySetInnerHTML')
        this.#state.warn(place, '`dangerouslySetInnerHTML` is not allowed; write the HTML itself.')
      else if (key !== 'children') values.push([key, attributeValue(key, item, place)])
    }
    const context: TagContext = {
      warn: (message) => this.#state.warn(place, message),
      url: (value, kind) => this.#state.url(value, kind, place),
      anchor: (id) => {
        this.#state.anchors.add(id)
      },
    }
    const inner = htmlOf(children)
    const html = writeTag(name, values, inner, context)
    this.#state.charge(html.length - inner.length, place)
    return [{ html }]
  }

  #find(name: string, scope: Scope, place: SourceLocation): Item {
    const [first = '', ...rest] = name.split('.')
    let item = scope.find(first)?.value
    for (const key of rest) item = isDictionary(item) && Object.hasOwn(item, key) ? item[key] : undefined
    if (item !== undefined && !isCallable(item))
      throw new NeedsScript(`uses \`${name}\` as a component, which it is not`, place)
    return item
  }

  #closure(
    component: Closure,
    attributes: Attributes,
    children: readonly Rendered[],
    place: SourceLocation,
  ): readonly Rendered[] {
    const props = dictionary(attributes)
    if (children.length > 0) props['children'] = new Fragment(children)
    const result = this.#interpreter.budget.nested(
      () => place,
      () => {
        this.#interpreter.budget.step(() => place)
        return runFunction(this.#interpreter, component, [props])
      },
    )
    return partsOf(result, place)
  }

  #component(
    name: string,
    component: Component,
    attributes: Attributes,
    children: readonly Rendered[],
    place: SourceLocation,
  ): Rendered {
    const props = new Map<string, Value>()
    for (const [key, item] of attributes) {
      if (key !== 'key' && key !== 'ref' && key !== 'children') props.set(key, valueOf(item, key, place))
    }
    const { html } = component(props, children, this.#context(place))
    this.#state.charge(
      html.length -
        Math.min(
          html.length,
          children.reduce((sum, child) => sum + child.html.length, 0),
        ),
      place,
    )
    return { html, component: name, props, children }
  }

  #context(place: SourceLocation): ComponentContext {
    return {
      warn: (message) => this.#state.warn(place, message),
      anchor: (text) => this.#state.anchor(slugOf(text)),
      unique: (prefix) => this.#state.unique(prefix),
      href: (value, kind) => this.#state.url(value, kind, place),
      feature: (feature) => {
        this.#state.features.add(feature)
      },
      heading: (entry) => this.#state.heading(entry),
    }
  }
}

/** An item → what an attribute can hold. Objects are styles; lists are joined as class names are. */
function attributeValue(name: string, item: Item, place: SourceLocation): AttributeValue {
  if (isCallable(item))
    throw new NeedsScript(/^on/i.test(name) ? `handles an event (\`${name}\`)` : `has a function as \`${name}\``, place)
  if (item === null || item === undefined || typeof item !== 'object') return item
  if (isList(item))
    return item
      .flatMap((member) => (typeof member === 'string' || typeof member === 'number' ? [String(member)] : []))
      .join(' ')
  if (!isDictionary(item)) return undefined
  const pairs = Object.entries(item).filter(
    (pair): pair is [string, string | number] => typeof pair[1] === 'string' || typeof pair[1] === 'number',
  )
  return { pairs }
}
