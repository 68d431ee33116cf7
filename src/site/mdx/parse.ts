import remarkFrontmatter from 'remark-frontmatter'
import remarkGfm from 'remark-gfm'
import remarkMath from 'remark-math'
import rehypeRaw from 'rehype-raw'
import { createProcessor } from '@mdx-js/mdx'
import type { Root as HastRoot } from 'hast'
import { markdownToMdast, mdxToMdast } from 'satteri'
import { VFile } from 'vfile'
import type { ErrorDetail } from '../../contract/common.ts'
import { evenAsides, hasAsides, readAsides } from './asides.ts'
import { detailAt, PageProblem, type SourceLocation } from './problem.ts'
import { childrenOf, type Node, type Root } from './nodes.ts'
import { proseAsModule, repair, type Complaint, type Repaired } from './repairs.ts'

export type Format = 'mdx' | 'md'

/** Elements, quotes and lists in each other, as the renderer will meet them: it recurses. */
const maxDepth = 160
/** Places of a page that are told, of those that MDX refuses. */
const maxTold = 20

type Processor = ReturnType<typeof createProcessor>
type Handlers = NonNullable<
  NonNullable<NonNullable<Parameters<typeof createProcessor>[0]>['remarkRehypeOptions']>['handlers']
>

const ownNodes = ['code', 'math', 'inlineMath']
const handlers: Handlers = Object.fromEntries(
  ownNodes.map((type) => [type, (_state: unknown, node: unknown) => node]),
) as Handlers
const features = { gfm: true, frontmatter: true, math: true, headingAttributes: true } as const

/** Takes the tree where it is HTML: what follows in @mdx-js/mdx makes JavaScript of it, which nobody here needs. */
function keepTree() {
  return (tree: unknown, file: { data: Record<string, unknown> }): unknown => {
    file.data['tree'] = tree
    return { type: 'root', children: [] }
  }
}

/** Raw HTML → elements, where a page has any: it is a parse of the whole page. */
function readRaw() {
  const read = rehypeRaw({ passThrough: [...ownNodes, 'mdxJsxFlowElement'] })
  return (tree: HastRoot, file: VFile): HastRoot => (hasRaw(tree as Node) ? read(tree, file) : tree)
}

function hasRaw(node: Node): boolean {
  return node.type === 'raw' || childrenOf(node).some(hasRaw)
}

/**
 * The pipeline of @mdx-js/mdx with the native parser in the place of its own: the same tree, twenty times as fast.
 * The parser is set after `freeze`, because freezing attaches remark-parse.
 */
function hybrid(format: Format): Processor {
  const processor = createProcessor({
    format,
    remarkRehypeOptions: { passThrough: ownNodes as never[], handlers },
    rehypePlugins: [...(format === 'md' ? [readRaw] : []), keepTree],
  })
  processor.freeze()
  processor.parser = (text) => {
    const options = { features: hasAsides(text) ? { ...features, directive: true } : features }
    const tree = format === 'mdx' ? mdxToMdast(text, options) : markdownToMdast(text, options)
    readAsides(tree, text)
    return tree as never
  }
  return processor
}

/** The whole of @mdx-js/mdx, for its error messages. */
function pure(format: Format): Processor {
  return createProcessor({
    format,
    remarkPlugins: [remarkFrontmatter, remarkGfm, remarkMath],
    remarkRehypeOptions: { passThrough: ownNodes as never[], handlers },
    rehypePlugins: [keepTree],
  })
}

const processors = new Map<string, Processor>()

function processorOf(kind: typeof hybrid | typeof pure, format: Format): Processor {
  const key = `${kind.name} ${format}`
  const known = processors.get(key) ?? kind(format)
  processors.set(key, known)
  return known
}

/** A page as a tree. */
export interface ParsedPage {
  readonly tree: Root
  /** Of what MDX refuses and was read all the same. */
  readonly warnings: readonly ErrorDetail[]
}

/** Text of a page → tree. @throws PageProblem with line, column and frame where the text is not valid MDX. */
export async function parsePage(path: string, text: string, format: Format): Promise<ParsedPage> {
  const page = { path, text, format }
  const { tree, error, complaint, source } = await attempt(text, format)
  const repaired = complaint === undefined || format === 'md' ? undefined : repair(text, complaintOf, complaint)
  if (repaired === undefined) {
    const root = tree ?? (await reparse(page, source, undefined, error))
    checkDepth(path, root)
    return { tree: root, warnings: [] }
  }
  const again = await attempt(repaired.text, format)
  const root = again.tree ?? (await reparse(page, again.source, repaired, again.error))
  checkDepth(path, root)
  repaired.restore(root)
  return { tree: root, warnings: warningsOf(path, repaired) }
}

