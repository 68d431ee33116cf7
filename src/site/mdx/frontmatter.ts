import leven from 'leven'
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Node as YamlNode } from 'yaml'
import type { RuleName } from '../../contract/rules.ts'
import type { Value } from '../components/component.tsx'
import { forbidsIndexing, longestMetatag, maxMetatags, pageTags, type Metatag } from '../metatags.ts'
import { detailAt, PageProblem, type SourceLocation } from './problem.ts'

const frontMatterBytes = 64 * 1024
const maxDepth = 32
const maxWarnings = 10
/** Of the core schema (https://yaml.org/spec/1.2.2/#103-core-schema); any other one is without effect. */
const coreTag = /^(?:!|tag:yaml\.org,2002:(?:str|int|float|bool|null|map|seq))$/
const refusedKeys = new Set(['__proto__', 'constructor', 'prototype'])
const modes = ['default', 'wide', 'custom', 'frame', 'center'] as const

/** The fields that Quire knows. Anything else stays readable as `frontmatter.x` in expressions. */
export interface FrontMatter {
  readonly title?: string
  readonly description?: string
  readonly sidebarTitle?: string
  readonly icon?: string
  readonly iconType?: string
  readonly tag?: string
  readonly url?: string
  readonly openapi?: string
  readonly mode?: (typeof modes)[number]
  readonly keywords?: readonly string[]
  /** `og:image`, `twitter:card` … */
  readonly metatags?: Metatag[]
  readonly hidden?: boolean
  readonly noindex?: boolean
  readonly deprecated?: boolean
  /** Everything, for expressions: data with null prototypes. */
  readonly data: { readonly [key: string]: Value }
}

interface FrontMatterWarning {
  readonly line: number
  readonly column: number
  readonly rule: RuleName
  readonly message: string
  readonly hint?: string
}

export interface SplitSource {
  readonly frontMatter: FrontMatter
  readonly warnings: readonly FrontMatterWarning[]
}

const none: FrontMatter = { data: Object.create(null) as { [key: string]: Value } }
const opening = /^---([^\S\r\n]*\S[^\r\n]*)?[^\S\r\n]*(?:\r?\n|$)/

/**
 * Splits a page into front matter and body. YAML 1.2 core schema, data only: no aliases, no tags with effects, at most
 * 64 KiB; it ends at `---` or, as YAML documents may, at `...`. `---js` and the like are refused, because engines that read them execute what they say.
 * @throws PageProblem naming the line.
 */
export function splitSource(path: string, text: string): SplitSource {
  if (/^\+{3}[^\S\r\n]*\r?\n/.test(text)) {
    const message = 'Front matter in TOML is not supported: write it as YAML between two lines of `---`.'
    throw new PageProblem(detailAt({ path, line: 1, column: 1 }, 'front-matter-syntax', message, text))
  }
  const open = opening.exec(text)
  if (open === null) return { frontMatter: none, warnings: [] }
  const language = open[1]?.trim()
  if (language !== undefined) {
    if (language.startsWith('-') || !/^[a-z]+$/i.test(language)) return { frontMatter: none, warnings: [] }
    const message = `Front matter in \`${language}\` is not supported: write it as YAML between two lines of \`---\`.`
    throw new PageProblem(detailAt({ path, line: 1, column: 4 }, 'front-matter-syntax', message, text))
  }
  const closing = /^(?:---|\.{3})[^\S\r\n]*(?:\r?\n|$)/gm
  closing.lastIndex = open[0].length
  const close = closing.exec(text)
  if (close === null) return { frontMatter: none, warnings: isMeant(text.slice(open[0].length)) ? [unclosed] : [] }
  const yaml = text.slice(open[0].length, close.index)
  if (Buffer.byteLength(yaml) > frontMatterBytes) {
    const message = `The front matter is larger than ${frontMatterBytes / 1024} KiB.`
    throw new PageProblem({ path, line: 1, column: 1, rule: 'front-matter-syntax', message })
  }
  return readFields(new Reader(path, text, yaml).read(), !text.includes('frontmatter'))
}

const unclosed: FrontMatterWarning = {
  line: 1,
  column: 1,
  rule: 'front-matter-open',
  message: 'The front matter that begins here has no end, so readers see it as text: close it with a line of `---`.',
}

const fieldLine = /^[A-Za-z][\w-]*:(?:[^\S\r\n]|\r?\n|$)/

/** Whether a page that begins with a line of `---` means front matter, and not a rule above its text. */
function isMeant(text: string): boolean {
  const [first = '', second = ''] = text.split(/\r?\n/, 2)
  return fieldLine.test(first) && (knownFields.has(first.slice(0, first.indexOf(':'))) || fieldLine.test(second))
}

/** Names with which front matter begins, of those that Quire knows. */
const knownFields = new Set([
  'title',
  'description',
  'sidebarTitle',
  'icon',
  'iconType',
  'tag',
  'url',
  'openapi',
  'mode',
  'keywords',
  'hidden',
  'noindex',
  'deprecated',
])

