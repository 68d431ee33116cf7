import type { Expression, Program } from 'estree-jsx'
import type { ErrorDetail } from '../../contract/common.ts'
import type { CodeMeta } from '../components/component.tsx'
import { highlight } from '../highlight/code.ts'
import { parseFenceMeta } from '../highlight/meta.ts'
import { parseExpression, parseModule, parseScript, parseSpread, type FileText } from './expression.ts'
import { splitSource, type FrontMatter } from './frontmatter.ts'
import {
  childrenOf,
  startOf,
  type Code,
  type MdxAttribute,
  type MdxElement,
  type MdxSpread,
  type Node,
  type Point,
  type Root,
} from './nodes.ts'
import { parsePage } from './parse.ts'
import { detailAt, PageProblem } from './problem.ts'
import { readSource, readText } from './source.ts'

/** A page or snippet, parsed: its tree, and the syntax trees of all code in it. */
export interface Module extends FileText {
  readonly oid: string
  readonly tree: Root
  readonly frontMatter: FrontMatter
  readonly warnings: readonly ErrorDetail[]
  readonly programs: readonly Program[]
  /** Of expression nodes and attributes; null for a comment. */
  readonly expressions: ReadonlyMap<object, Expression | null>
  readonly code: ReadonlyMap<Code, { readonly html: string; readonly meta: CodeMeta }>
  /** Names in `<Snippet file="…">`, with where they stand. */
  readonly snippetFiles: ReadonlyMap<string, Point>
  /** What of it is JavaScript, JSX or TypeScript: all of a script, of a page its imports and exports. */
  readonly script: string
}

/** Whether a file is all code, and no page. */
export function isScript(path: string): boolean {
  return /\.(?:[cm]?[jt]sx?|json)$/i.test(path)
}

interface Collected {
  readonly programs: Program[]
  readonly expressions: Map<object, Expression | null>
  readonly code: Code[]
  readonly snippetFiles: Map<string, Point>
}

/** What stands on a page before the text of its author. */
export type Ahead = (page: {
  readonly frontMatter: FrontMatter
  readonly tree: Root
}) => Promise<readonly Node[] | undefined>

/**
 * Bytes → module. Everything slow or dangerous about a page happens here: parsing and highlighting.
 * @throws PageProblem with all details that are known.
 */
export async function readModule(path: string, oid: string, bytes: Uint8Array, ahead?: Ahead): Promise<Module> {
  if (/\.json$/i.test(path)) return readData(path, oid, readText(path, bytes))
  if (isScript(path)) return readScript(path, oid, readText(path, bytes))
  const text = readSource(path, bytes)
  const { frontMatter, warnings } = splitSource(path, text)
  const file = { path, text }
  const { tree: written, warnings: accepted } = await parsePage(path, text, /\.md$/i.test(path) ? 'md' : 'mdx')
  const before = await ahead?.({ frontMatter, tree: written })
  const tree = before === undefined ? written : { ...written, children: [...before, ...written.children] }
  const found: Collected = { programs: [], expressions: new Map(), code: [], snippetFiles: new Map() }
  const problems = collect(tree, file, found)
  if (problems.length > 0) throw new PageProblem(...problems)
  const code = new Map<Code, { html: string; meta: CodeMeta }>()
  for (const block of found.code) {
    const meta = parseFenceMeta(block.lang ?? '', block.meta ?? '')
    code.set(block, { html: await highlight(block.value, meta), meta })
  }
  return {
    path,
    text,
    oid,
    tree,
    frontMatter,
    warnings: [...warnings.map((warning) => ({ path, ...warning })), ...accepted],
    programs: found.programs,
    expressions: found.expressions,
    code,
    snippetFiles: found.snippetFiles,
    script: tree.children.flatMap((node) => (node.type === 'mdxjsEsm' ? [node.value] : [])).join('\n'),
  }
}

/** JSON, as the module that code imports. */
function readData(path: string, oid: string, text: string): Module {
  try {
    JSON.parse(text)
  } catch (error) {
    const at = /line (\d+) column (\d+)/.exec(String(error))
    const place = { path, line: Number(at?.[1] ?? 1), column: Number(at?.[2] ?? 1) }
    throw new PageProblem(detailAt(place, 'page-syntax', 'This is not valid JSON, which a page imports.', text))
  }
  return readScript(path, oid, `export default (${text})`)
}

