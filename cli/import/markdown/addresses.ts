import { mapAddresses } from './html.ts'
import { pictureTag, themeOf } from './pictures.ts'
import { endOf, nodesIn, startOf, wordsOf, type Edit, type Node } from './tree.ts'

export interface LinkContext {
  /** An address as the new site has it. */
  readonly link: (address: string) => string
  /** The id that the framework gave a heading; undefined where that is the same here. */
  readonly anchor: (words: string) => string | undefined
  /** Is told of an address that no page may have, which only a plugin understood. */
  readonly refused: (address: string) => void
  /** HTML as the page may have it. */
  readonly html?: (html: string, line: number) => string
}

/** What pages may lead to; others are names of plugins. */
const allowed = /^(?:https?|mailto|tel|ftp|data|blob|javascript|sms|callto|vscode|irc|xmpp|magnet):/i

/** Addresses of links and pictures in Markdown and HTML, and ids of headings, as the new site has them. */
export function markdownEdits(root: Node, text: string, { link, anchor, refused, html }: LinkContext): Edit[] {
  const edits: Edit[] = []
  for (const node of nodesIn(root)) {
    const [start, end] = [startOf(node), endOf(node)]
    const source = text.slice(start, end)
    if (node.type === 'link' || node.type === 'image' || node.type === 'definition') {
      const isStrange =
        /^[a-z][\w+.-]+:/i.test(node.url ?? '') && !allowed.test(node.url ?? '') && link(node.url ?? '') === node.url
      if (isStrange) refused(node.url ?? '')
      const { bare, theme } = node.type === 'image' ? themeOf(node.url ?? '') : { bare: '' }
      if (theme !== undefined) {
        edits.push({ start, end, text: pictureTag(link(bare), { alt: node.alt ?? '' }, theme) })
        continue
      }
      const edit = isStrange && node.type === 'link' ? wordsEdit(node, text) : destinationEdit(node, text, link)
      if (edit !== undefined) edits.push(edit)
    } else if (node.type === 'html') {
      const own = html?.(source, node.position?.start.line ?? 1) ?? source
      const changed = mapAddresses(own, link)
      if (changed !== source) edits.push({ start, end, text: changed })
    } else if (node.type === 'heading') {
      const line = text.slice(start, text.indexOf('\n', start) === -1 ? undefined : text.indexOf('\n', start))
      const given = /\{#[^}]+\}\s*$/.test(line)
      const id = given ? undefined : anchor(wordsOf(node))
      if (id !== undefined && line.startsWith('#'))
        edits.push({ start: start + line.trimEnd().length, end: start + line.trimEnd().length, text: ` {#${id}}` })
    }
  }
  return edits
}

/** A link without its address. */
function wordsEdit(node: Node, text: string): Edit {
  const [first, last] = [node.children?.[0], node.children?.at(-1)]
  return {
    start: startOf(node),
    end: endOf(node),
    text: first === undefined ? '' : text.slice(startOf(first), endOf(last)),
  }
}

function destinationEdit(node: Node, text: string, link: (address: string) => string): Edit | undefined {
  const url = node.url ?? ''
  const resolved = link(url)
  if (resolved === url) return undefined
  const from = node.type === 'link' ? endOf(node.children?.at(-1)) || startOf(node) : startOf(node)
  const source = text.slice(from, endOf(node))
  const open =
    node.type === 'definition' ? source.indexOf(']:') + 2 : source.lastIndexOf('](') === -1 ? -1 : destinationAt(source)
  if (open < 2) return undefined
  const [, blanks = '', own = ''] = /^(\s*)(<[^>\n]*>|(?:[^\s()]|\([^\s()]*\))+)/.exec(source.slice(open)) ?? []
  if (own === '') return undefined
  const start = from + open + blanks.length
  return { start, end: start + own.length, text: resolved }
}

/** Behind the first `](` whose bracket is not escaped: a title in quotes may hold another. */
function destinationAt(source: string): number {
  const at = source.search(/(?<!\\)\]\(/)
  return at === -1 ? -1 : at + 2
}
