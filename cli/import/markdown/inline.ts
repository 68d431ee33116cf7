import type { Dialect } from '../site.ts'
import { iconOf } from './icons.ts'
import { decodeEntities } from './to-mdx.ts'
import { type Line, outsideFences } from './lines.ts'

export interface Inline {
  readonly dialect: Dialect
  readonly plain: boolean
  /** Words that stand for others: `{{ version }}`. */
  readonly values: Readonly<Record<string, string>>
  readonly note: (kind: 'markup', message: string, line: number) => void
  usesComponents: boolean
}

/** Changes what stands in lines outside of code. */
export function convertInline(lines: readonly Line[], context: Inline): Line[] {
  const abbreviations = new Map<string, string>()
  const done = outsideFences(lines, ({ text, line }) => {
    const [, short, long] = context.dialect === 'mkdocs' ? (/^\*\[([^\]]+)\]:[ \t]*(.+)$/.exec(text) ?? []) : []
    if (short === undefined || long === undefined)
      return { lines: [{ text: outsideCode(text, (part) => inlineOf(part, line, context)), line }] }
    abbreviations.set(short, long)
    return { lines: [] }
  })
  return abbreviations.size === 0 || context.plain ? done : abbreviate(done, abbreviations)
}

function outsideCode(text: string, change: (text: string) => string): string {
  return text
    .split(/((?<!`)`+(?!`)[^`]*(?<!`)`+(?!`)|<!--.*?-->)/)
    .map((part, index) => (index % 2 === 1 ? part : change(part)))
    .join('')
}

function inlineOf(text: string, line: number, context: Inline): string {
  const { dialect } = context
  if (dialect === 'vitepress') return vitepress(text, line, context)
  if (dialect === 'mkdocs') return mkdocs(text, line, context)
  // Its comments are HTML's.
  return text
}

function vitepress(text: string, line: number, context: Inline): string {
  if (/^\s*\[\[toc\]\]\s*$/i.test(text)) return ''
  return text.replaceAll(/\{\{\s*(.+?)\s*\}\}/g, (match, code: string) => {
    const known = context.values[code.replace(/^\$(?:page|frontmatter)\./, '')]
    if (known !== undefined) return known
    context.note('markup', `\`${match}\` is made by code: it stands as it is written.`, line)
    return `\`${match}\``
  })
}

function mkdocs(text: string, line: number, context: Inline): string {
  if (/^\s*\[TOC\]\s*$/i.test(text)) return ''
  return text
    .replace(/^(#{1,6} .*?)[ \t]*\{:?[ \t]*(?:[^{}]*?)#([\w.:-]+)[^{}]*\}[ \t]*$/, '$1 {#$2}')
    .replaceAll(/(?<=[)\]`*_}>]|^[ \t]*)\{:?(?![#*!%{])[ \t]*[^{}\s][^{}]*\}/g, (match) =>
      /^\{:?[ \t]*(?:[.#][\w-]|[\w-]+=|data-|target)/.test(match) ? '' : match,
    )
    .replaceAll(/^(#{1,6} .*?)[ \t]*\{:?[ \t]*\.[^{}]*\}[ \t]*$/g, '$1')
    .replaceAll(/\+\+([\w"' -]+(?:\+[\w"' -]+)*)\+\+/g, (_match, keys: string) =>
      keys
        .split('+')
        .map((key) => `<kbd>${titleOf(key.trim().replaceAll('"', ''))}</kbd>`)
        .join('+'),
    )
    .replaceAll(/(?<![=\w])==(?=[^\s=])([^=]+?)(?<=\S)==(?![=\w])/g, '<mark>$1</mark>')
    .replaceAll(/\^\^(?=\S)([^^]+?)(?<=\S)\^\^/g, '<ins>$1</ins>')
    .replaceAll(
      /(?<![\w:]):((?:material|octicons|simple|fontawesome)-[\w-]+):(?:\{[^{}]*\})?/g,
      (_match, name: string) => {
        if (context.plain) return ''
        context.usesComponents = true
        return `<Icon icon="${iconOf(name)}" />`
      },
    )
    .replaceAll(/\{\{\s*([\w.]+)\s*\}\}/g, (match, name: string) => {
      const known = context.values[name]
      if (known === undefined) context.note('markup', `\`${match}\` is a macro: it stands as it is written.`, line)
      return known ?? `\`${match}\``
    })
}

const titleOf = (key: string): string => key.charAt(0).toUpperCase() + key.slice(1)

/** Explains the words that `*[HTML]: …` lines explain, wherever they stand in running text. */
function abbreviate(lines: readonly Line[], abbreviations: ReadonlyMap<string, string>): Line[] {
  const words = [...abbreviations.keys()].map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const pattern = new RegExp(`(?<![\\w-])(${words.join('|')})(?![\\w-])`, 'g')
  const explained = (text: string): string =>
    text
      .split(/(\]\([^)]*\)|<[^>]*>|\[[^\]]*\])/)
      .map((part, at) =>
        at % 2 === 1
          ? part
          : part.replaceAll(
              pattern,
              (word) => `<abbr title="${(abbreviations.get(word) ?? '').replaceAll('"', '&quot;')}">${word}</abbr>`,
            ),
      )
      .join('')
  return outsideFences(lines, (line) => {
    // Neither in headings, whose ids they would change, nor in addresses and tags.
    const isText = !/^\s*(?:#|\||<)/.test(line.text)
    return { lines: [isText ? { text: outsideCode(line.text, explained), line: line.line } : line] }
  })
}

/** Output of a terminal that a script of the page would have coloured: `<div class="termy">` around a code block. */
export function plainTerminals(lines: readonly Line[]): Line[] {
  const done: Line[] = []
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] as Line
    if (!/^\s*<div class="termy"[^>]*>\s*$/.test(line.text)) {
      done.push(line)
      continue
    }
    const end = lines.findIndex(({ text }, at) => at > index && /^\s*<\/div>\s*$/.test(text))
    if (end === -1) {
      done.push(line)
      continue
    }
    for (const { text, line: at } of lines.slice(index + 1, end))
      done.push({ text: decodeEntities(text.replaceAll(/<\/?(?:font|span|b|i|u|em|strong)\b[^>]*>/g, '')), line: at })
    index = end
  }
  return done
}
