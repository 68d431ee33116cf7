import { type ComponentChildren, type ComponentType, createContext, h, options, render } from 'preact'
import { Component, useContext } from 'preact/compat'
import { imagesWithBase, rulesWithBase, withBase } from '#lib/base-path.ts'
import { base } from '../client/browser.ts'

/*
 * What components of pages find in the place of React, and how one is put into its page. It is loaded when the first of
 * them comes into view.
 */

export {
  Children,
  cloneElement,
  Component,
  createContext,
  createElement,
  createPortal,
  createRef,
  default,
  flushSync,
  forwardRef,
  isValidElement,
  lazy,
  memo,
  PureComponent,
  startTransition,
  StrictMode,
  Suspense,
  useCallback,
  useContext,
  useDebugValue,
  useDeferredValue,
  useEffect,
  useId,
  useImperativeHandle,
  useInsertionEffect,
  useLayoutEffect,
  useMemo,
  useReducer,
  useRef,
  useState,
  useSyncExternalStore,
  useTransition,
} from 'preact/compat'
export { Fragment, jsx, jsxs } from 'preact/jsx-runtime'

/** Drawings of icons by set and name, and blocks of code by their text, as they were made with the page. */
export const drawings = new Map<string, string>()
export const blocks = new Map<string, string>()

/** Attributes that lead somewhere, as in `htmlBelow`. */
const leading = ['href', 'src', 'action', 'poster'] as const
/** Where the site is, and in it the version that the page is of: components know nothing of either. */
let above = base

const prepare = options.vnode?.bind(options)
options.vnode = (vnode) => {
  if (above !== '' && typeof vnode.type === 'string') lead(vnode.props)
  prepare?.(vnode)
}

function lead(props: Record<string, unknown>): void {
  for (const name of leading) {
    const value = props[name]
    if (typeof value === 'string') props[name] = withBase(value, above)
  }
  for (const name of ['srcSet', 'srcset']) {
    const value = props[name]
    if (typeof value === 'string') props[name] = imagesWithBase(value, above)
  }
  const { style } = props
  if (typeof style === 'string') props['style'] = rulesWithBase(style, above)
  else if (typeof style === 'object' && style !== null)
    props['style'] = Object.fromEntries(
      Object.entries(style).map(([name, value]: [string, unknown]) => [
        name,
        typeof value === 'string' ? rulesWithBase(value, above) : value,
      ]),
    )
}

interface BoundaryProps {
  readonly failed: string
  readonly children: ComponentChildren
}

/** Keeps an error of a component to its place. */
class Boundary extends Component<BoundaryProps, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false }

  static override getDerivedStateFromError(): { hasFailed: true } {
    return { hasFailed: true }
  }

  override componentDidCatch(error: unknown): void {
    console.error(error)
  }

  override render(): ComponentChildren {
    const { children, failed } = this.props
    return this.state.hasFailed ? failedBox(failed) : children
  }
}

function failedBox(text: string): ComponentChildren {
  return h('div', { class: 'q-island' }, h('p', null, text))
}

type SlotNodes = ReadonlyMap<string, readonly Node[]>

/** Markup that was rendered with the page, for what is in one island. */
const Slots = createContext<SlotNodes>(new Map())

const shownIn = new WeakMap<Element, readonly Node[]>()

/** Markup of the page that a component was given: the nodes that are there, wherever it shows them; elsewhere as well, copies. */
function Slot({ nodes }: { readonly nodes: readonly Node[] }): ComponentChildren {
  const put = (element: Element | null): void => {
    if (element === null || shownIn.get(element) === nodes) return
    shownIn.set(element, nodes)
    const isElsewhere = nodes[0]?.isConnected === true
    element.replaceChildren(...(isElsewhere ? nodes.map((node) => node.cloneNode(true)) : nodes))
  }
  return h('q-slot', { style: 'display:contents', ref: put })
}

/** What an import of a page is to code: its content, as it was rendered with these properties, or with none. */
export function snippet(path: string): ComponentType<{ readonly children?: unknown }> {
  return (props) => {
    const given = { ...props, children: undefined }
    const slots = useContext(Slots)
    const nodes = slots.get(`${path} ${JSON.stringify(given)}`) ?? slots.get(path) ?? nothing
    return h(Slot, { nodes })
  }
}

const nothing: readonly Node[] = []

/** Puts a component in the place of what its element showed first. */
export function show(
  element: HTMLElement,
  component: ComponentType<Record<string, unknown>>,
  { props, failed }: { readonly props: string; readonly failed: string },
): void {
  // All of a page are of one version.
  above = base + (element.getAttribute('data-quire-version') ?? '')
  for (const block of element.querySelectorAll('.q-code'))
    blocks.set(block.querySelector('pre')?.textContent.trimEnd() ?? '', block.outerHTML)
  const slots = takeSlots(element)
  // Scripts of the theme have changed what stands there.
  if (element.querySelector('.q-tabs, .q-code') !== null) element.replaceChildren()
  const given = JSON.parse(props, (_key, value: unknown) => {
    const index = typeof value === 'object' && value !== null ? (value as { $slot?: unknown }).$slot : undefined
    return typeof index === 'number' ? h(Slot, { nodes: slots.get(String(index)) ?? [] }) : value
  }) as Record<string, unknown>
  element.style.display = 'contents'
  render(h(Boundary, { failed, children: h(Slots.Provider, { value: slots, children: h(component, given) }) }), element)
}

/** Says in the place of a component that it is not there. */
export function fail(element: HTMLElement, failed: string): void {
  element.style.display = 'contents'
  element.replaceChildren()
  render(failedBox(failed), element)
}

/** Takes the markup out of the places where it stands: the component says where it goes. */
function takeSlots(element: HTMLElement): SlotNodes {
  const slots = new Map<string, readonly Node[]>()
  const places = [...element.querySelectorAll('q-slot')].filter((slot) => slot.closest('q-island') === element)
  for (const template of element.querySelectorAll<HTMLTemplateElement>(':scope > template')) {
    places.push(...template.content.children)
    template.remove()
  }
  for (const place of places) {
    const name = place.getAttribute('data-quire-slot') ?? ''
    if (name.startsWith('icon:')) drawings.set(name.slice('icon:'.length), place.innerHTML)
    slots.set(name, [...place.childNodes])
    place.replaceChildren()
  }
  return slots
}
