import { Parser } from 'htmlparser2'
import { fieldKey } from './wanted.ts'

/** What a page shows of an operation. */
export interface Shown {
  /** `GET /users`, `WEBHOOK order.created`. */
  readonly name: string
  /** As in `Wanted`, with the values that are listed. */
  readonly fields: ReadonlyMap<string, readonly string[]>
  readonly responses: ReadonlySet<string>
  /** Blocks of code, without white space. */
  readonly code: readonly string[]
  /** Where fields are that the page shows in another place: names of that by the field that lacks them. */
  readonly links: ReadonlyMap<string, readonly string[]>
  /** Fields by the names that such links have. */
  readonly targets: ReadonlyMap<string, string>
  /** It says that something has no room on it, or how many values it leaves out. */
  readonly isCut: boolean
}

interface Open {
  readonly tag: string
  readonly classes: ReadonlySet<string>
  readonly word: string | undefined
  readonly title: string | undefined
  /** Of a field. */
  name?: string
  /** What links call it. */
  readonly targets: string[]
  text: string
}

const sectionWords = new Set([
  'authorizations',
  'headers',
  'pathParameters',
  'queryParameters',
  'cookies',
  'body',
  'payload',
  'response',
  'answer',
  'callbacks',
])

/** Reads what a page shows out of its HTML; undefined for a page of something else. */
export function shownOf(html: string): Shown | undefined {
  const reader = new PageReader()
  const parser = new Parser({
    onopentag: (tag, attributes) => reader.open(tag, attributes),
    ontext: (text) => reader.text(text),
    onclosetag: () => reader.close(),
  })
  parser.end(html)
  return reader.shown
}

class PageReader {
  readonly #stack: Open[] = []
  readonly #fields = new Map<string, string[]>()
  readonly #responses = new Set<string>()
  readonly #code: string[] = []
  readonly #links = new Map<string, string[]>()
  readonly #targets = new Map<string, string>()
  #section = ''
  #method = ''
  #path = ''
  #isCut = false

  get shown(): Shown | undefined {
    if (this.#method === '') return undefined
    return {
      name: `${this.#method} ${this.#path}`,
      fields: this.#fields,
      responses: this.#responses,
      code: this.#code,
      links: this.#links,
      targets: this.#targets,
      isCut: this.#isCut,
    }
  }

  open(tag: string, attributes: Readonly<Record<string, string>>): void {
    const classes = new Set((attributes['class'] ?? '').split(' '))
    const word = attributes['data-word']
    this.#stack.push({ tag, classes, word, title: attributes['data-title'], targets: [], text: '' })
    if (tag === 'a') this.#linked(attributes)
    const isHeading = this.#stack.at(-2)?.tag === 'h2'
    // What comes after the callbacks is theirs.
    if (isHeading && word !== undefined && sectionWords.has(word) && this.#section !== 'callbacks') this.#section = word
    const status = this.#status
    if (classes.has('q-tab') && status !== undefined) this.#responses.add(status)
    if (classes.has('q-cut') || word?.startsWith('moreOptions:') === true) this.#isCut = true
  }

  text(text: string): void {
    const top = this.#stack.at(-1)
    if (top !== undefined) top.text += text
  }

  close(): void {
    const closed = this.#stack.pop()
    const parent = this.#stack.at(-1)
    if (closed === undefined) return
    const { text, classes, tag } = closed
    if (classes.has('q-method') && this.#method === '') this.#method = text
    else if (classes.has('q-endpoint-path') && this.#path === '') this.#path = text
    else if (tag === 'pre') this.#code.push(text.replaceAll(/\s/g, ''))
    else if (tag === 'code' && parent?.classes.has('q-field-name') === true) this.#named(text)
    else if (tag === 'code' && this.#isOption) this.#fields.get(this.#key)?.push(text)
    if (parent !== undefined && (tag === 'var' || tag === 'span' || tag === 'code')) parent.text += text
  }

  #linked({ name, href }: Readonly<Record<string, string>>): void {
    if (name !== undefined) this.#stack.findLast(({ classes }) => classes.has('q-field'))?.targets.push(name)
    if (this.#stack.at(-2)?.classes.has('q-elsewhere') !== true) return
    this.#links.set(this.#key, [...(this.#links.get(this.#key) ?? []), decodeURIComponent(href?.slice(1) ?? '')])
  }

  #named(name: string): void {
    const field = this.#stack.findLast(({ classes }) => classes.has('q-field'))
    if (field === undefined) return
    field.name = name
    for (const target of field.targets) this.#targets.set(target, this.#key)
    if (!this.#fields.has(this.#key)) this.#fields.set(this.#key, [])
  }

  get #isOption(): boolean {
    const fact = this.#stack.findLast(({ classes }) => classes.has('q-field-fact'))
    return fact !== undefined && /^(?:Options|Always)/.test(fact.text)
  }

  get #key(): string {
    const scope = this.#status === undefined ? this.#section : `${this.#section} ${this.#status}`
    const names = this.#stack.flatMap(({ name }) => name ?? [])
    return fieldKey(scope, names)
  }

  /** Title of the outermost tab, where a response is. */
  get #status(): string | undefined {
    if (this.#section !== 'response' && this.#section !== 'answer') return undefined
    return this.#stack.find(({ classes }) => classes.has('q-tab'))?.title
  }
}
