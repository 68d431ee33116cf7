/*
 * Content may hold elements whose names shadow properties of `document` (DOM clobbering). So the document is asked
 * through its prototype, and settings are read from attributes of elements found by our own selectors.
 */
const page = Document.prototype

/** Elements of the document that match, in document order. */
export function all(selector: string): HTMLElement[] {
  return [...page.querySelectorAll.call(document, selector)] as HTMLElement[]
}

export function byId(id: string): HTMLElement | null {
  return page.getElementById.call(document, id)
}

/** A new element with attributes. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>>,
): HTMLElementTagNameMap[Name] {
  const element = page.createElement.call(document, name) as HTMLElementTagNameMap[Name]
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  return element
}

/** Listens on the whole document. */
export function on<Type extends keyof DocumentEventMap>(
  type: Type,
  listener: (event: DocumentEventMap[Type]) => void,
): void {
  EventTarget.prototype.addEventListener.call(document, type, listener as EventListener)
}

/** The nearest element of an event that matches. */
export function closest(event: Event, selector: string): HTMLElement | null {
  return event.target instanceof Element ? event.target.closest<HTMLElement>(selector) : null
}

/** The root element. */
export const root = all('html')[0] as HTMLElement

/** What stands before all paths of a site that is below a path of its host. */
export const base = root.getAttribute('data-base') ?? ''

/** What scripts say, in the language of the page. */
export const [copyLabel = '', copiedLabel = '', exampleLabel = '', closeLabel = ''] =
  root.getAttribute('data-words')?.split('|') ?? []

/** What a reader chose, kept in the browser; where that is forbidden (private windows, settings) it is forgotten. */
export function recall(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

/** @returns whether it was kept */
export function remember(key: string, value: string): boolean {
  try {
    localStorage.setItem(key, value)
    return true
  } catch {
    return false
  }
}
