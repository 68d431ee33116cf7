import { htmlToJsx, type Told } from './html.ts'
import { applyEdits, endOf, nodesIn, parseTree, startOf, type Edit, type Node } from './tree.ts'

/** Markdown with HTML → MDX that shows the same: braces and brackets escaped, HTML closed, indented code in fences. */
export function toMdx(text: string, told: (message: string, line: number) => void): string {
  const edits: Edit[] = []
  const root = parseTree(text, 'md')
  const strays = strayTags(root)
  for (const node of nodesIn(root)) {
    const edit = editOf(node, text, { told, strays })
    if (edit !== undefined) edits.push(edit)
  }
  return applyEdits(text, edits)
}

interface Telling {
  readonly told: (message: string, line: number) => void
  readonly strays: ReadonlySet<string>
}

/** Tags that HTML does not know and that nothing closes, such as `<name>`: somebody meant the words. */
function strayTags(root: Node): ReadonlySet<string> {
  const open = new Map<string, number>()
  for (const { type, value = '' } of nodesIn(root)) {
    if (type !== 'html') continue
    for (const [, slash, name = '', end] of value.matchAll(/<(\/?)([a-z][\w.:-]*)(?:\s[^>]*?)?(\/?)>/g))
      if (end === '' && !htmlElements.has(name)) open.set(name, (open.get(name) ?? 0) + (slash === '' ? 1 : -1))
  }
  return new Set([...open].filter(([, count]) => count !== 0).map(([name]) => name))
}

const htmlElements = new Set(
  'a abbr address area article aside audio b base bdi bdo blockquote body br button canvas caption center cite code col colgroup data dd del details dfn dialog div dl dt em embed fieldset figcaption figure font footer form h1 h2 h3 h4 h5 h6 head header hr html i iframe img input ins kbd label legend li link main map mark math menu meta meter nav noscript object ol optgroup option output p param picture pre progress q rp rt ruby s samp script section select small source span strike strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr track tt u ul var video wbr path'.split(
    ' ',
  ),
)

function editOf(node: Node, text: string, { told, strays }: Telling): Edit | undefined {
  const [start, end] = [startOf(node), endOf(node)]
  const source = text.slice(start, end)
  const line = node.position?.start.line ?? 1
  const change = (own: string): Edit | undefined => (own === source ? undefined : { start, end, text: own })
  switch (node.type) {
    case 'text':
      return change(escapeText(source, text[start - 1]))
    case 'html': {
      const tell: Told = (message) => told(message, line)
      const [, , name = ''] = /^<(\/?)([a-z][\w.:-]*)[^>]*>$/.exec(source) ?? []
      if (strays.has(name)) return change(`\\${source}`)
      return change(preToFence(source) ?? htmlToJsx(source, tell))
    }
    case 'link':
      return source.startsWith('<') ? change(`[${escapeText(source.slice(1, -1))}](${node.url ?? ''})`) : undefined
    case 'code':
      return /^\s*(?:`{3,}|~{3,})/.test(source) ? undefined : change(fenced(node, text))
    case 'paragraph':
      // At the beginning of a line they would be JavaScript.
      return /^(?:import|export)\b/.test(source) && node.position?.start.column === 1
        ? { start, end: start + 1, text: `&#${source.charCodeAt(0)};` }
        : undefined
    default:
      return undefined
  }
}

function escapeText(source: string, before?: string): string {
  return source.replaceAll(/\\[\s\S]|[{<]/g, (match, at: number) => {
    if (match.length > 1 || (at === 0 && before === '\\')) return match
    return `\\${match}`
  })
}

/** Behind the marks of its list or quote on every line. */
function fenced(node: Node, text: string): string {
  const start = startOf(node)
  const prefix = text.slice(text.lastIndexOf('\n', start - 1) + 1, start).replaceAll(/[^\s>]/g, ' ')
  return ['```', ...(node.value ?? '').split('\n'), '```'].join(`\n${prefix}`)
}

/** `<pre><code>` without tags in it. */
function preToFence(html: string): string | undefined {
  const [, language = '', code] =
    /^<pre[^>]*>\s*<code(?:\s+class="(?:language-)?([\w-]+)")?[^>]*>([^<]*)<\/code>\s*<\/pre>\s*$/.exec(html) ?? []
  if (code === undefined) return undefined
  const plain = decodeEntities(code).replace(/\n$/, '')
  return `\`\`\`${language}\n${plain}\n\`\`\``
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'", nbsp: ' ' }

export function decodeEntities(text: string): string {
  return text.replaceAll(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w+));/gi,
    (match, decimal: string, hex: string, name: string) => {
      if (name !== undefined) return entities[name] ?? match
      const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
      return code > 0x10_ff_ff ? match : String.fromCodePoint(code)
    },
  )
}
