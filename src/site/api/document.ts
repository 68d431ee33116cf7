import { LineCounter, parseDocument } from 'yaml'
import type { Json } from '../../lib/json-reader.ts'

/** Objects and lists within each other. Real descriptions stay under 40. */
const maxDepth = 200
/** How often one anchor is meant, times what stands for something else within it. */
const maxAliases = 10_000

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
  const value = /^\s*[{[]/.test(text) ? (json(text) ?? yaml(text)) : yaml(text)
  checkDepth(value)
  return value
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
    const [reason = ''] = error.message.split('\n', 1)
    throw new DescriptionProblem(`is no valid YAML: ${reason.replace(/[.:]?$/, '.')}`, { line, column: col })
  }
  try {
    // Also what stands for something else is plain data afterwards.
    return document.toJS({ maxAliasCount: maxAliases }) as Json
  } catch (error_) {
    if (error_ instanceof ReferenceError) throw new DescriptionProblem(`repeats too much: ${error_.message}.`)
    throw error_
  }
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