function readScript(path: string, oid: string, text: string): Module {
  return {
    path,
    text,
    oid,
    tree: { type: 'root', children: [] },
    frontMatter: { data: Object.create(null) as FrontMatter['data'] },
    warnings: [],
    programs: [parseScript({ path, text })],
    expressions: new Map(),
    code: new Map(),
    snippetFiles: new Map(),
    script: text,
  }
}

function collect(tree: Root, file: FileText, found: Collected): ErrorDetail[] {
  const problems: ErrorDetail[] = []
  const stack: Node[] = [tree]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    try {
      visit(node, file, found)
    } catch (error) {
      if (!(error instanceof PageProblem)) throw error
      problems.push(...error.details)
    }
    for (const child of childrenOf(node).toReversed()) stack.push(child)
  }
  return problems
}

function visit(node: Node, file: FileText, found: Collected): void {
  switch (node.type) {
    case 'mdxjsEsm': {
      found.programs.push(parseModule(node.value, startOf(node), file))
      return
    }
    case 'mdxFlowExpression':
    case 'mdxTextExpression': {
      const { line, column } = startOf(node)
      const expression = parseExpression(node.value, { line, column: column + 1 }, file)
      found.expressions.set(node, expression)
      findSnippets(expression, found, startOf(node))
      return
    }
    case 'mdxJsxFlowElement':
    case 'mdxJsxTextElement':
      for (const attribute of node.attributes) visitAttribute(node, attribute, file, found)
      return
    case 'code':
      found.code.push(node)
      return
    default:
  }
}

function visitAttribute(
  element: MdxElement,
  attribute: MdxAttribute | MdxSpread,
  file: FileText,
  found: Collected,
): void {
  if (attribute.type === 'mdxJsxExpressionAttribute') {
    found.expressions.set(attribute, parseSpread(attribute.value, startOf(element), file))
    return
  }
  const { name, value } = attribute
  if (typeof value === 'string') {
    if (element.name === 'Snippet' && name === 'file') found.snippetFiles.set(value, startOf(element))
    return
  }
  if (value === null || value === undefined) return
  const expression = parseExpression(value.value, pointOfValue(element, name, file), file)
  if (expression === null)
    throw new PageProblem(
      detailAt(
        { path: file.path, ...startOf(element) },
        'page-syntax',
        `The attribute \`${name}\` is empty.`,
        file.text,
      ),
    )
  found.expressions.set(attribute, expression)
  if (element.name === 'Snippet' && name === 'file' && expression.type === 'Literal')
    found.snippetFiles.set(String(expression.value), startOf(element))
  findSnippets(expression, found, startOf(element))
}

/** Where the value of an attribute begins; parsers say it only of the element. */
function pointOfValue(element: MdxElement, name: string, file: FileText): Point {
  const { start, end } = element.position ?? {}
  if (start?.offset === undefined || end?.offset === undefined) return startOf(element)
  const tag = file.text.slice(start.offset, end.offset)
  for (let at = tag.indexOf(name); at !== -1; at = tag.indexOf(name, at + 1)) {
    const equals = /^\s*=\s*\{/.exec(tag.slice(at + name.length, at + name.length + 100))
    if (equals === null || !/[\s"'}]/.test(tag[at - 1] ?? '')) continue
    const before = tag.slice(0, at + name.length + equals[0].length)
    const lines = before.split('\n')
    const last = lines.at(-1) ?? ''
    return {
      line: start.line + lines.length - 1,
      column: lines.length === 1 ? start.column + last.length : last.length + 1,
    }
  }
  return start
}

/** `<Snippet file="…">` inside of an expression. */
function findSnippets(expression: Expression | null, found: Collected, point: Point): void {
  const stack: unknown[] = [expression]
  while (stack.length > 0) {
    const node = stack.pop()
    if (typeof node !== 'object' || node === null) continue
    if (Array.isArray(node)) {
      for (const item of node) stack.push(item)
      continue
    }
    const { type, name, attributes } = node as {
      type?: string
      name?: { name?: unknown }
      attributes?: readonly { name?: { name?: unknown }; value?: { value?: unknown } }[]
    }
    if (type === 'JSXOpeningElement' && name?.name === 'Snippet') {
      const file = attributes?.find((attribute) => attribute.name?.name === 'file')?.value?.value
      if (typeof file === 'string') found.snippetFiles.set(file, point)
    }
    stack.push(...Object.values(node))
  }
}
