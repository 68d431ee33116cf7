import { childrenOf, type Node, type Root } from './nodes.ts'

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
export function literalDollars(text: string, parse: (text: string) => Node | undefined): string {
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
export function restoreDollars(root: Root): Root {
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
