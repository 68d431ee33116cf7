import type { CodeMeta, Component, Rendered, Value } from '../components/component.tsx'
import { judgeProperty } from '../components/properties.ts'
import { components, made } from '../components/registry.ts'
import type { PageState } from './page-state.ts'
import type { Interpreter } from './interpreter/interpreter.ts'
import { type Attributes, componentValue, tagValue } from './attributes.ts'
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
  memberWork,
  NeedsScript,
  type Item,
  type Origin,
} from './interpreter/values.ts'
import { iconsIn, islandProps, slotElement, snippetSlot } from './island-props.ts'
import type { SnippetUse } from './island-modules.ts'
import { isInteractive, islandElement, type IslandName, type IslandSources } from './islands.ts'
import type { SourceLocation } from './problem.ts'
import { drawing } from '../sanitise/allowed.ts'
import { Surroundings } from './surroundings.ts'
import { judge, writeTag, type AttributeValue, type TagContext } from '../sanitise/tag.ts'
import { isNarrow } from './nesting.ts'
import type { Component as MadeComponent } from './nodes.ts'
import { escapeHtml, Html } from '../../lib/html.ts'

/** What a reader can use. */
const controls = new Set(['button', 'input', 'select', 'textarea'])
/** What pages hold in islands only. */
const formElements = new Set(['select', 'option', 'optgroup', 'textarea'])
/** Attributes by which a picture has words, or none on purpose. */
const namings = ['alt', 'aria-label', 'aria-labelledby', 'aria-hidden', 'role']
/** Of a picture in a message: data addresses are as long as it is. */
const longestName = 80

/** Whether a JSX name is an element of HTML (`div`, `a-b`) and not a component. */
function isTag(name: string): boolean {
  return /^[a-z]/.test(name) && !name.includes('.')
}

/** Renders elements and components, whether Markdown, JSX or an expression asks for them. */
export class Elements {
  readonly #state: PageState
  readonly #interpreter: Interpreter
  /** Names of attributes that came with `{...object}`: nobody wrote them here. */
  readonly #spread = new WeakMap<Attributes, Set<string>>()
  readonly #islands: IslandSources
  /** Renders a page that code imports. */
  readonly #include: (use: SnippetUse) => readonly Rendered[]
  readonly around = new Surroundings()

