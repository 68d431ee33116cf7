import type { ComponentInfo } from '../contract/components.ts'
import type { Completer, CompletionList } from './language.ts'
import type { Lines, Position } from './lines.ts'
import { fenceLanguages } from './code-languages.ts'
import { componentCompletions, propertyCompletions, valueCompletions } from './component-completion.ts'
import { frontMatterCompletions } from './front-matter-completion.ts'
import { imageCompletions, linkCompletions, type PageIndex, snippetCompletions } from './link-completion.ts'
import { enclosingTag, type OpenTag, openTagAt } from './open-tag.ts'
import { PageParts, type Part } from './page-parts.ts'
import { ranked } from './ranking.ts'

/** Nothing that can be completed is further from the beginning of its line. */
const longestLine = 5_000
/** Lines. */
const longestFrontMatter = 200
/** Properties whose values are addresses. */
const imageProperties = new Set(['src', 'img', 'image'])

/** Completes components, links, images, front matter and fences of a page. */
export class PageCompleter implements Completer {
  readonly #components: () => readonly ComponentInfo[]
  readonly #index: PageIndex

  /** @param components asked at each completion: they may come later than the page */
  constructor(components: () => readonly ComponentInfo[], index: PageIndex) {
    this.#components = components
    this.#index = index
  }

  complete(lines: Lines, at: Position, asked: boolean): CompletionList | undefined {
    if (at.column > longestLine) return undefined
    const list = this.#listAt(lines, at, asked)
    if (list === undefined || list.items.length === 0) return undefined
    // What stands there already, alone, is no suggestion.
    const typed = lines.at(at.line).slice(list.from, at.column)
    return list.items.length === 1 && list.items[0]?.insert === typed ? undefined : list
  }

  #listAt(lines: Lines, at: Position, asked: boolean): CompletionList | undefined {
    const { line, column } = at
    const before = lines.at(line).slice(0, column)
    const list = this.#inText(lines, at, before)
    if (list !== undefined) return partOf(lines, line) === 'text' ? list : undefined
    if (/^\s*(?:```|~~~)/.test(before)) return partOf(lines, line) === 'fence' ? fenceCompletions(before) : undefined
    const isFrontMatter = line < longestFrontMatter && lines.at(0).trim() === '---'
    if (isFrontMatter && partOf(lines, line) === 'frontMatter')
      return before === '' && !asked ? undefined : frontMatterCompletions(before, keysAround(lines, line))
    const tag = openTagAt(lines, at)
    return tag === undefined || partOf(lines, line) !== 'text' ? undefined : this.#inTag(lines, tag, at, asked)
  }

  #inText(lines: Lines, at: Position, before: string): CompletionList | undefined {
    const { column } = at
    const after = lines.at(at.line).slice(column)
    const link = this.#inLink(lines, before, column)
    if (link !== undefined) return link
    const closing = /<\/([\w.]*)$/.exec(before)?.[1]
    if (closing !== undefined) {
      const name = enclosingTag(lines, { line: at.line, column: column - closing.length - 2 })
      if (name === undefined || !name.startsWith(closing)) return undefined
      const item = { label: `</${name}>`, insert: after.startsWith('>') ? name : `${name}>` }
      return { from: column - closing.length, items: [item] }
    }
    const opening = /(?:^|[^\w`<\\])<([A-Za-z][\w.]*)?$/.exec(before)
    if (opening !== null) {
      const typed = opening[1] ?? ''
      const from = column - typed.length
      return componentCompletions(this.#components(), { typed, from, before: before.slice(0, from - 1), after })
    }
    const snippet = /^(?:import|export)\b.{0,500}\bfrom\s+['"]([^'"]{0,500})$/.exec(before)?.[1]
    return snippet === undefined ? undefined : snippetCompletions(this.#index, snippet, column)
  }

  /** In `](…`, `](<…` or `]: …`. */
  #inLink(lines: Lines, before: string, column: number): CompletionList | undefined {
    const [, bang, angled, bare] =
      /(!?)\[[^[\]]{0,500}\](?:\(|(?<=^ {0,3}\[[^[\]]{1,500}\]):\s+)(?:<([^<>]{0,500})|([^()\s<]{0,500}))$/.exec(
        before,
      ) ?? []
    const target = angled ?? bare
    if (target === undefined || /^(?:[a-z]+:|\/\/)/i.test(target)) return undefined
    const list =
      bang === '!' ? imageCompletions(this.#index, target, column) : linkCompletions(this.#index, lines, target, column)
    return angled === undefined ? asDestinations(list) : list
  }

  #inTag(lines: Lines, tag: OpenTag, { line, column }: Position, asked: boolean): CompletionList | undefined {
    const { value } = tag
    if (value !== undefined) {
      if (imageProperties.has(value.property)) return imageCompletions(this.#index, value.typed, column)
      if (value.property === 'href') return linkCompletions(this.#index, lines, value.typed, column)
    }
    const component = this.#components().find(({ name }) => name === tag.name)
    if (component === undefined) return undefined
    if (value !== undefined) return valueCompletions(component, tag, column)
    if (tag.typed === '' && !asked) return undefined
    return propertyCompletions(component, tag, { column, after: lines.at(line).slice(column) })
  }
}

/** What stands bare ends at a space, or at a bracket. */
function asDestinations({ from, items }: CompletionList): CompletionList {
  return {
    from,
    items: items.map((item) => (/[\s()]/.test(item.insert) ? { ...item, insert: `<${item.insert}>` } : item)),
  }
}

/** What the cursor’s line belongs to; `fence`: it may open one. */
function partOf(lines: Lines, line: number): Part | 'fence' {
  const parts = new PageParts()
  for (let at = 0; at < line; at++) parts.next(lines.at(at))
  const isInside = parts.isOpen
  const text = lines.at(line)
  const part = parts.next(text)
  if (isInside) return part
  return /^\s*(?:`{3,}|~{3,})[\w+-]*$/.test(text) ? 'fence' : part
}

function fenceCompletions(before: string): CompletionList | undefined {
  const typed = /^\s*(?:`{3,}|~{3,})([\w+-]*)$/.exec(before)?.[1]
  if (typed === undefined) return undefined
  const items = ranked(fenceLanguages, typed, (name) => name).map((name) => ({ label: name, insert: name }))
  return { from: before.length - typed.length, items }
}

/** Keys of the front matter, but for that of the cursor’s line. */
function keysAround(lines: Lines, line: number): Set<string> {
  const keys = new Set<string>()
  for (let at = 1; at < lines.count && at < longestFrontMatter; at++) {
    const text = lines.at(at)
    if (/^(?:---|\.\.\.)\s*$/.test(text)) break
    const key = /^([A-Za-z]+):/.exec(text)?.[1]
    if (at !== line && key !== undefined) keys.add(key)
  }
  return keys
}
