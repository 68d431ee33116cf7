import { parseTree, printParseErrorCode, visit, type JSONPath, type Node, type ParseErrorCode } from 'jsonc-parser'

/** JSON as the configuration reads it; objects have a null prototype. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

interface JsonProblem {
  /** UTF-16 offset into the text. */
  readonly offset: number
  /** RFC 6901; absent where the text is no JSON. */
  readonly pointer?: string
  readonly message: string
  readonly severity: 'error' | 'warning'
}

export interface ParsedJson {
  /** Absent when there is an error. */
  readonly value?: Json
  readonly problems: readonly JsonProblem[]
}

/** Objects and arrays within each other. Real configurations stay under 20. */
export const maxDepth = 64
const maxValues = 500_000
const refusedKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])
const strict = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false }

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}

/** Appends a reference token to a JSON pointer (RFC 6901). */
export function pointerTo(pointer: string, key: string | number): string {
  return `${pointer}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/**
 * Parses strict JSON once: what is validated is what is used. Depth and number of values are bounded before anything
 * recursive sees the text. Keys that reach an object’s prototype are errors; of equal keys the last counts, with a
 * warning, as `JSON.parse` and JavaScript have it.
 */
export function parseJson(text: string): ParsedJson {
  const excess = exceeds(text)
  if (excess !== undefined) return { problems: [excess] }
  const problems: JsonProblem[] = []
  const builder = new Builder()
  visit(
    text,
    {
      onObjectBegin: (_offset, _length, _line, _column, path) => builder.open(Object.create(null) as object, path),
      onArrayBegin: (_offset, _length, _line, _column, path) => builder.open([], path),
      onObjectEnd: () => builder.close(),
      onArrayEnd: () => builder.close(),
      onLiteralValue: (value: Json) => builder.add(value),
      onObjectProperty: (key, offset, _length, _line, _column, path) => {
        const problem = judgeKey(key, builder.has(key))
        if (problem !== undefined) problems.push({ ...problem, offset, pointer: toPointer([...path(), key]) })
        builder.key = key
      },
      onError: (code, offset) => {
        problems.push({ offset, message: `This is not JSON: ${describe(code)}.`, severity: 'error' })
      },
    },
    strict,
  )
  if (problems.some(({ severity }) => severity === 'error')) return { problems: firstSyntaxError(problems) }
  return builder.root === undefined
    ? { problems: [{ offset: 0, message: 'The file is empty.', severity: 'error' }] }
    : { value: builder.root, problems }
}

/** Offset of the value at a pointer, or of its nearest ancestor that exists. Only for text that parsed. */
export function locate(tree: Node | undefined, pointer: string): number {
  let node = tree
  for (const token of pointer.split('/').slice(1)) {
    const next = node === undefined ? undefined : childOf(node, token.replaceAll('~1', '/').replaceAll('~0', '~'))
    if (next === undefined) break
    node = next
  }
  return node?.offset ?? 0
}

/** The tree that `locate` looks into. */
export function treeOf(text: string): Node | undefined {
  return exceeds(text) === undefined ? parseTree(text, [], strict) : undefined
}

function childOf(node: Node, token: string): Node | undefined {
  if (node.type === 'array') return node.children?.[Number(token)]
  return node.children?.findLast((property) => property.children?.[0]?.value === token)?.children?.[1]
}

class Builder {
  root: Json | undefined
  key = ''
  readonly #stack: object[] = []

  open(container: object, _path: () => JSONPath): void {
    this.add(container as Json)
    this.#stack.push(container)
  }

  close(): void {
    this.#stack.pop()
  }

  has(key: string): boolean {
    return Object.hasOwn(this.#stack.at(-1) ?? {}, key)
  }

  add(value: Json): void {
    const parent = this.#stack.at(-1)
    if (parent === undefined) this.root ??= value
    else if (Array.isArray(parent)) parent.push(value)
    else Object.defineProperty(parent, this.key, { value, enumerable: true, writable: true, configurable: true })
  }
}

function judgeKey(key: string, repeated: boolean): Pick<JsonProblem, 'message' | 'severity'> | undefined {
  if (refusedKeys.has(key)) return { message: `The key ${JSON.stringify(key)} is not allowed.`, severity: 'error' }
  if (repeated)
    return { message: `The key ${JSON.stringify(key)} stands twice; the last one counts.`, severity: 'warning' }
  return undefined
}

/** A linear look at brackets and commas outside strings, because parsers recurse. */
function exceeds(text: string): JsonProblem | undefined {
  let depth = 0
  let values = 0
  for (let offset = 0; offset < text.length; offset++) {
    const code = text.charCodeAt(offset)
    if (code === 0x22) offset = endOfString(text, offset)
    else if (code === 0x7b || code === 0x5b) {
      depth++
      if (depth > maxDepth)
        return { offset, message: `The JSON is nested deeper than ${maxDepth} levels.`, severity: 'error' }
    } else if (code === 0x7d || code === 0x5d) depth--
    else if (code === 0x2c || code === 0x3a) {
      values++
      if (values > maxValues)
        return { offset, message: `The JSON has more than ${maxValues} values.`, severity: 'error' }
    }
  }
  return undefined
}

function endOfString(text: string, start: number): number {
  for (let offset = start + 1; offset < text.length; offset++) {
    const code = text.charCodeAt(offset)
    if (code === 0x5c) offset++
    else if (code === 0x22) return offset
  }
  return text.length
}

/** What follows the first syntax error is mostly its echo. */
function firstSyntaxError(problems: readonly JsonProblem[]): readonly JsonProblem[] {
  const first = problems.findIndex((problem) => problem.pointer === undefined)
  return first === -1 ? problems : problems.filter((problem, index) => problem.pointer !== undefined || index === first)
}

function toPointer(path: JSONPath): string {
  return path.reduce<string>((pointer, key) => pointerTo(pointer, key), '')
}

/** `CommaExpected` → `comma expected`. */
function describe(code: ParseErrorCode): string {
  return printParseErrorCode(code)
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
}
