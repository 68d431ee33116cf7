/** @jsxImportSource #html */
import { escapeHtml, raw, type Html } from '../../lib/html.ts'
import { type ComponentContext, type Props, content } from './component.tsx'

/** Longer is no caption; what follows stays as it is written. */
const longestMarkdown = 4_000

/** `code`, [a link](/to), **strong** or __strong__, *emphasis* or _emphasis_. Bounded, so that no text takes long. */
const markdownMark =
  /`([^`]{1,400})`|\[([^[\]]{1,400})\]\(([^()\s]{1,2000})\)|(\*\*|__)(?=\S)(.{1,400}?)(?<=\S)\4|(\*|\b_)(?=\S)([^*_]{1,400})(?<=\S)\6(?!\w)/g

/** A prop that authors write in Markdown, such as a caption; undefined when there is nothing to show. */
export function inlineMarkdown(props: Props, name: string, context: ComponentContext): Html | undefined {
  const value = props.get(name)
  if (typeof value !== 'string') return content(props, name)
  return value.trim() === '' ? undefined : markdownHtml(value.trim(), context)
}

function markdownHtml(source: string, context: ComponentContext): Html {
  let html = ''
  let end = 0
  for (const match of source.slice(0, longestMarkdown).matchAll(markdownMark)) {
    const [whole, code, label, target, , strong, , emphasis] = match
    html += escapeHtml(source.slice(end, match.index))
    if (code !== undefined) html += (<code>{code}</code>).html
    else if (strong !== undefined) html += (<strong>{markdownHtml(strong, context)}</strong>).html
    else if (emphasis !== undefined) html += (<em>{markdownHtml(emphasis, context)}</em>).html
    else html += markdownLink(label ?? '', target ?? '', context).html
    end = match.index + whole.length
  }
  return raw(html + escapeHtml(source.slice(end)))
}

function markdownLink(label: string, target: string, context: ComponentContext): Html {
  const href = context.href(target, 'link')
  const inside = markdownHtml(label, context)
  return href === undefined ? inside : <a href={href}>{inside}</a>
}
