import { nameToEmoji } from 'gemoji'
import type { Dialect } from '../site.ts'
import { iconOf } from './icons.ts'
import { pictureAttributes, pictureTag, themedHtml, themeOf } from './pictures.ts'
import { decodeEntities } from './to-mdx.ts'
import { type Line, literal, outsideCode, outsideFences } from './lines.ts'

export interface Inline {
  readonly dialect: Dialect
  readonly plain: boolean
  /** Words that stand for others: `{{ version }}`. */
  readonly values: Readonly<Record<string, string>>
  /** Extensions of Markdown that the site turns on. */
  readonly extensions?: ReadonlySet<string>
  readonly note: (kind: 'markup', message: string, line: number) => void
  /** As `note`, for what is the same at many places. */
  readonly count: (kind: 'markup', message: string, line: number) => void
  usesComponents: boolean
}

/** Changes what stands in lines outside of code. */
export function convertInline(lines: readonly Line[], context: Inline): Line[] {
  const abbreviations = new Map<string, string>()
  const formulas = context.extensions?.has('pymdownx.arithmatex') === true
  const done = outsideFences(formulas ? lines.map(formulaOf) : lines, ({ text, line }) => {
    const [, short, long] = context.dialect === 'mkdocs' ? (/^\*\[([^\]]+)\]:[ \t]*(.+)$/.exec(text) ?? []) : []
    if (short === undefined || long === undefined) {
      const own = context.dialect === 'mkdocs' ? markedCode(text, context) : text
      return { lines: [{ text: outsideCode(own, (part) => inlineOf(part, line, context)), line }] }
    }
    abbreviations.set(short, long)
    return { lines: [] }
  })
  return abbreviations.size === 0 || context.plain ? done : abbreviate(done, abbreviations)
}

/** `\[` and `\]` on lines of their own, and `\(x\)`, as dollars. */
function formulaOf({ text, line }: Line): Line {
  const own = /^\s*\\[[\]]\s*$/.test(text) ? text.replace(/\\[[\]]/, '$$$$') : text
  return { text: own.replaceAll(/\\\((.+?)\\\)/g, (_match, formula: string) => `$${formula.trim()}$`), line }
}

