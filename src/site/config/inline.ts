import type { InlinePart } from '../shell.ts'
import type { Problems } from './problems.ts'
import { link, pick } from './values.ts'

/** No two of its parts match the same text: what is no link is looked at once from each bracket. */
const linkPattern = /!?\[([^\]\n]{0,500})\]\(\s{0,9}([^)\s]{0,2000})(?:\s[^)\n]{0,500})?\)/g

const strongPattern = /(\*\*|__)(?=\S)([^*_\n]{1,500})\1/g

/** A line of Markdown: of that, links and strong words stay; a refused link is an error at the pointer. */
export function inlineOf(content: string, pointer: string, context: { readonly problems: Problems }): InlinePart[] {
  const parts: InlinePart[] = []
  let end = 0
  for (const match of content.matchAll(linkPattern)) {
    const [whole, label = '', target = ''] = match
    parts.push(...words(content.slice(end, match.index)))
    const href = whole.startsWith('!') ? undefined : link(target, pointer, context)
    parts.push({ text: plain(label), ...pick('href', href) })
    end = match.index + whole.length
  }
  parts.push(...words(content.slice(end)))
  return parts.filter(({ text }) => text !== '')
}

function words(markdown: string): InlinePart[] {
  const parts: InlinePart[] = []
  let end = 0
  for (const match of markdown.matchAll(strongPattern)) {
    parts.push({ text: plain(markdown.slice(end, match.index)) }, { text: plain(match[2] ?? ''), strong: true })
    end = match.index + match[0].length
  }
  return [...parts, { text: plain(markdown.slice(end)) }]
}

function plain(markdown: string): string {
  return markdown.replaceAll(/[*_`]{1,3}/g, '').replaceAll(/\s+/g, ' ')
}