/** A page, and the text of it that its author wrote. */
interface PageText {
  readonly path: string
  readonly text: string
  readonly format: Format
}

interface Attempt {
  readonly tree?: Root
  readonly error?: Error
  /** What might be mended. */
  readonly complaint?: Complaint | undefined
  /** For the parser that tells of errors. */
  readonly source: string
}

async function attempt(text: string, format: Format): Promise<Attempt> {
  const { even, source } = prepared(text, format)
  // What is shown of it is as it was written.
  const shown = source === even ? text : source
  try {
    const tree = await run(processorOf(hybrid, format), source)
    const complaint = proseAsModule(tree)
    return { tree: source === even ? tree : restoreDollars(tree), complaint, source: shown }
  } catch (error) {
    if (error instanceof PageProblem || !(error instanceof Error)) throw error
    return { error, complaint: complaintIn(error, text), source: shown }
  }
}

/** Texts for the parser, in which nothing has moved. */
function prepared(text: string, format: Format): { readonly even: string; readonly source: string } {
  const even = hasAsides(text) ? evenAsides(text) : text
  return { even, source: literalDollars(even, (candidate) => tryParse(candidate, format)) }
}

/** What the native parser has to say of a text; undefined where it is MDX. */
function complaintOf(text: string): Complaint | undefined {
  try {
    return proseAsModule(processorOf(hybrid, 'mdx').parse(prepared(text, 'mdx').source) as unknown as Node)
  } catch (error) {
    if (error instanceof Error) return complaintIn(error, text)
    throw error
  }
}

function complaintIn({ message }: Error, text: string): Complaint | undefined {
  const place = /^(\d+):(\d+): /.exec(message)
  return place === null ? undefined : { offset: offsetOf(text, Number(place[1]), Number(place[2])), message }
}

function offsetOf(text: string, line: number, column: number): number {
  let start = 0
  for (let index = 1; index < line; index++) start = text.indexOf('\n', start) + 1
  return start + column - 1
}

/** One warning of a kind: the first place speaks for all. */
function warningsOf(path: string, { repairs, pointOf }: Repaired): readonly ErrorDetail[] {
  const first = new Map<string, ErrorDetail>()
  for (const { offset, rule, message, hint } of repairs)
    if (!first.has(message)) first.set(message, { path, ...pointOf(offset), rule, message, hint })
  const told = [...first.values()]
  const more = told.length - maxTold
  if (more <= 0) return told
  const rest = { path, rule: 'syntax-accepted', message: `… and ${more} more that MDX refuses.`, more }
  return [...told.slice(0, maxTold), rest]
}

function tryParse(text: string, format: Format): Node | undefined {
  try {
    return processorOf(hybrid, format).parse(text) as unknown as Node
  } catch (error) {
    if (error instanceof Error) return undefined
    throw error
  }
}

async function run(pipeline: Processor, text: string): Promise<Root> {
  const file = new VFile(text)
  await pipeline.run(pipeline.parse(file) as never, file)
  return file.data['tree'] as Root
}