/** `#!python range()` in code: the language is no part of it. */
const markedCode = (text: string, { extensions }: Inline): string =>
  extensions?.has('pymdownx.inlinehilite') === true
    ? text.replaceAll(/(?<!`)(`+)(?:#!|:::)[\w.+#-]+ (?=[^`])/g, '$1')
    : text

function inlineOf(text: string, line: number, context: Inline): string {
  const { dialect } = context
  const own =
    dialect === 'vitepress'
      ? vitepress(text, line, context)
      : dialect === 'mkdocs'
        ? mkdocs(text, line, context)
        : dialect === 'docusaurus'
          ? docusaurus(text, context)
          : text
  const hasEmoji =
    dialect === 'mkdocs'
      ? context.extensions?.has('pymdownx.emoji')
      : /^(?:docusaurus|vitepress|gitbook)$/.test(dialect)
  return themedHtml(hasEmoji === true ? withEmoji(own) : own)
}

/** `:rocket:` where there is such an emoji. */
const withEmoji = (text: string): string =>
  text.includes(':')
    ? text.replaceAll(
        /(?<![\w:/="'-]):([a-z\d_+-]{1,40}):(?![\w:])/g,
        (match, name: string) => nameToEmoji[name] ?? match,
      )
    : text

/** What pages say of themselves in their text: `{frontMatter.title}`. */
const docusaurus = (text: string, { values }: Inline): string =>
  text.replaceAll(/(?<![=$\\])\{\s*frontMatter\.(\w+)\s*\}/g, (match, name: string) => {
    const value = values[name]
    return value === undefined ? match : value.replaceAll(/[{<]/g, '\\$&')
  })

/** Attributes behind a link, a picture or words: a picture keeps its size and its side, the others are left out. */
function withoutAttributes(text: string): string {
  return text
    .replaceAll(
      /!\[([^\]]*)\]\(([^()\s]+)(?:[ \t]+"([^"]*)")?\)\{:?([^{}]*)\}/g,
      (match, alt: string, source: string, title: string | undefined, attributes: string) => {
        const kept = pictureAttributes(attributes)
        const { bare, theme } = themeOf(source)
        return Object.values(kept).every((value) => value === undefined)
          ? match.slice(0, match.lastIndexOf('{'))
          : pictureTag(bare, { alt, title, ...kept }, theme)
      },
    )
    .replaceAll(/(?<=[)\]`*_}>]|^[ \t]*)\{:?(?![#*!%{+=>~-])[ \t]*[^{}\s][^{}]*\}/g, (match) =>
      /^\{:?[ \t]*(?:[.#][\w-]|[\w-]+=|data-|target)/.test(match) ? '' : match,
    )
}

function vitepress(text: string, line: number, context: Inline): string {
  if (/^\s*\[\[toc\]\]\s*$/i.test(text)) return contents(line, context)
  return withoutAttributes(text)
    .replace(/(?<=\S)[ \t]+\{\.[\w-][^{}]*\}[ \t]*$/, '')
    .replaceAll(/<(\w+)((?:\s[^>]*?)?)\sv-pre(?=[\s>])([^>]*)>(.*?)<\/\1>/g, (match) => literal(match))
    .replaceAll(/\{\{\s*(.+?)\s*\}\}/g, (match, code: string) => {
      const known = context.values[code.replace(/^\$(?:page|frontmatter)\./, '')]
      if (known !== undefined) return known
      context.note('markup', `\`${match}\` is made by code: it stands as it is written.`, line)
      return `\`${match}\``
    })
}

function contents(line: number, context: Inline): string {
  context.count('markup', 'Lists of contents in the text were left out: they stand beside the page.', line)
  return ''
}

function mkdocs(text: string, line: number, context: Inline): string {
  if (/^\s*\[TOC\]\s*$/i.test(text)) return contents(line, context)
  const headed = text.replace(/^(#{1,6} .*?)[ \t]*\{:?[ \t]*(?:[^{}]*?)#([\w.:-]+)[^{}]*\}[ \t]*$/, '$1 {#$2}')
  return withMarks(withoutAttributes(buttons(headed, context)), context)
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

/** `[Begin](start.md){ .md-button }` keeps looking like one. */
function buttons(text: string, context: Inline): string {
  if (context.plain || !text.includes('.md-button')) return text
  const done = text.replaceAll(
    /\[((?:[^[\]]|\[[^\]]*\])+)\]\(([^()\s]+)\)\{:?[^{}]*\.md-button[^{}]*\}/g,
    (_match, label: string, href: string) => {
      context.usesComponents = true
      return `<a class="${buttonClass}" href="${href}">${label}</a>`
    },
  )
  // A tag alone on its line is no paragraph in MDX.
  return /^<a class=.*<\/a>[ \t]*$/.test(done) ? `<p>${done.trim()}</p>` : done
}

/** Of links that were buttons. */
export const buttonClass = 'inline-block rounded-lg border px-4 py-3 font-medium'

/** Marks of CriticMarkup, and raised and lowered words, where the site has them. */
function withMarks(text: string, { extensions }: Inline): string {
  let own = text
  if (extensions?.has('pymdownx.critic') === true)
    own = own
      .replaceAll(/\{--(.+?)--\}/g, '<del>$1</del>')
      .replaceAll(/\{\+\+(.+?)\+\+\}/g, '<ins>$1</ins>')
      .replaceAll(/\{~~(.+?)~>(.+?)~~\}/g, '<del>$1</del><ins>$2</ins>')
      .replaceAll(/\{==(.+?)==\}/g, '<mark>$1</mark>')
      .replaceAll(/\{>>.+?<<\}/g, '')
  if (extensions?.has('pymdownx.tilde') === true)
    own = own.replaceAll(/(?<![~\\])~(?![~\s])([^~\s]+)~(?!~)/g, '<sub>$1</sub>')
  if (extensions?.has('pymdownx.caret') === true)
    own = own.replaceAll(/(?<![\^\\[])\^(?![\^\s])([^^\s[\]]+)\^(?!\^)/g, '<sup>$1</sup>')
  return own
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
