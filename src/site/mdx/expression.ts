import { Parser, type Options } from 'acorn'
import jsx from 'acorn-jsx'
import type { Expression, ObjectExpression, Program } from 'estree-jsx'
import { detailAt, PageProblem, type SourceLocation } from './problem.ts'
import type { Point } from './nodes.ts'
import { TypeScriptParser, withoutTypes } from './typescript.ts'

/** A file’s text and path, to say where something stands. */
export interface FileText {
  readonly path: string
  readonly text: string
}

const JsxParser = Parser.extend(jsx())
const options: Options = { ecmaVersion: 2024, sourceType: 'module', locations: true, allowReserved: true }

interface Location {
  source?: string | null | undefined
  start: { line: number; column: number }
  end: { line: number; column: number }
}

interface Positioned {
  readonly loc?: Location | null | undefined
}

/** Where a node stands: `parseExpression` and `parseModule` leave the place in the file in `loc`. */
export function placeOf(node: Positioned): SourceLocation {
  const { loc } = node
  return { path: loc?.source ?? '', line: loc?.start.line ?? 1, column: Math.max(0, loc?.start.column ?? 0) + 1 }
}

/** Turns places in the code into places in its file. `base` is where the code begins. */
function relocate(tree: unknown, base: Point): void {
  const stack: unknown[] = [tree]
  // Nodes that begin at the same place share the object that says so.
  const moved = new Set<object>()
  while (stack.length > 0) {
    const node = stack.pop()
    if (typeof node !== 'object' || node === null) continue
    if (Array.isArray(node)) {
      for (const item of node) stack.push(item)
      continue
    }
    const { loc, ...rest } = node as { loc?: Location }
    for (const point of loc === undefined ? [] : [loc.start, loc.end]) {
      if (moved.has(point)) continue
      moved.add(point)
      move(point, base)
    }
    for (const value of Object.values(rest)) if (typeof value === 'object' && value !== null) stack.push(value)
  }
}

function move(point: { line: number; column: number }, base: Point): void {
  if (point.line === 1) point.column += base.column - 1
  point.line += base.line - 1
}

function parse(code: string, base: Point, file: FileText, what: string, parser = JsxParser): Program {
  try {
    const program = parser.parse(code, { ...options, sourceFile: file.path }) as Program
    relocate(program, base)
    return program
  } catch (error) {
    if (error instanceof RangeError) {
      throw new PageProblem(
        detailAt(
          { path: file.path, line: base.line, column: base.column },
          'page-limit',
          'The expression is nested too deep.',
          file.text,
        ),
      )
    }
    const { loc, message } = error as Error & { loc?: { line: number; column: number } }
    if (loc === undefined) throw error
    move(loc, base)
    const place = { path: file.path, line: loc.line, column: Math.max(1, loc.column + 1) }
    throw new PageProblem(
      detailAt(place, 'page-syntax', `${what}: ${message.replace(/ \(\d+:\d+\)(?: in .*)?$/s, '')}.`, file.text),
    )
  }
}

/** `import` and `export` lines. `base` is where `code` begins. Nodes have their place in the file: see `placeOf`. */
export function parseModule(code: string, base: Point, file: FileText): Program {
  return parse(code, base, file, 'This import or export is not valid JavaScript')
}

/** A file of JavaScript, or of TypeScript, whose types are left out. */
export function parseScript(file: FileText): Program {
  const start = { line: 1, column: 1 }
  if (!/\.tsx?$/i.test(file.path)) return parse(file.text, start, file, 'This is not valid JavaScript')
  return withoutTypes(parse(file.text, start, file, 'This is not valid TypeScript', TypeScriptParser))
}

/**
 * What stands between braces; null for nothing but a comment. `base` is where `code` begins.
 * Nodes have their place in the file: see `placeOf`.
 */
export function parseExpression(code: string, base: Point, file: FileText): Expression | null {
  if (/^\s*(?:$|\/[*/])/.test(code) && isEmpty(code)) return null
  // The parenthesis makes `{…}` an object; the line break ends a `//` comment.
  const program = parse(
    `(${code}\n)`,
    { ...base, column: base.column - 1 },
    file,
    'This expression is not valid JavaScript',
  )
  const [statement] = program.body
  if (program.body.length === 1 && statement?.type === 'ExpressionStatement') return statement.expression
  const place = { path: file.path, line: base.line, column: base.column }
  throw new PageProblem(detailAt(place, 'page-syntax', 'Between braces there must be one expression.', file.text))
}

function isEmpty(code: string): boolean {
  try {
    return (JsxParser.parse(code, options) as Program).body.length === 0
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return false
    throw error
  }
}

/** `...props` of a tag → the argument of the spread. */
export function parseSpread(code: string, base: Point, file: FileText): Expression {
  const expression = parseExpression(`{${code}}`, { ...base, column: base.column - 1 }, file)
  const [property, ...others] = (expression as ObjectExpression).properties
  if (property?.type === 'SpreadElement' && others.length === 0) return property.argument
  const place = { path: file.path, line: base.line, column: base.column }
  throw new PageProblem(detailAt(place, 'page-syntax', 'Only a spread (`{...props}`) can stand here.', file.text))
}