  constructor(
    state: PageState,
    interpreter: Interpreter,
    islands: IslandSources,
    include: (use: SnippetUse) => readonly Rendered[],
  ) {
    this.#state = state
    this.#interpreter = interpreter
    this.#islands = islands
    this.#include = include
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
      const rendered = (): readonly Rendered[] =>
        this.#interpreter.budget.nested(
          () => place,
          () => own.render(attributes, children, place),
        )
      if (!this.around.isInIsland) return rendered()
      return [{ html: slotElement(snippetSlot(own.path, attributes), htmlOf(this.around.outOfIsland(rendered))) }]
    }
    if (own instanceof Closure) return this.#own(own, attributes, children, place)
    const component = components.get(name)
    if (component !== undefined) return [this.#component(name, component, attributes, children, place)]
    this.#state.warn('component-unknown', place, `There is no component \`<${name}>\`; only what is in it is shown.`)
    return children
  }

  /** A component of a page that was made for its author. */
  made({ name, props }: MadeComponent, children: readonly Rendered[], place: SourceLocation): readonly Rendered[] {
    const component = made.get(name) ?? components.get(name)
    return component === undefined ? children : [this.#render(name, component, props, children, place)]
  }

  tag(name: string, attributes: Attributes, children: readonly Rendered[], place: SourceLocation): readonly Rendered[] {
    const verdict = this.around.isInIsland && formElements.has(name) ? 'keep' : judge(name)
    if (name === 'style') {
      for (const message of this.#state.style(htmlOf(children))) this.#state.warn('element-refused', place, message)
      return []
    }
    if (verdict === 'remove') {
      this.#refuse(place, `<${name}> is not allowed in pages; it is left out.`)
      return []
    }
    if (verdict === 'unwrap') {
      this.#refuse(place, `<${name}> is not an element that pages may hold; only what is in it is shown.`)
      return children
    }
    if (name === 'img' && !namings.some((naming) => attributes.has(naming))) this.noteAlt(attributes, place)
    const { budget } = this.#interpreter
    const values: [string, AttributeValue][] = []
    for (const [key, item] of attributes) {
      // In an island, the browser does what it says.
      if (this.around.isInIsland && (isCallable(item) || key === 'dangerouslySetInnerHTML' || key === 'ref')) {
        // It looks as it is: it does nothing yet.
        if (/^on[A-Z]/.test(key) && controls.has(name)) values.push(['disabled', true])
      } else if (key === 'dangerouslySetInnerHTML')
        this.#state.warn('element-refused', place, '`dangerouslySetInnerHTML` is not allowed; write the HTML itself.')
      else if (key !== 'children') values.push([key, tagValue(item, key, { budget, place })])
    }
    const context: TagContext = {
      isInIsland: this.around.isInIsland,
      warn: (rule, message) =>
        rule === 'element-refused' ? this.#refuse(place, message) : this.#state.warn(rule, place, message),
      url: (value, kind) => this.#state.url(value, kind, place),
      anchor: (id) => {
        this.#state.anchors.targets.add(id)
      },
    }
    this.#chargeHtml(children, place)
    const inner = htmlOf(children)
    const html = writeTag(name, values, inner, context)
    this.#state.charge(html.length - inner.length, place)
    // What is too wide scrolls by itself, and not the page.
    return [{ html: name === 'table' ? `<div class="q-table">${html}</div>` : html }]
  }

  /** What an island cannot show at first, the browser shows once it runs. */
  #refuse(place: SourceLocation, message: string): void {
    if (!this.around.isInIsland) this.#state.warn('element-refused', place, message)
  }

  /** A picture that says nothing to those who do not see it. */
  noteAlt(attributes: Attributes, place: SourceLocation): void {
    const source = attributes.get('src')
    if (typeof source !== 'string' || source === '') return
    const name = source.length > longestName ? `${source.slice(0, longestName)}…` : source
    this.#state.warn('alt-missing', place, `The picture ${name} has no alternative text.`)
  }

  #find(name: string, scope: Scope, place: SourceLocation): Item {
    const [first = '', ...rest] = name.split('.')
    let item = scope.find(first)?.value
    for (const key of rest) item = isDictionary(item) && Object.hasOwn(item, key) ? item[key] : undefined
    if (item !== undefined && !isCallable(item))
      throw new NeedsScript(`uses \`${name}\` as a component, which it is not`, place)
    return item
  }

  /** A component of the author’s. One with a state or with handlers becomes an island, and one that only a browser can run. */
  #own(
    component: Closure,
    attributes: Attributes,
    children: readonly Rendered[],
    place: SourceLocation,
  ): readonly Rendered[] {
    if (this.around.isInIsland) return this.#closure(component, attributes, children, place)
    if (component.origin !== undefined && isInteractive(component))
      return isNarrow(this.around.name)
        ? this.#still(component, attributes, children, place)
        : this.#island(component, component.origin, attributes, children, place)
    try {
      return this.#closure(component, attributes, children, place)
    } catch (error) {
      if (!(error instanceof NeedsScript) || component.origin === undefined) throw error
      return this.#island(component, component.origin, attributes, children, place)
    }
  }

  /** What may be no island where it stands: a browser would put that elsewhere. It is shown as it begins. */
  #still(
    component: Closure,
    attributes: Attributes,
    children: readonly Rendered[],
    place: SourceLocation,
  ): readonly Rendered[] {
    const message = `What runs in a browser cannot stand directly in <${this.around.name}>: it is shown as it begins. Put all of the ${drawing.has(this.around.name) ? 'drawing' : 'table or list'} into the component.`
    this.#state.warn('script-needed', place, message)
    const shown = this.#firstShown(() => this.#closure(component, attributes, children, place))
    return shown === undefined ? children : [{ html: shown }]
  }

  #island(
    component: Closure,
    origin: Origin,
    attributes: Attributes,
    children: readonly Rendered[],
    place: SourceLocation,
  ): readonly Rendered[] {
    const island = this.#islands.component(origin)
    const given = new Map(attributes)
    if (children.length > 0) given.set('children', this.fragment(children, place))
    return this.island(island, given, (props) => this.#closure(component, props, [], place), place)
  }

  /** @param show what it shows until it runs, and without JavaScript */
  island(
    island: IslandName,
    given: Attributes,
    show: (props: Attributes) => readonly Rendered[],
    place: SourceLocation,
  ): readonly Rendered[] {
    const { data, props, slots } = islandProps(given, this.#interpreter.budget, place)
    const shown = this.#firstShown(() => show(props)) ?? htmlOf(this.partsOf(props.get('children'), place))
    const hidden = slots
      .map((html, index) => ({ html, isShown: shown.includes(`data-quire-slot="${index}"`), index }))
      .map(({ html, isShown, index }) => (isShown ? '' : `<template>${slotElement(index, html)}</template>`))
      .join('')
    const snippets = this.#islands.snippetsOf(island).flatMap(([slot, use]) => {
      if (shown.includes(` data-quire-slot="${escapeHtml(slot)}"`)) return []
      return [`<template>${slotElement(slot, htmlOf(this.#include(use)))}</template>`]
    })
    const drawings = this.#islands.usesTheme(island) ? iconsIn(JSON.stringify(data)) : ''
    const html = islandElement(island, {
      props: JSON.stringify(data),
      shown,
      hidden: hidden + snippets.join('') + drawings,
      base: this.#state.base,
    })
    // Components that it shows later have styles that few pages need.
    if (this.#islands.usesTheme(island)) this.#state.features.add('extras')
    this.#state.charge(html.length, place)
    return [{ html }]
  }

  /** Undefined where only a browser knows: then what it holds is shown. */
  #firstShown(show: () => readonly Rendered[]): string | undefined {
    try {
      return htmlOf(this.around.inIsland(show))
    } catch (error) {
      if (!(error instanceof NeedsScript)) throw error
      return undefined
    }
  }

  #closure(
    component: Closure,
    attributes: Attributes,
    children: readonly Rendered[],
    place: SourceLocation,
  ): readonly Rendered[] {
    const props = dictionary(attributes)
    if (children.length > 0) props['children'] = this.fragment(children, place)
    const result = this.#interpreter.budget.nested(
      () => place,
      () => {
        this.#interpreter.budget.step(() => place)
        return runFunction(this.#interpreter, component, [props])
      },
    )
    return this.partsOf(result, place)
  }

  /** What `{value}` shows: text and numbers, elements, lists of them; nothing for `true`, `false`, `null`, `undefined`. */
  partsOf(item: Item, place: SourceLocation): readonly Rendered[] {
    const { budget } = this.#interpreter
    if (item === null || item === undefined || typeof item === 'boolean') return []
    if (typeof item === 'string' || typeof item === 'number') {
      const part = textPart(String(item))
      this.#state.charge(part.html.length, place)
      return [part]
    }
    if (item instanceof Html) {
      const parts = item instanceof Fragment ? item.parts : [{ html: item.html }]
      budget.work(memberWork * parts.length, () => place)
      return parts
    }
    if (!isList(item)) throw new NeedsScript(isCallable(item) ? 'shows a function' : 'shows an object', place)
    budget.list(item.length, () => place)
    return budget.nested(
      () => place,
      () => item.flatMap((member) => this.partsOf(member, place)),
    )
  }

  /** Adds the members of an object to attributes, as `{...object}` does. */
  spread(object: { readonly [key: string]: Item }, attributes: Map<string, Item>, place: SourceLocation): void {
    const members = Object.entries(object)
    this.#interpreter.budget.list(members.length, () => place)
    const names = this.#spread.get(attributes) ?? new Set()
    for (const [key, item] of members) {
      attributes.set(key, item)
      names.add(key)
    }
    this.#spread.set(attributes, names)
  }

  /** Parts as one item. */
  fragment(parts: readonly Rendered[], place: SourceLocation): Fragment {
    this.#chargeHtml(parts, place)
    return new Fragment(parts)
  }

  /** The HTML of parts is about to be put together. */
  #chargeHtml(parts: readonly Rendered[], place: SourceLocation): void {
    const { budget } = this.#interpreter
    budget.work(memberWork * parts.length, () => place)
    budget.html(
      parts.reduce((sum, part) => sum + part.html.length, 0),
      () => place,
    )
  }

  #component(
    name: string,
    component: Component,
    attributes: Attributes,
    children: readonly Rendered[],
    place: SourceLocation,
  ): Rendered {
    const { budget } = this.#interpreter
    const props = new Map<string, Value>()
    for (const [key, item] of attributes) {
      if (key === 'key' || key === 'ref' || key === 'children' || (this.around.isInIsland && isCallable(item))) continue
      props.set(key, componentValue(item, key, { budget, place }))
      if (this.#spread.get(attributes)?.has(key) === true) continue
      const wrong = judgeProperty(name, key, item)
      if (wrong !== undefined) this.#state.warn(wrong.rule, place, wrong.message, wrong.hint)
    }
    return this.#render(name, component, props, children, place)
  }

  #render(
    name: string,
    component: Component,
    props: ReadonlyMap<string, Value>,
    children: readonly Rendered[],
    place: SourceLocation,
  ): Rendered {
    this.#chargeHtml(children, place)
    const also: { code?: CodeMeta } = {}
    const { html } = component(props, children, this.#state.componentContext(place, also))
    this.#state.charge(
      html.length -
        Math.min(
          html.length,
          children.reduce((sum, child) => sum + child.html.length, 0),
        ),
      place,
    )
    return { html, component: name, props, children, ...also }
  }
}

/** Text of the author → what a reader sees. */
export function textPart(text: string): Rendered {
  return { html: escapeHtml(text) }
}

export function htmlOf(parts: readonly Rendered[]): string {
  return parts.map((part) => part.html).join('')
}