interface UnknownTag extends SourceLocation {
  readonly tag: string
}

/** What front matter says. */
interface FrontMatterData {
  readonly data: { [key: string]: Value }
  /** Where a key stands. */
  readonly at: (key: string) => SourceLocation
  /** Tags that the core schema does not know, with where their values stand. */
  readonly unknownTags: readonly UnknownTag[]
}

/** YAML → data, with places of the file in its complaints. */
class Reader {
  readonly #lines = new LineCounter()
  readonly #path: string
  readonly #text: string
  readonly #yaml: string
  readonly #unknownTags: UnknownTag[] = []

  constructor(path: string, text: string, yaml: string) {
    this.#path = path
    this.#text = text
    this.#yaml = yaml
  }

  read(): FrontMatterData {
    const document = this.#parse()
    const error = document.errors[0]
    if (error !== undefined)
      this.#refuse(error.pos[0], `The front matter is not valid YAML: ${sentence(error.message)}`)
    const root = document.contents
    const places = new Map<string, number>()
    if (root === null || (isScalar(root) && root.value === null))
      return { data: empty(), at: () => this.#place(0), unknownTags: [] }
    if (!isMap(root))
      return this.#refuse(root.range?.[0] ?? 0, 'The front matter must be a list of `key: value` lines.')
    for (const pair of root.items) if (isScalar(pair.key)) places.set(String(pair.key.value), pair.key.range?.[0] ?? 0)
    const data = this.#value(root, 0) as { [key: string]: Value }
    return { data, at: (key) => this.#place(places.get(key) ?? 0), unknownTags: this.#unknownTags }
  }

  #parse(): ReturnType<typeof parseDocument<YamlNode>> {
    this.#checkDepth()
    return parseDocument<YamlNode>(this.#yaml, {
      schema: 'core',
      version: '1.2',
      merge: false,
      prettyErrors: false,
      logLevel: 'silent',
      lineCounter: this.#lines,
    })
  }

  /** The YAML parser recurses: flow collections and `- - -` are counted first. */
  #checkDepth(): void {
    let depth = 0
    for (let index = 0; index < this.#yaml.length; index++) {
      const character = this.#yaml[index]
      if (character === '[' || character === '{') depth++
      else if (character === ']' || character === '}') depth = Math.max(0, depth - 1)
      else if (character === '\n') continue
      if (depth > 200) this.#refuse(index, 'The front matter is nested too deep.')
    }
    const dashes = /^[ ]*(?:[-?] ){33}/m.exec(this.#yaml)
    if (dashes !== null) this.#refuse(dashes.index, 'The front matter is nested too deep.')
  }

