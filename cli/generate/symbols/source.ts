import type { Node } from 'web-tree-sitter'
import type { ExportedSymbol, SymbolKind } from './symbol.ts'

/** What is read of a file at most. */
export const symbolLimits = { symbols: 5_000, depth: 5, parseMs: 1_000, readMs: 500, signature: 1_000, doc: 4_000 }

const commentTypes = new Set(['comment', 'line_comment', 'block_comment'])

export interface Described {
  readonly name: string
  readonly kind: SymbolKind
  readonly signature: string
  readonly doc?: string | undefined
  readonly exportedAs?: string | undefined
  readonly members?: readonly ExportedSymbol[] | undefined
}

/** What a file of any language says. */
export interface ModuleContents {
  readonly doc?: string | undefined
  readonly symbols: readonly ExportedSymbol[]
  readonly reexports: readonly string[]
  /** As they are written. */
  readonly imports: readonly string[]
}

/** A parsed file that is read within limits. */
export class Source {
  readonly text: string
  readonly root: Node
  /** Whether something was left out for the limits. */
  truncated = false
  readonly #deadline = performance.now() + symbolLimits.readMs
  #left = symbolLimits.symbols

  constructor(text: string, root: Node) {
    this.text = text
    this.root = root
  }

  textOf(node: Node): string {
    return this.text.slice(node.startIndex, node.endIndex)
  }

  /** Whether there is room and time for another symbol, which is counted. */
  takes(): boolean {
    if (this.#left > 0 && performance.now() < this.#deadline) {
      this.#left -= 1
      return true
    }
    this.truncated = true
    return false
  }

  symbol(node: Node, { name, kind, signature, doc, exportedAs, members }: Described): ExportedSymbol {
    return {
      name,
      ...(exportedAs === undefined || exportedAs === name ? {} : { exportedAs }),
      kind,
      signature: shorten(signature, symbolLimits.signature),
      ...(doc === undefined || doc === '' ? {} : { doc: shorten(doc, symbolLimits.doc) }),
      line: node.startPosition.row + 1,
      endLine: node.endPosition.row + 1,
      ...(members === undefined || members.length === 0 ? {} : { members }),
    }
  }

  /** A declaration up to its body, in one line and without comments. */
  header(node: Node, body?: Node | null, adapt: (text: string) => string = (text) => text): string {
    const end = body?.startIndex ?? node.endIndex
    // What is longer is cut off anyway, and a table of data need not be read for it.
    const text = this.text.slice(node.startIndex, Math.min(end, node.startIndex + 4 * symbolLimits.signature))
    return oneLine(adapt(/\/[/*]|#/.test(text) ? this.#withoutComments(node, node.startIndex + text.length) : text))
  }

  #withoutComments(node: Node, end: number): string {
    let text = ''
    let read = node.startIndex
    const comments: { readonly startIndex: number; readonly endIndex: number }[] = []
    const collect = (at: Node, depth: number): void => {
      if (depth > 20) return
      for (const child of at.children) {
        if (child.startIndex >= end || comments.length > 100) return
        if (commentTypes.has(child.type)) comments.push(child)
        else if (child.childCount > 0 && child.endIndex - child.startIndex > 2) collect(child, depth + 1)
      }
    }
    collect(node, 0)
    for (const comment of comments) {
      text += `${this.text.slice(read, comment.startIndex)} `
      read = comment.endIndex
    }
    return text + this.text.slice(read, Math.max(read, end))
  }
}

export const isComment = (node: Node): boolean => commentTypes.has(node.type)

function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

export function oneLine(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/([([]) /g, '$1')
    .replace(/,? ([)\]])/g, '$1')
    .trim()
    .replace(/ ?(?:[{;:,]|=>?)$/, '')
    .trim()
}

/** The text of a comment between its marks. */
export function commentText(text: string): string {
  if (text.startsWith('/*'))
    return clean(
      text
        .slice(2, -2)
        .split('\n')
        .map((line, index) => (index === 0 ? line.replace(/^[*!]/, '') : line))
        .map((line) => line.replace(/^\s*\*? ?/, '')),
    )
  return clean(text.split('\n').map((line) => line.replace(/^\s*(?:\/\/[/!]?|#) ?/, '')))
}

/** Lines without what they are indented by in common, and without empty ones around them. */
export function clean(lines: readonly string[]): string {
  const trimmed = lines.map((line) => line.trimEnd())
  const margins = trimmed.slice(1).flatMap((line) => (line === '' ? [] : [/^\s*/.exec(line)?.[0].length ?? 0]))
  const margin = margins.length === 0 ? 0 : Math.min(...margins.slice(0, 10_000))
  return trimmed
    .map((line, index) => (index === 0 ? line.trim() : line.slice(margin)))
    .join('\n')
    .replace(/^\n+/, '')
    .trimEnd()
}
