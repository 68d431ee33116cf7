import { make } from './browser.ts'

/** A piece of an answer, as the service sends it. */
export type Piece =
  | { readonly text: string }
  | { readonly cite: number }
  | { readonly link: { readonly label: string; readonly href: string } }

export interface Source {
  readonly number: number
  readonly title: string
  readonly href: string
}

type Inline = Exclude<Piece, { readonly text: string }>

/** Stands in the text for what is no text. */
const object = '\ufffc'
const fence = /^\s*`{3,}/
const item = /^\s*(?:[-*+]|(\d{1,3})[.)])\s+(.*)$/
const heading = /^#{1,6}\s+/
const inline = /`([^`\n]+)`|\*\*([^*\n]+)\*\*|\*([^*\s][^*\n]*)\*|\ufffc/g

/**
 * The elements of an answer: paragraphs, lists, code, bold, citations. What it says is text and never HTML, whatever it
 * looks like; links are those that the service has made.
 */
export function answerElements(pieces: readonly Piece[], sources: readonly Source[]): HTMLElement[] {
  const objects: Inline[] = []
  let text = ''
  for (const piece of pieces) {
    if ('text' in piece) text += piece.text.replaceAll(object, '')
    else {
      text += object
      objects.push(piece)
    }
  }
  return new Writer(objects, sources).blocks(text.split('\n'))
}

class Writer {
  readonly #objects: readonly Inline[]
  readonly #sources: readonly Source[]
  #used = 0

  constructor(objects: readonly Inline[], sources: readonly Source[]) {
    this.#objects = objects
    this.#sources = sources
  }

  blocks(lines: readonly string[]): HTMLElement[] {
    const blocks: HTMLElement[] = []
    let code: HTMLElement | undefined
    let last: HTMLElement | undefined
    for (const line of lines) {
      if (fence.test(line)) {
        last = undefined
        code = code === undefined ? codeBlock(blocks) : undefined
      } else if (code !== undefined) code.append(`${line}\n`)
      else if (line.trim() === '') last = undefined
      else last = this.#line(line, last, blocks)
    }
    return blocks
  }

  /** Adds a line to the block that it goes on with, or to one of its own; returns where the next one may go on. */
  #line(line: string, last: HTMLElement | undefined, blocks: HTMLElement[]): HTMLElement {
    const [, number, words] = item.exec(line) ?? []
    if (words !== undefined) {
      const name = number === undefined ? 'ul' : 'ol'
      const before = blocks.at(-1)
      const list = before?.localName === name ? before : make(name, number === undefined ? {} : { start: number })
      if (list !== before) blocks.push(list)
      const entry = make('li', {})
      entry.append(...this.#inline(words))
      list.append(entry)
      return entry
    }
    const isHeading = heading.test(line)
    const nodes = this.#inline(line.replace(heading, '').trim())
    if (last !== undefined && !isHeading) {
      last.append(' ', ...nodes)
      return last
    }
    const paragraph = make('p', {})
    if (isHeading) paragraph.append(wrapped('strong', nodes))
    else paragraph.append(...nodes)
    blocks.push(paragraph)
    return paragraph
  }

  #inline(text: string): (Node | string)[] {
    const nodes: (Node | string)[] = []
    let end = 0
    for (const match of text.matchAll(inline)) {
      const [whole, code, bold, emphasis] = match
      nodes.push(text.slice(end, match.index))
      end = match.index + whole.length
      if (code !== undefined) nodes.push(wrapped('code', [code]))
      else if (bold !== undefined) nodes.push(wrapped('strong', this.#inline(bold)))
      else if (emphasis !== undefined) nodes.push(wrapped('em', this.#inline(emphasis)))
      else nodes.push(this.#object())
    }
    nodes.push(text.slice(end))
    return nodes
  }

  #object(): Node | string {
    const next = this.#objects[this.#used++]
    if (next === undefined) return ''
    if ('link' in next) return anchor(next.link.href, next.link.label)
    const source = this.#sources.find(({ number }) => number === next.cite)
    const label = `[${next.cite}]`
    const mark = source === undefined ? label : anchor(source.href, label)
    if (source !== undefined && mark instanceof HTMLElement)
      mark.setAttribute('aria-label', `Source ${next.cite}: ${source.title}`)
    return wrapped('sup', [mark])
  }
}

/** A link inside the site; anything else stays text. */
export function anchor(href: string, label: string): HTMLElement | string {
  if (!/^\/(?![/\\])/.test(href)) return label
  const link = make('a', { href })
  link.append(label)
  return link
}

function wrapped(name: 'strong' | 'em' | 'code' | 'sup', nodes: readonly (Node | string)[]): HTMLElement {
  const element = make(name, {})
  element.append(...nodes)
  return element
}

function codeBlock(blocks: HTMLElement[]): HTMLElement {
  const block = make('pre', { tabindex: '0' })
  const code = make('code', {})
  block.append(code)
  blocks.push(block)
  return code
}
