import { attributes, escapeHtml } from '../html.ts'
import { Markup } from './component.ts'
import type { ComponentContext, Props } from './component.ts'
import { content } from './props.ts'

/** Longer is no caption; what follows stays as it is written. */
const LONGEST = 4_000

/** `code`, [a link](/to), **strong** or __strong__, *emphasis* or _emphasis_. Bounded, so that no text takes long. */
const MARK =
  /`([^`]{1,400})`|\[([^[\]]{1,400})\]\(([^()\s]{1,2000})\)|(\*\*|__)(?=\S)(.{1,400}?)(?<=\S)\4|(\*|\b_)(?=\S)([^*_]{1,400})(?<=\S)\6(?!\w)/g

/** A prop that authors write in Markdown, such as a caption, as HTML; undefined when there is nothing to show. */
export function words(props: Props, name: string, context: ComponentContext): string | undefined {
  const value = props.get(name)
  if (value instanceof Markup || typeof value !== 'string') return content(props, name)
  return value.trim() === '' ? undefined : inlineHtml(value.trim(), context)
}

function inlineHtml(text: string, context: ComponentContext): string {
  let html = ''
  let end = 0
  for (const match of text.slice(0, LONGEST).matchAll(MARK)) {
    const [whole, code, label, target, , strong, , emphasis] = match
    html += escapeHtml(text.slice(end, match.index))
    if (code !== undefined) html += `<code>${escapeHtml(code)}</code>`
    else if (strong !== undefined) html += `<strong>${inlineHtml(strong, context)}</strong>`
    else if (emphasis !== undefined) html += `<em>${inlineHtml(emphasis, context)}</em>`
    else html += link(label ?? '', target ?? '', context)
    end = match.index + whole.length
  }
  return html + escapeHtml(text.slice(end))
}

function link(label: string, target: string, context: ComponentContext): string {
  const href = context.href(target, 'link')
  const inner = inlineHtml(label, context)
  return href === undefined ? inner : `<a${attributes({ href })}>${inner}</a>`
}
