import type { ComponentChild, ComponentChildren, ComponentType, VNode } from 'preact'
import { blocks as frames } from '../../components/blocks.tsx'
import { boxes } from '../../components/boxes.tsx'
import type { CodeMeta, Component, ComponentContext, Rendered, Value } from '../../components/component.tsx'
import { fields } from '../../components/fields.tsx'
import { inline } from '../../components/inline.tsx'
import { sections } from '../../components/sections.tsx'
import { colors } from '../../components/swatches.tsx'
import { trees } from '../../components/trees.tsx'
import { updates } from '../../components/updates.tsx'
import { escapeHtml, raw } from '#lib/html.ts'
import { resolveUrl } from '../../sanitise/values.ts'
import { base, make } from '../client/browser.ts'
import { addCopyButtons } from '../client/copy.ts'
import { startTabs } from '../client/tabs.ts'
import { blocks, createElement as h, drawings, Fragment, useId, useLayoutEffect } from './runtime.ts'

/*
 * Components of the theme inside of those that run in the browser: made by the code that makes them when a site is built,
 * and loaded where some are used. Their HTML becomes elements of Preact, with what they hold in its place, so that it has
 * the same tags and classes, and the style sheet finds it.
 */

type Given = Readonly<Record<string, unknown>>

const families: Readonly<Record<string, Component>> = {
  ...frames,
  ...boxes,
  ...colors,
  ...fields,
  ...inline,
  ...sections,
  ...trees,
  ...updates,
}

/** Components by what stands for them in code. */
const names = new Map<unknown, string>()

/** Drawings of a bundle, by set and name. */
export function icons(known: Readonly<Record<string, string>>): void {
  for (const [name, svg] of Object.entries(known)) drawings.set(name, svg)
}

/** One component as it is rendered, with what it holds that is no component of the theme. */
class Drawn {
  readonly parts: ComponentChildren[] = []
  readonly #id: string
  #counter = 0

  constructor(id: string) {
    this.#id = id
  }

  component(name: string, { children, ...given }: Given): Rendered {
    const props = new Map<string, Value>()
    for (const [key, value] of Object.entries(given)) {
      if (typeof value !== 'function') props.set(key, this.#value(value))
    }
    const inside = this.#children(children)
    let code: CodeMeta | undefined
    const context = this.#context((meta) => {
      code = meta
    })
    const html = families[name]?.(props, inside, context).html ?? ''
    return { html, component: name, props, children: inside, ...(code === undefined ? {} : { code }) }
  }

  #value(value: unknown): Value {
    if (isElement(value) || (Array.isArray(value) && value.some(isElement)))
      return raw(
        this.#children(value)
          .map(({ html }) => html)
          .join(''),
      )
    return value as Value
  }

  #children(children: unknown): Rendered[] {
    if (Array.isArray(children)) return children.flatMap((child) => this.#children(child))
    if (children === null || children === undefined || typeof children === 'boolean') return []
    if (typeof children === 'string' || typeof children === 'number') return [{ html: escapeHtml(String(children)) }]
    if (isElement(children)) {
      const props = children.props as Given
      if (children.type === Fragment) return this.#children(props['children'])
      const name = names.get(children.type)
      if (name !== undefined) return [this.component(name, props)]
    }
    return [{ html: `<q-part data-part="${this.parts.push(children as ComponentChildren) - 1}"></q-part>` }]
  }

  #context(noteCode: (meta: CodeMeta) => void): ComponentContext {
    const nothing = (): void => undefined
    return {
      warn: nothing,
      named: nothing,
      feature: nothing,
      update: nothing,
      server: nothing,
      heading: nothing,
      anchor: (text) =>
        text
          .trim()
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
          .replaceAll(/\s+/g, '-'),
      unique: (prefix) => `${prefix}${this.#id}-${(this.#counter += 1)}`,
      href: (value, kind) => {
        const href = resolveUrl(value, kind, location.pathname.slice(base.length + 1))?.html
        return href?.startsWith('/') === true ? base + href : href
      },
      code: (text, language, fence) => {
        const title = /filename="([^"]*)"/.exec(fence)?.[1]
        noteCode({ ...plainMeta, language, ...(title === undefined ? { label: language } : { title }) })
        return raw(blocks.get(text.trimEnd()) ?? figure(text, language, title))
      },
    }
  }
}

