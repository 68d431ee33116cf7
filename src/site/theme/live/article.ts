import { make } from '../client/browser.ts'

/** Elements that scripts make something of as a whole: where their source differs, they are made anew. */
const whole = '[data-mermaid],[data-quire-island]'

/**
 * A part of the document that follows its HTML. What was sent last is kept beside it, so that only what differs in the source
 * is touched: loaded images, chosen tabs, open parts and what scripts added stay as they are.
 */
export class Article {
  /** Outside the document: nothing in it is loaded. */
  readonly #source: Node
  /** What in the document stands for a node of the source. */
  readonly #shown = new WeakMap<Node, Node>()

  /** @param place What it holds is as it was sent: no script has changed it yet. */
  constructor(place: HTMLElement) {
    const { content } = make('template', {})
    for (const child of place.childNodes) content.append(content.ownerDocument.importNode(child, true))
    this.#source = content
    this.#pair(content, place)
  }

  /** @param html sanitised */
  show(html: string): void {
    const template = make('template', {})
    template.innerHTML = html
    this.#follow(this.#source, template.content)
  }

  /** Makes the children of a node of the source those of another one: what is equal at both ends stays. */
  #follow(source: Node, next: Node): void {
    const before = [...source.childNodes]
    const after = [...next.childNodes]
    const most = Math.min(before.length, after.length)
    let start = 0
    while (start < most && equal(before[start], after[start])) start++
    let end = 0
    while (end < most - start && equal(before.at(-1 - end), after.at(-1 - end))) end++
    const old = before.slice(start, before.length - end)
    const fresh = after.slice(start, after.length - end)
    for (const [index, node] of fresh.entries()) {
      const present = old[index]
      if (present !== undefined && isAlike(present, node)) this.#update(present, node)
      else {
        this.#insert(source, node, present ?? before[before.length - end])
        if (present !== undefined) this.#remove(present)
      }
    }
    for (const node of old.slice(fresh.length)) this.#remove(node)
  }

  #update(present: ChildNode, next: ChildNode): void {
    const shown = this.#shown.get(present)
    if (present instanceof Element && next instanceof Element) {
      const targets = [present, ...(shown instanceof Element ? [shown] : [])]
      for (const name of present.getAttributeNames())
        if (!next.hasAttribute(name)) for (const target of targets) target.removeAttribute(name)
      for (const { name, value } of next.attributes)
        if (present.getAttribute(name) !== value) for (const target of targets) target.setAttribute(name, value)
      this.#follow(present, next)
      return
    }
    present.nodeValue = next.nodeValue
    if (shown !== undefined) shown.nodeValue = next.nodeValue
  }

  #insert(source: Node, node: ChildNode, before: ChildNode | undefined): void {
    const previous = before === undefined ? source.lastChild : before.previousSibling
    source.insertBefore(node, before ?? null)
    const shown = Document.prototype.importNode.call(document, node, true)
    this.#pair(node, shown)
    const next = before === undefined ? undefined : this.#shown.get(before)
    const last = previous === null ? undefined : this.#shown.get(previous)
    // Beside what stands for the neighbours: scripts may have put something before or behind them.
    if (isPlaced(next)) next.before(shown)
    else if (isPlaced(last)) last.after(shown)
    else this.#shown.get(source)?.appendChild(shown)
  }

  #remove(node: ChildNode): void {
    const shown = this.#shown.get(node)
    if (isPlaced(shown)) shown.remove()
    node.remove()
  }

  #pair(source: Node, shown: Node): void {
    this.#shown.set(source, shown)
    for (const [index, child] of source.childNodes.entries()) {
      const twin = shown.childNodes[index]
      if (twin !== undefined) this.#pair(child, twin)
    }
  }
}

function equal(one: Node | undefined, other: Node | undefined): boolean {
  return one !== undefined && other !== undefined && one.isEqualNode(other)
}

function isPlaced(node: Node | undefined): node is ChildNode {
  return node !== undefined && node.parentNode !== null
}

/** Whether one can become the other where it stands. */
function isAlike(one: Node, other: Node): boolean {
  if (one.nodeName !== other.nodeName) return false
  if (!(one instanceof Element) || !(other instanceof Element)) return one.nodeType === other.nodeType
  // What scripts have put into a code block must not stay in what comes in its place.
  if (one.getAttribute('class') !== other.getAttribute('class')) return false
  if (one.matches(whole) || other.matches(whole)) return false
  // The list of tabs is made of their titles.
  return tabsOf(one) === tabsOf(other)
}

function tabsOf(element: Element): string {
  if (!element.matches('[data-tabs]')) return ''
  const titles = [...element.children].map((panel) => [
    panel.id,
    panel.getAttribute('data-title'),
    panel.querySelector(':scope > .q-tab-title')?.innerHTML,
  ])
  return JSON.stringify([element.hasAttribute('data-dropdown'), element.hasAttribute('data-alone'), titles])
}
