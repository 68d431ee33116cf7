import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Node as YamlNode,
  type YAMLParseError,
} from 'yaml'
import type { RuleName } from '../../contract/rules.ts'
import type { Value } from '../components/component.tsx'
import { detailAt, PageProblem, type SourceLocation } from './problem.ts'

const maxDepth = 32
export const maxWarnings = 10
/** Of the core schema (https://yaml.org/spec/1.2.2/#103-core-schema); any other one is without effect. */
const coreTag = /^(?:!|tag:yaml\.org,2002:(?:str|int|float|bool|null|map|seq))$/
const refusedKeys = new Set(['__proto__', 'constructor', 'prototype'])

export const fieldLine = /^[A-Za-z][\w-]*:(?:[^\S\r\n]|\r?\n|$)/

export interface FrontMatterWarning {
  readonly line: number
  readonly column: number
  readonly rule: RuleName
  readonly message: string
  readonly hint?: string
}

interface UnknownTag extends SourceLocation {
  readonly tag: string
}

/** What front matter says. */
export interface FrontMatterData {
  readonly data: { [key: string]: Value }
  /** Where a key stands. */
  readonly at: (key: string) => SourceLocation
  /** Tags that the core schema does not know, with where their values stand. */
  readonly unknownTags: readonly UnknownTag[]
  /** What is no YAML and was read all the same. */
  readonly accepted: readonly FrontMatterWarning[]
}

/** YAML → data, with places of the file in its complaints. */
export class YamlReader {
  #lines = new LineCounter()
  readonly #path: string
  readonly #text: string
  #yaml: string
  readonly #unknownTags: UnknownTag[] = []
  readonly #accepted: FrontMatterWarning[] = []

  constructor(path: string, text: string, yaml: string) {
    this.#path = path
    this.#text = text
    this.#yaml = yaml
  }

  read(): FrontMatterData {
    const document = this.#document()
    const root = document.contents
    const places = new Map<string, number>()
    if (root === null || (isScalar(root) && root.value === null))
      return { data: empty(), at: () => this.#place(0), unknownTags: [], accepted: this.#accepted }
    if (!isMap(root))
      return this.#refuse(root.range?.[0] ?? 0, 'The front matter must be a list of `key: value` lines.')
    for (const pair of root.items) if (isScalar(pair.key)) places.set(String(pair.key.value), pair.key.range?.[0] ?? 0)
    const data = this.#value(root, 0) as { [key: string]: Value }
    return {
      data,
      at: (key) => this.#place(places.get(key) ?? 0),
      unknownTags: this.#unknownTags,
      accepted: this.#accepted,
    }
  }

  /**
   * Reads what authors write and other tools accept: texts that go on without indent, a colon or a quote within a text,
   * tabs, keys that stand twice. Each round mends one place.
   */
  #document(): ReturnType<typeof parseDocument<YamlNode>> {
    for (let round = 0; ; round++) {
      const document = this.#parse()
      const error = document.errors.find((one) => one.code !== 'DUPLICATE_KEY' && !isFold(one))
      if (error === undefined && aliasIn(document.contents) === undefined) {
        for (const { code, pos } of document.errors) {
          if (code !== 'DUPLICATE_KEY') this.#acceptFold(this.#lines.linePos(pos[0]).line - 1)
          else
            this.#accept(
              pos[0],
              'This key stands twice in the front matter: the last one counts.',
              'Remove one of the two.',
            )
        }
        return document
      }
      const at = error?.pos[0] ?? aliasIn(document.contents) ?? 0
      if (round < maxWarnings && this.#mend(at, error?.code)) continue
      if (error === undefined) return document
      this.#refuse(error.pos[0], `The front matter is not valid YAML: ${sentence(error.message)}`)
    }
  }

  /** Writes the value around a place in quotes, or its tabs as blanks. Keeps all lines, and all columns before values. */
  #mend(offset: number, code: string | undefined): boolean {
    const lines = this.#yaml.split('\n')
    const own = Math.max(1, this.#lines.linePos(offset).line) - 1
    if (code === 'TAB_AS_INDENT') {
      const plain = (lines[own] ?? '').replace(/^[ \t]+/, (indent) => indent.replaceAll('\t', '  '))
      if (plain === lines[own]) return false
      this.#accept(
        offset,
        'This line of the front matter is indented with a tab, which is no YAML.',
        'Indent it with spaces.',
      )
      this.#yaml = lines.with(own, plain).join('\n')
      return true
    }
    for (const index of [own, own + 1, own - 1]) {
      const line = lines[index] ?? ''
      // It goes on with the text of the field above.
      if (index < 1 || !/^[^\s#\-[\]{}?]/.test(line) || fieldLine.test(line)) continue
      this.#acceptFold(index)
      this.#yaml = lines.with(index, `  ${line}`).join('\n')
      return true
    }
    // A text that is not closed is complained of where the next line, or the front matter, begins.
    for (const index of [own, own - 1]) {
      const [, head = '', value = ''] = /^(\s*(?:- )?[A-Za-z][\w-]*:[ \t]+)(\S.*?)\s*$/.exec(lines[index] ?? '') ?? []
      if (value === '' || /^[|>][-+\d]*$/.test(value) || isWhole(value) || /^(?:"[^"]*|'[^']*)$/.test(value)) continue
      // Anchors and aliases are not allowed; other tools would follow them.
      if (value.startsWith('&') || (value.startsWith('*') && this.#yaml.includes('&'))) continue
      if (this.#accepted.length < maxWarnings)
        this.#accepted.push({
          line: index + 2,
          column: head.length + 1,
          rule: 'syntax-accepted',
          message:
            'This text of the front matter has a colon, a quote or a sign that means something else in YAML; it is read as one text.',
          hint: 'Put the text in quotes.',
        })
      this.#yaml = lines.with(index, head + JSON.stringify(value)).join('\n')
      return true
    }
    return false
  }

  /** @param index of the line in the front matter */
  #acceptFold(index: number): void {
    const message = 'This line of the front matter goes on with the text above and is not indented, which is no YAML.'
    if (this.#accepted.length < maxWarnings && this.#accepted.every((one) => one.line !== index + 2))
      this.#accepted.push({ line: index + 2, column: 1, rule: 'syntax-accepted', message, hint: 'Indent it.' })
  }

  #accept(offset: number, message: string, hint: string): void {
    const { line, column } = this.#place(offset)
    if (this.#accepted.length < maxWarnings)
      this.#accepted.push({ line, column, rule: 'syntax-accepted', message, hint })
  }

  #parse(): ReturnType<typeof parseDocument<YamlNode>> {
    this.#checkDepth()
    this.#lines = new LineCounter()
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

/** Whether a value was written in quotes already, and something else is wrong. */
function isWhole(value: string): boolean {
  try {
    return value.startsWith('"') && typeof JSON.parse(value) === 'string'
  } catch {
    return /^'(?:[^']|'')*'$/.test(value)
  }
}

/** Where the first field stands that is an alias, such as a text that begins with `*`. */
function aliasIn(root: YamlNode | null): number | undefined {
  if (!isMap(root)) return undefined
  const found = root.items.find(({ value }) => isAlias(value))?.value as YamlNode | undefined
  return found?.range?.[0]
}

/** A text in quotes whose lines are not indented; what it says is read all the same. */
const isFold = ({ code, message }: YAMLParseError): boolean => code === 'BAD_INDENT' && message.includes('quoted')

function sentence(message: string): string {
  const first = message.split('\n', 1)[0] ?? message
  return first.replace(/ at line \d+, column \d+:?$/, '').replace(/[.:]?$/, '.')
}