const plainMeta = {
  highlight: new Set<number>(),
  focus: new Set<number>(),
  lines: false,
  wrap: false,
  expandable: false,
}

/** Code that was not shown at first: its colours are known only where a site is built. */
function figure(text: string, language: string, title?: string): string {
  const label = language === '' || title !== undefined ? '' : ` data-label="${escapeHtml(language)}"`
  const caption =
    title === undefined ? '' : `<figcaption class="q-code-title"><span>${escapeHtml(title)}</span></figcaption>`
  return `<figure class="q-code"${label}>${caption}<pre><code>${escapeHtml(text)}</code></pre></figure>`
}

function isElement(value: unknown): value is VNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'props' in value
}

const switches = new Set([
  'open',
  'hidden',
  'disabled',
  'checked',
  'controls',
  'muted',
  'loop',
  'autoplay',
  'playsinline',
])

/** HTML that was made here → elements of Preact. */
function elementsOf(html: string, parts: readonly ComponentChildren[]): ComponentChild[] {
  const holder = make('template', {})
  holder.innerHTML = html
  return childrenOf(holder.content, parts)
}

function childrenOf(parent: ParentNode, parts: readonly ComponentChildren[]): ComponentChild[] {
  return [...parent.childNodes].map((node) => {
    if (!(node instanceof Element)) return node.nodeType === Node.TEXT_NODE ? node.textContent : null
    if (node.localName === 'q-part') return h(Fragment, null, parts[Number(node.getAttribute('data-part'))])
    const attributes: Record<string, unknown> = {}
    for (const { name, value } of node.attributes) attributes[name] = switches.has(name) ? true : value
    // What the theme makes tabs of is made anew with other tabs.
    if (node.hasAttribute('data-tabs'))
      attributes['key'] = [...node.children].map((child) => child.getAttribute('data-title')).join('|')
    return h(node.localName, attributes, ...childrenOf(node, parts))
  })
}

function themed(name: string): ComponentType<Given> {
  const component = (given: Given): ComponentChildren => {
    const drawn = new Drawn(useId())
    const { html } = drawn.component(name, given)
    useLayoutEffect(() => {
      addCopyButtons()
      startTabs()
    })
    const elements = elementsOf(html, drawn.parts)
    const handlers = Object.entries(given).filter(([key, value]) => /^on[A-Z]/.test(key) && typeof value === 'function')
    if (handlers.length === 0) return elements
    return elements.map((element) =>
      isElement(element) ? h(element.type as string, { ...element.props, ...Object.fromEntries(handlers) }) : element,
    )
  }
  names.set(component, name)
  return component
}

export const Accordion = themed('Accordion')
export const AccordionGroup = themed('AccordionGroup')
export const Badge = themed('Badge')
export const Callout = themed('Callout')
export const Card = themed('Card')
export const CardGroup = themed('CardGroup')
export const Check = themed('Check')
export const CodeBlock = themed('CodeBlock')
export const CodeGroup = themed('CodeGroup')
export const Color = Object.assign(themed('Color'), { Item: themed('Color.Item'), Row: themed('Color.Row') })
export const Column = themed('Column')
export const Columns = themed('Columns')
export const Danger = themed('Danger')
export const Expandable = themed('Expandable')
export const FileTree = themed('FileTree')
export const Frame = themed('Frame')
export const GitHub = { Repo: themed('GitHub.Repo') }
export const Icon = themed('Icon')
export const Info = themed('Info')
export const Link = themed('Link')
export const Note = themed('Note')
export const Panel = themed('Panel')
export const ParamField = themed('ParamField')
export const ResponseField = themed('ResponseField')
export const Step = themed('Step')
export const Steps = themed('Steps')
export const Tab = themed('Tab')
export const Tabs = themed('Tabs')
export const Tile = themed('Tile')
export const Tip = themed('Tip')
export const Tooltip = themed('Tooltip')
export const Tree = Object.assign(themed('Tree'), { File: themed('Tree.File'), Folder: themed('Tree.Folder') })
export const Update = themed('Update')
export const Warning = themed('Warning')
