import { createProcessor } from '@mdx-js/mdx'
import type { Program } from 'estree-jsx'
import remarkGfm from 'remark-gfm'
import remarkMath from 'remark-math'

/** A node of a page’s tree, with where it stands. */
export interface Node {
  readonly type: string
  readonly value?: string
  readonly url?: string
  readonly name?: string | null
  readonly depth?: number
  readonly alt?: string | null
  readonly attributes?: readonly Attribute[]
  readonly children?: readonly Node[]
  /** Of imports and exports: what a parser of JavaScript made of them, with places in the page. */
  readonly data?: { readonly estree?: { readonly body: readonly (Program['body'][number] & Required<Span>)[] } }
  readonly position?: { readonly start: Place; readonly end: Place }
}

interface Span {
  readonly start?: number
  readonly end?: number
}

interface Place {
  readonly line: number
  readonly column: number
  readonly offset?: number
}

export interface Attribute {
  readonly type: 'mdxJsxAttribute' | 'mdxJsxExpressionAttribute'
  readonly name?: string
  readonly value?: string | null | { readonly value: string }
}

const maths = [remarkMath, { singleDollarTextMath: true }]
const processorsWith = (remarkPlugins: readonly unknown[]) => ({
  md: createProcessor({ format: 'md', remarkPlugins: remarkPlugins as never }),
  mdx: createProcessor({ format: 'mdx', remarkPlugins: remarkPlugins as never }),
})
// A parser looks for each kind of mark at each character.
const [plain, mathematical] = [processorsWith([remarkGfm]), processorsWith([remarkGfm, maths])]

/** `## Heading {#id}`: a parser of MDX would take it for an expression; blanks keep all places. */
const headingId = /^([ >]*#{1,6}[ \t].*?)(\\?\{#[^{}\s]+\})[ \t]*$/gm

/** @throws Error with `line` and `reason` where the text is no MDX. */
export function parseTree(text: string, format: 'md' | 'mdx'): Node {
  const own = text.replaceAll(headingId, (_match, head: string, id: string) => head + ' '.repeat(id.length))
  return (own.includes('$') ? mathematical : plain)[format].parse(own) as Node
}

/** A text in the place of another one. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Of edits that overlap, the first one that begins is made. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const inOrder = [...edits].sort((one, other) => one.start - other.start || other.end - one.end)
  let done = ''
  let at = 0
  for (const { start, end, text: own } of inOrder) {
    if (start < at) continue
    done += text.slice(at, start) + own
    at = end
  }
  return done + text.slice(at)
}

export function* nodesIn(root: Node): Generator<Node> {
  const stack: Node[] = [root]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    yield node
    for (const child of (node.children ?? []).toReversed()) stack.push(child)
  }
}

export const startOf = (node: Node | undefined): number => node?.position?.start.offset ?? 0
export const endOf = (node: Node | undefined): number => node?.position?.end.offset ?? 0

/** The words of a node, without marks. */
export function wordsOf(node: Node): string {
  if (node.value !== undefined && node.type !== 'html' && !node.type.startsWith('mdx')) return node.value
  if (node.type === 'image') return node.alt ?? ''
  return (node.children ?? []).map(wordsOf).join('')
}