/** The message of @mdx-js/mdx for text that the native parser refused; its tree where it is more lenient. */
async function reparse(
  page: PageText,
  text: string,
  repaired: Repaired | undefined,
  native: Error | undefined,
): Promise<Root> {
  // It does not know `## Heading {#id}`; blanks keep all columns.
  const plain = text.replaceAll(
    /^( {0,3}#{1,6}[ \t].*?)(\\?\{#[\w.:-]+\})[ \t]*$/gm,
    (_match, head: string, id: string) => head + ' '.repeat(id.length),
  )
  try {
    return await run(processorOf(pure, page.format), plain)
  } catch (error) {
    const { reason, line, column, message } = error as Error & { reason?: string; line?: number; column?: number }
    const own = /^(\d+):(\d+): /.exec(native?.message ?? '')
    const found = { line: line ?? Number(own?.[1] ?? 1), column: column ?? Number(own?.[2] ?? 1) }
    const place = {
      path: page.path,
      ...(repaired?.pointOf(repaired.original(offsetOf(text, found.line, found.column))) ?? found),
    }
    throw new PageProblem(
      detailAt(place, 'page-syntax', explain(withWholeCharacter(reason ?? message, page.text, place)), page.text),
    )
  }
}

/** The parser reads UTF-16 units: of an emoji it names one half. */
function withWholeCharacter(reason: string, text: string, { line, column }: SourceLocation): string {
  return reason.replace(/`[\uD800-\uDBFF]` \(U\+[\dA-F]+\)/, (half) => {
    const code = text.split(/\r?\n/, line)[line - 1]?.codePointAt(column - 1)
    return code === undefined ? half : `\`${String.fromCodePoint(code)}\` (U+${code.toString(16).toUpperCase()})`
  })
}

/** The parser’s words, and what to do where newcomers stumble. */
function explain(reason: string): string {
  if (reason.includes('`!` (U+0021) before name'))
    return 'HTML comments are not MDX: write `{/* … */}` instead of `<!-- … -->`.'
  const tag = explainTag(reason)
  if (tag !== undefined) return tag
  if (reason.includes('before name')) return `${reason}. Write \`\\<\` or \`&lt;\` for the character itself.`
  if (reason.includes('acorn')) return `${reason.replace(/ with acorn/, '')}. Write \`\\{\` for a brace itself.`
  return reason.endsWith('.') ? reason : `${reason}.`
}

/** Of a tag that is being written, or is none: the parser lists what its grammar would allow next. */
function explainTag(reason: string): string | undefined {
  const [, end, character, place = ''] =
    /^Unexpected (?:(end of file)|character `([^`]+)` \(U\+[\dA-F]+\)) (?:in|before|after) ([a-z ]+)/.exec(reason) ?? []
  if (!/name|attribute|tag|self-closing/.test(place) || reason.includes('before name')) return undefined
  if (place === 'attribute value')
    return end === undefined || reason.includes('can start an attribute value')
      ? 'An attribute has no value behind its `=`: write one in quotes, such as `title="…"`.'
      : 'The value of an attribute is not closed: its quote or brace is missing.'
  if (end !== undefined) return 'The tag is not finished: it ends with `>`, or with `/>` where nothing stands in it.'
  return `A tag cannot have \`${character}\` there. Write \`\\<\` or \`&lt;\` where no tag is meant.`
}

/** Iterative, so that it cannot itself run out of stack. */
function checkDepth(path: string, root: Root): void {
  let level: readonly Node[] = [root]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) {
      const line = level[0]?.position?.start.line
      throw new PageProblem({
        path,
        ...(line === undefined ? {} : { line }),
        rule: 'page-limit',
        message: `The page nests more than ${maxDepth} levels deep.`,
      })
    }
    level = level.flatMap(childrenOf)
  }
}

/** Stands for a dollar that is no math while the parser looks; one UTF-16 unit, so that no position moves. */
const placeholder = '\uE024'
const rounds = 8

/**
 * Prose has prices: “$5 and $6” is no formula. As in Pandoc, a single `$` opens math only before a character that is not
 * blank and closes it only after one and not before a digit. The parser knows no such rule, so dollars that it took by
 * mistake are hidden from it, and it looks again.
 * @param parse Parses to mdast; undefined where the text is not valid.
 * @returns The text with a placeholder for each dollar that means itself.
 */
function literalDollars(text: string, parse: (text: string) => Node | undefined): string {
  if (!text.includes('$')) return text
  let current = text
  for (let round = 0; round < rounds; round++) {
    const tree = parse(current)
    if (tree === undefined) return current
    const mistaken = [...mathIn(tree)].filter((node) => isProse(node, current))
    if (mistaken.length === 0) return current
    const characters = current.split('')
    for (const node of mistaken) characters[node.position?.start.offset ?? -1] = placeholder
    current = characters.join('')
  }
  return current
}

function* mathIn(tree: Node): Generator<Node> {
  const stack: Node[] = [tree]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node.type === 'inlineMath') yield node
    for (const child of childrenOf(node)) stack.push(child)
  }
}

function isProse(node: Node, text: string): boolean {
  const start = node.position?.start.offset
  const end = node.position?.end.offset
  if (start === undefined || end === undefined || text[start] !== '$' || text[start + 1] === '$') return false
  const inner = text.slice(start + 1, end - 1)
  return /^\s|\s$|\n\s*\n/.test(inner) || /\d/.test(text[end] ?? '')
}

/** Puts the dollars back, wherever text may have ended up. */
function restoreDollars(root: Root): Root {
  const restore = (value: unknown): unknown => {
    if (typeof value === 'string') return value.includes(placeholder) ? value.replaceAll(placeholder, '$') : value
    if (typeof value !== 'object' || value === null) return value
    for (const [key, item] of Object.entries(value)) {
      const restored = key === 'position' ? item : restore(item)
      if (restored !== item) (value as Record<string, unknown>)[key] = restored
    }
    return value
  }
  return restore(root) as Root
}
