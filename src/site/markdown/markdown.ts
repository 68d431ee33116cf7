import type { Steps } from '../../lib/slices.ts'
import { Elements } from './elements.ts'
import { attributesOf, decode, destination, label, type Attributes, type Close } from './text.ts'
import { MarkdownWriter } from './writer.ts'

/** Tags that are read without a pause: some tenths of a millisecond. */
const atOnce = 500
/** A comment, or a tag: whoever wrote the HTML has escaped every `>` that is text. */
const tagPattern = /<(?:!--[^>]*--|(\/?)([A-Za-z][\w:-]*)([^>]*))>/g
const voids: ReadonlySet<string> = new Set('area br col hr img input source track wbr'.split(' '))
/** What machines have no use for, with what is in it. */
const silent: ReadonlySet<string> = new Set(['svg', 'script', 'style', 'template', 'noscript'])

/**
 * HTML of a page, as it was written and sanitised here → Markdown (CommonMark with GitHub’s tables, notes and task
 * lists; formulas between dollars). Addresses stay as they are: those within the site begin with a slash. Linear, bounded.
 */
export function* markdownOf(html: string): Steps<string> {
  const conversion = new Conversion(html)
  while (conversion.read(atOnce)) yield 'large'
  return conversion.finish()
}

class Conversion {
  readonly #html: string
  readonly #writer = new MarkdownWriter()
  /** Elements around, with what they do at their end. */
  readonly #open: { readonly name: string; readonly close: Close }[] = []
  #at = 0
  readonly #elements = new Elements(this.#writer)

  constructor(html: string) {
    this.#html = html
  }

  /** Reads on; false at the end. */
  read(tags: number): boolean {
    for (let count = 0; count < tags; count++) {
      if (this.#writer.isFull) return false
      tagPattern.lastIndex = this.#at
      const match = tagPattern.exec(this.#html)
      const end = match?.index ?? this.#html.length
      if (end > this.#at) this.#elements.text(decode(this.#html.slice(this.#at, end)))
      if (match === null) return false
      this.#at = tagPattern.lastIndex
      const [, slash, name = '', rest = ''] = match
      if (name === '') continue
      if (slash === '/') this.#close(name)
      else this.#start(name, rest)
    }
    return true
  }

  finish(): string {
    while (this.#open.length > 0) this.#open.pop()?.close?.()
    return this.#writer.finish()
  }

  #start(name: string, rest: string): void {
    const attributes = attributesOf(rest)
    if (silent.has(name) || attributes['aria-hidden'] === 'true') return this.#skip(name, rest)
    if (voids.has(name)) return this.#void(name, attributes)
    const classes = attributes['class'] ?? ''
    if (name === 'pre') return this.#pre('', '', this.#inner('pre'))
    if (name === 'math') return this.#math(this.#inner('math'), attributes['display'] === 'block')
    if (name === 'figure' && /^q-(?:code|mermaid)\b/.test(classes)) return this.#figure(attributes)
    const parent = this.#open.at(-1)?.name
    this.#open.push({ name, close: this.#elements.open({ name, classes, attributes, parent }) })
  }

  #close(name: string): void {
    if (this.#open.at(-1)?.name === name) this.#open.pop()?.close?.()
  }

  /** Passes over an element. Those of the same name in it are counted. */
  #skip(name: string, rest: string): void {
    if (voids.has(name) || rest.endsWith('/')) return
    const pattern = new RegExp(`<(/?)${name}(?=[\\s/>])[^>]*>`, 'g')
    pattern.lastIndex = this.#at
    let depth = 1
    for (let match = pattern.exec(this.#html); match !== null; match = pattern.exec(this.#html)) {
      depth += match[1] === '/' ? -1 : match[0].endsWith('/>') ? 0 : 1
      this.#at = pattern.lastIndex
      if (depth === 0) return
    }
    this.#at = this.#html.length
  }

  /** HTML up to the end of an element that has none of its name in it; reads on behind it. */
  #inner(name: string): string {
    const end = this.#html.indexOf(`</${name}>`, this.#at)
    const inner = this.#html.slice(this.#at, end === -1 ? undefined : end)
    this.#at = end === -1 ? this.#html.length : end + name.length + 3
    return inner
  }

  #void(name: string, attributes: Attributes): void {
    const writer = this.#writer
    if (name === 'br') writer.break()
    else if (name === 'hr') writer.lines('---')
    else if (name === 'input') {
      if (attributes['type'] !== 'checkbox') return
      writer.write(attributes['checked'] === undefined ? '[ ]' : '[x]')
      writer.space()
    } else if (name === 'img') this.#image(attributes)
    else if (name === 'source' && this.#open.at(-1)?.name !== 'picture') this.#elements.media('Media', attributes)
  }

  #image({ src = '', alt = '', title, class: classes = '' }: Attributes): void {
    if (/^q-(?:icon|card-image)\b/.test(classes) || src === '') return
    if (src.startsWith('data:')) return this.#writer.text(alt)
    const about = title === undefined ? '' : ` "${title.replaceAll(/["\\]/g, '\\$&')}"`
    this.#writer.write(`![${label(alt)}](${destination(src)}${about})`)
  }

  #pre(language: string, title: string, html: string): void {
    if (this.#elements.isSilent) return
    const code = decode(html.replaceAll(/<[^>]*>/g, '')).replace(/\n$/, '')
    let fence = '```'
    for (const run of code.match(/^[ \t]*`{3,}/gm) ?? [])
      if (run.trim().length >= fence.length) fence = '`'.repeat(run.trim().length + 1)
    this.#writer.lines(
      `${fence}${[language, title.replaceAll('`', '')].filter((word) => word !== '').join(' ')}\n${code}\n${fence}`,
    )
  }

  /** A code block or a diagram. */
  #figure(attributes: Attributes): void {
    const html = this.#inner('figure')
    const title = /<figcaption class="q-code-title"[^>]*>(.*?)<\/figcaption>/s.exec(html)?.[1] ?? ''
    const start = html.indexOf('<pre')
    const code = start === -1 ? '' : html.slice(start, html.lastIndexOf('</pre>'))
    const language = attributes['data-mermaid'] === undefined ? (attributes['data-language'] ?? '') : 'mermaid'
    this.#pre(language, decode(title.replaceAll(/<svg.*?<\/svg>|<[^>]*>/gs, '')).trim(), code)
  }

  #math(html: string, isBlock: boolean): void {
    const tex = decode(/<annotation[^>]*>(.*?)<\/annotation>/s.exec(html)?.[1] ?? '').trim()
    if (tex === '') return
    if (isBlock) this.#writer.lines(`$$\n${tex}\n$$`)
    else this.#writer.write(`$${tex.replaceAll(/\s+/g, ' ')}$`)
  }
}
