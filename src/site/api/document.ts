import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, visit, type Document, type YAMLMap } from 'yaml'
import { isArray, isObject, type Json } from '../../lib/json-reader.ts'

/** Objects and lists within each other. Real descriptions stay under 40. */
const maxDepth = 200
/** How often one anchor is meant, times what stands for something else within it. */
const maxAliases = 10_000

/** Lines, commas and brackets of YAML: each may be a value, and a value takes about a kilobyte while it is read. */
const maxYamlValues = 400_000
/** Keys that merge keys (`<<`) add, all together. */
const maxMergedKeys = 200_000
/** UTF-16 units of a description in which all is written out that its aliases repeat. */
const maxWritten = 24 * 1024 * 1024

/** Why a description cannot be used: completes “openapi.yaml …”. */
export class DescriptionProblem extends Error {
  override readonly name = 'DescriptionProblem'
  /** 1-based. */
  readonly line: number | undefined
  readonly column: number | undefined

  constructor(message: string, place?: { readonly line: number; readonly column: number }) {
    super(message)
    this.line = place?.line
    this.column = place?.column
  }
}

/**
 * Reads a description of an API: JSON, or YAML 1.2 with aliases and merge keys. Nothing in it is executed.
 * @throws DescriptionProblem
 */
export function readDocument(text: string): Json {
  const value = /^\s*[{[]/.test(text) ? json(text) : undefined
  if (value === undefined) return yaml(text)
  checkDepth(value)
  return value
}

function countOf(text: string, pattern: RegExp): number {
  let count = 0
  pattern.lastIndex = 0
  while (pattern.test(text)) count++
  return count
}

/** Undefined where it is none: what the mistake is, YAML says with its line, of which JSON is a part. */
function json(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function yaml(text: string): Json {
  const values = countOf(text, /[\n,[{]/g)
  if (values > maxYamlValues)
    throw new DescriptionProblem(
      `holds more than can be read as YAML (${values} lines, commas and brackets; at most ${maxYamlValues}): write it as JSON.`,
    )
  const lines = new LineCounter()
  const document = parseDocument(text, {
    schema: 'core',
    merge: true,
    prettyErrors: false,
    logLevel: 'silent',
    lineCounter: lines,
    uniqueKeys: false,
  })
  const [error] = document.errors
  if (error !== undefined) {
    const { line, col } = lines.linePos(error.pos[0])
    if (error.message.includes('call stack')) throw new DescriptionProblem('nests too deep.')
    const [reason = ''] = error.message.split('\n', 1)
    throw new DescriptionProblem(`is no valid YAML: ${reason.replace(/[.:]?$/, '.')}`, { line, column: col })
  }
  if (text.includes('<<')) checkMerges(document)
  try {
    // Also what stands for something else is plain data afterwards.
    const value = document.toJS({ maxAliasCount: maxAliases }) as Json
    checkDepth(value)
    if (writtenLength(value, new Map()) > maxWritten)
      throw new DescriptionProblem('repeats too much: its aliases stand for more text than can be shown.')
    return value
  } catch (error_) {
    if (error_ instanceof ReferenceError) throw new DescriptionProblem(`repeats too much: ${error_.message}.`)
    throw error_
  }
}

/** What merge keys add is copied for each of them, before anything else could count it. */
function checkMerges(document: Document): void {
  const anchors = new Map<string, unknown>()
  const maps: YAMLMap[] = []
  visit(document, {
    Collection: (_key, node) => {
      if (node.anchor !== undefined) anchors.set(node.anchor, node)
      if (isMap(node)) maps.push(node)
    },
  })
  const sizes = new Map<YAMLMap, number>()
  const mergedKeys = (map: YAMLMap): number =>
    map.items
      .filter(({ key }) => isScalar(key) && (typeof key.value === 'symbol' || key.value === '<<'))
      .flatMap(({ value }) => (isSeq(value) ? value.items : [value]))
      .map((each) => (isAlias(each) ? anchors.get(each.source) : each))
      .reduce<number>((sum, each) => sum + (isMap(each) ? sizeOf(each) : 0), 0)
  const sizeOf = (map: YAMLMap): number => {
    const known = sizes.get(map)
    if (known !== undefined) return known
    // A map that merges itself has no end.
    sizes.set(map, 0)
    const size = map.items.length + mergedKeys(map)
    sizes.set(map, size)
    return size
  }
  let added = 0
  for (const map of maps) {
    added += mergedKeys(map)
    if (added > maxMergedKeys)
      throw new DescriptionProblem('repeats too much: its merge keys add more than can be read.')
  }
}

/** UTF-16 units of a value as JSON, about, with all that several aliases stand for written out. */
function writtenLength(value: Json, known: Map<object, number>): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return 5
  const before = known.get(value)
  if (before !== undefined) return before
  let length = 2
  if (isArray(value)) for (const each of value) length += writtenLength(each, known) + 1
  else if (isObject(value))
    for (const [key, each] of Object.entries(value)) length += key.length + 4 + writtenLength(each, known)
  known.set(value, length)
  return length
}

/** What follows may recurse. */
function checkDepth(value: Json): void {
  let level = new Set<Json>([value])
  for (let depth = 0; level.size > 0; depth++) {
    if (depth > maxDepth) throw new DescriptionProblem('nests too deep.')
    // What several aliases stand for is one object.
    const below = new Set<Json>()
    for (const each of level)
      if (typeof each === 'object' && each !== null)
        for (const one of Object.values<Json>(each)) if (typeof one === 'object' && one !== null) below.add(one)
    level = below
  }
}
