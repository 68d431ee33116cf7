import { attribute, type Blocks } from './callouts.ts'
import { fenceFrom, rangesOf } from './fence.ts'
import { convertTable } from './gitbook-tables.ts'
import { linesOf, outsideFences, textOf, type Line } from './lines.ts'
import { decodeEntities } from './to-mdx.ts'

export interface GitbookHtml {
  /** Where it is told that components are used. */
  readonly blocks: Blocks
  /** Of expressions, by their code: `space.vars.version`. */
  readonly values: Readonly<Record<string, string>>
  /** What the page is called that an address leads to. */
  readonly titleOf: (address: string) => string | undefined
  readonly note: (kind: 'markup', message: string, line: number) => void
}

/** HTML that only GitBook’s pages have, and marks of its own: cards in tables, pictures of themes, icons, mentions. */
export function convertGitbookHtml(lines: readonly Line[], context: GitbookHtml): Line[] {
  return outsideFences(lines, (line, index) => {
    const [, name = ''] = /^\s*<(pre|table)\b/.exec(line.text) ?? []
    const last = name === '' ? -1 : lines.findIndex(({ text }, at) => at >= index && text.includes(`</${name}>`))
    if (last === -1) return { lines: [{ text: inlineOf(line.text, line.line, context), line: line.line }] }
    const html = textOf(lines.slice(index, last + 1))
    if (name === 'pre') return { lines: fenceOfPre(html, line), last }
    const inline = (text: string): string => inlineOf(text, line.line, context)
    const table = convertTable(html, { ...context, inline, line: line.line })
    const indent = /^\s*/.exec(line.text)?.[0] ?? ''
    return {
      lines: linesOf(table).map(({ text }) => ({ text: text === '' ? '' : indent + text, line: line.line })),
      last,
    }
  })
}

/** `<pre class="language-js" data-title="a.js"><code>`, which stands for a code block with marked lines. */
function fenceOfPre(html: string, line: Line): Line[] {
  const [, head = '', code = ''] =
    /^\s*<pre\b([^>]*)>\s*(?:<code[^>]*>)?([\s\S]*?)(?:<\/code>)?\s*<\/pre>/.exec(html) ?? []
  const [, language = ''] = /language-([\w+#-]+)/.exec(head) ?? []
  const [, title] = /data-title="([^"]*)"/.exec(head) ?? []
  const marked = new Set<number>()
  let depth = 0
  const plain = code.split('\n').map((text, index) => {
    const before = depth
    depth += (text.match(/<strong>/g)?.length ?? 0) - (text.match(/<\/strong>/g)?.length ?? 0)
    if (/<strong>\s*\S/.test(text) || (before > 0 && !/^\s*<\/strong>/.test(text))) marked.add(index + 1)
    return decodeEntities(text.replaceAll(/<\/?[a-z][^>]*>/g, ''))
  })
  const info = [
    language || 'text',
    marked.size === 0 ? '' : `{${rangesOf(marked)}}`,
    title === undefined ? '' : `title="${title}"`,
    /data-line-numbers/.test(head) ? 'lines' : '',
    /data-overflow="wrap"/.test(head) ? 'wrap' : '',
    /data-expandable="true"/.test(head) ? 'expandable' : '',
  ]
  return fenceFrom(plain.join('\n'), info.filter(Boolean).join(' '), line)
}