  #value(node: unknown, depth: number): Value {
    if (node === null || node === undefined) return null
    const at = (node as { range?: readonly number[] | null }).range?.[0] ?? 0
    if (depth > maxDepth) return this.#refuse(at, 'The front matter is nested too deep.')
    if (isAlias(node)) return this.#refuse(at, 'Aliases (`*name`) are not allowed in front matter.')
    const { tag } = node as { tag?: string }
    if (tag !== undefined && !coreTag.test(tag) && this.#unknownTags.length < maxWarnings)
      this.#unknownTags.push({ ...this.#place(at), tag: tag.replace('tag:yaml.org,2002:', '!!') })
    if (isScalar(node)) {
      const { value } = node
      if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
      return value === null ? null : (node.source ?? null)
    }
    if (isSeq(node)) return node.items.map((item) => this.#value(item, depth + 1))
    if (!isMap(node)) return this.#refuse(at, 'The front matter holds something that is not data.')
    const result = empty()
    for (const pair of node.items) {
      const key = isScalar(pair.key) ? String(pair.key.value) : undefined
      const keyAt = (pair.key as { range?: readonly number[] | null } | null)?.range?.[0] ?? at
      if (key === undefined) return this.#refuse(keyAt, 'A key in front matter must be plain text.')
      if (refusedKeys.has(key)) return this.#refuse(keyAt, `The key \`${key}\` is not allowed in front matter.`)
      result[key] = this.#value(pair.value, depth + 1)
    }
    return result
  }

  #place(offset: number): SourceLocation {
    const { line, col } = this.#lines.linePos(offset)
    // YAML begins in line 2 of the file. Without any counted line the counter says 0.
    return { path: this.#path, line: Math.max(1, line) + 1, column: Math.max(1, col) }
  }

  #refuse(offset: number, message: string): never {
    throw new PageProblem(detailAt(this.#place(offset), 'front-matter-syntax', message, this.#text))
  }
}

function empty(): { [key: string]: Value } {
  return Object.create(null) as { [key: string]: Value }
}

function sentence(message: string): string {
  const first = message.split('\n', 1)[0] ?? message
  return first.replace(/ at line \d+, column \d+:?$/, '').replace(/[.:]?$/, '.')
}

/** Names with fewer letters are too like others: `tags` is no misspelt `tag`. */
const leastLetters = 5
/** Longer than any name of ours, and its misspellings. */
const longestField = 30

/** The field that was meant with a name that is none: written in another way, or with one letter or two swapped. */
function meantField(name: string): string | undefined {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[-_]/g, '')
  const letters = (text: string): string => plain(text).split('').sort().join('')
  if (name.length > longestField) return undefined
  const written = plain(name)
  return [...knownFields].find((field) => {
    const meant = plain(field)
    if (written === meant) return true
    if (meant.length < leastLetters || written === `${meant}s` || `${written}s` === meant) return false
    return letters(name) === letters(field) || leven(written, meant, { maxDistance: 2 }) === 1
  })
}

/**
 * Data → the fields that Quire knows; a field of the wrong kind is left out with a warning.
 * @param isClosed nothing in the page asks for other fields, which may have any name.
 */
function readFields({ data, at, unknownTags }: FrontMatterData, isClosed: boolean): SplitSource {
  const warnings = unknownTags.map(({ line, column, tag }): FrontMatterWarning => {
    const message = `The tag \`${tag}\` has no effect in front matter: its value is read as if it were not there.`
    return { line, column, rule: 'front-matter-value', message }
  })
  const refuse = (key: string, wanted: string): undefined => {
    const { line, column } = at(key)
    warnings.push({
      line,
      column,
      rule: 'front-matter-value',
      message: `\`${key}\` in the front matter should be ${wanted}; it is ignored.`,
    })
  }
  for (const key of isClosed ? Object.keys(data) : []) {
    const meant = knownFields.has(key) || warnings.length >= maxWarnings ? undefined : meantField(key)
    if (meant === undefined || meant in data) continue
    const { line, column } = at(key)
    const message = `The front matter has \`${key}\`, which is none of its fields. Did you mean \`${meant}\`?`
    warnings.push({ line, column, rule: 'front-matter-name', message, hint: `Write \`${meant}\`.` })
  }
  const text = (key: string): string | undefined => {
    const value = data[key]
    if (value === undefined || value === null) return undefined
    return typeof value === 'object' ? refuse(key, 'text') : oneLine(String(value))
  }
  const flag = (key: string): boolean | undefined => {
    const value = data[key]
    if (value === undefined || value === null) return undefined
    if (typeof value === 'boolean') return value
    return value === 'true' || value === 'false' ? value === 'true' : refuse(key, '`true` or `false`')
  }
  const keywords = (): readonly string[] | undefined => {
    const value = data['keywords']
    if (value === undefined || value === null) return undefined
    const list = typeof value === 'string' ? value.split(',') : value
    if (!Array.isArray(list)) return refuse('keywords', 'a list of words')
    return list
      .flatMap((item: Value) => (typeof item === 'string' || typeof item === 'number' ? [oneLine(String(item))] : []))
      .filter((word) => word !== '')
  }
  const metatags = (): Metatag[] | undefined => {
    const names = Object.keys(data).filter((key) => pageTags.test(key) && !forbidsIndexing(data[key]))
    for (const name of names.splice(maxMetatags)) refuse(name, `one of ${maxMetatags} tags of the head at most`)
    const tags = names.flatMap((name): Metatag[] => {
      const content = text(name) ?? ''
      if (content.length > longestMetatag) refuse(name, `text of at most ${longestMetatag} characters`)
      return content === '' || content.length > longestMetatag ? [] : [[name, content]]
    })
    return tags.length === 0 ? undefined : tags
  }
  const mode = text('mode')
  const known = modes.find((name) => name === mode)
  if (mode !== undefined && known === undefined) refuse('mode', `one of ${modes.join(', ')}`)
  const fields = {
    title: text('title'),
    description: text('description'),
    sidebarTitle: text('sidebarTitle'),
    // Mintlify also accepts an object here; its `name` is the icon.
    icon: nameOf(data['icon']) ?? text('icon'),
    iconType: text('iconType'),
    tag: text('tag'),
    url: text('url'),
    openapi: text('openapi'),
    mode: known,
    keywords: keywords(),
    metatags: metatags(),
    hidden: flag('hidden'),
    noindex: forbidsIndexing(data['robots']) || flag('noindex'),
    deprecated: flag('deprecated'),
  }
  const present = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''))
  return { frontMatter: { ...present, data }, warnings }
}

function nameOf(value: Value): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const name = (value as { readonly name?: Value }).name
  return typeof name === 'string' ? name : undefined
}

/** Titles and descriptions end up in attributes and headers: line breaks and control characters become spaces. */
function oneLine(value: string): string {
  // eslint-disable-next-line no-control-regex
  return value.replaceAll(/[\u0000-\u001f\u007f\u2028\u2029]+/g, ' ').trim()
}