function inlineOf(text: string, line: number, context: GitbookHtml): string {
  if (!/[<"]|\/broken\//.test(text)) return text
  return text
    .split(/((?<!`)`+(?!`)[^`]*(?<!`)`+(?!`))/)
    .map((part, index) => (index % 2 === 1 ? part : outsideCode(part, line, context)))
    .join('')
}

function outsideCode(text: string, line: number, { blocks, values, titleOf, note }: GitbookHtml): string {
  const component = (tag: string, otherwise = ''): string => {
    if (blocks.plain) return otherwise
    blocks.usesComponents = true
    return tag
  }
  const lost = (words: string): string => {
    note('markup', `A link that GitBook had lost itself, “${words}”: its words stay.`, line)
    return words
  }
  return text
    .replaceAll(/\[((?:[^\]\\]|\\.)*)\]\(<?\/broken\/[^)]*\)/g, (_match, words: string) => lost(words))
    .replaceAll(/<a\b[^>]*\shref="\/broken\/[^>]*>([^<]*)<\/a>/g, (_match, words: string) => lost(words))
    .replace(/^(\s*#{1,6}\s.*?)\s*<a href="#[^"]*" id="([\w.:-]+)">\s*<\/a>\s*$/, '$1 {#$2}')
    .replaceAll(/<picture>([^]*?)<\/picture>/g, (_match, inner: string) => pictureOf(inner))
    .replaceAll(/<i class="fa-([\w-]+)"[^>]*>[^<]*<\/i>/g, (_match, name: string) =>
      component(`<Icon${attribute('icon', name)} />`),
    )
    .replaceAll(
      /<span[^>]*\bdata-tag="emoji"[^>]*\bdata-code="([\da-f-]+)"[^>]*>[^<]*<\/span>/g,
      (_match, code: string) =>
        decodeEntities(
          code
            .split('-')
            .map((part) => `&#x${part};`)
            .join(''),
        ),
    )
    .replaceAll(/<code class="expression">([^<]*)<\/code>/g, (match, code: string) => {
      const known = values[code.trim()]
      if (known === undefined)
        note('markup', `The expression \`${code.trim()}\` is made by code: it stands as it is written.`, line)
      return known ?? match.replace(' class="expression"', '')
    })
    .replaceAll(
      /<button\b[^>]*\bdata-action="(\w+)"[^>]*>([^<]*)<\/button>/g,
      (_match, action: string, words: string) => {
        note('markup', `A button that opens GitBook’s \`${action}\`, “${words}”, was left out.`, line)
        return ''
      },
    )
    .replaceAll(
      /<a\b([^>]*)\bclass="button (primary|secondary)"([^>]*)>/g,
      (_match, before: string, kind: string, after: string) =>
        `<a${before}class="px-4 rounded-full${kind === 'primary' ? ' bg-primary' : ''}"${after.replace(/\s*data-icon="[^"]*"/, '')}>`,
    )
    .replaceAll(
      /<a\b([^>]*)\shref="([^"]*)"([^>]*)>([^<]*)<\/a>/g,
      (match, before: string, href: string, after: string, words: string) => {
        const isMention = /\bdata-mention\b/.test(before + after)
        return isMention ? `<a href="${href}">${escaped(titleOf(href) ?? words)}</a>` : match
      },
    )
    .replaceAll(
      /(?<!!)\[((?:[^\]\\]|\\.)*)\]\((<[^>]*>|[^\s)]+) "mention"\)/g,
      (_match, words: string, href: string) => {
        const title = titleOf(href.replaceAll(/^<|>$/g, ''))
        return `[${title === undefined ? words : title.replaceAll(/[[\]\\]/g, '\\$&')}](${href})`
      },
    )
    .replaceAll(/<img([^>]*?)\s+data-size="line"([^>]*?)(\/?)>/g, '<img$1$2 style="height:1.25em"$3>')
    .replaceAll(/<figcaption>(?:<p>\s*<\/p>)?\s*<\/figcaption>/g, '')
    .replaceAll(/<div data-with-frame="true">(.*?)<\/div>/g, (match, inner: string) =>
      component(`<Frame>${inner}</Frame>`, match),
    )
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** One picture for light and one for dark, as the theme that readers choose asks for. */
function pictureOf(inner: string): string {
  const [, rest = ''] = /<img\b([^>]*?)\/?>/.exec(inner) ?? []
  const [source = ''] = /<source\b[^>]*prefers-color-scheme:\s*dark[^>]*>/.exec(inner) ?? []
  const [, dark] = /\bsrcset="([^"]*)"/.exec(source) ?? []
  if (dark === undefined) return `<img${rest}>`
  const other = rest.replace(/\bsrc="[^"]*"/, () => `src="${dark}"`)
  return `<span class="dark:hidden"><img${rest}></span><span class="hidden dark:inline"><img${other}></span>`
}
