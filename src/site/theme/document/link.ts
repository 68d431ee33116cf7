import { attributes, escapeHtml } from '../../html.ts'
import type { ShellLink } from '../../shell.ts'
import { isExternal, safeHref } from './href.ts'
import { ICONS } from './icons.ts'

/** Opening tag of a link; one that leaves the site gives the other side neither a handle nor a reason to know. */
export function openLink(href: string, more: Readonly<Record<string, string | boolean | undefined>> = {}): string {
  const target = safeHref(href)
  return `<a${attributes({ ...more, href: target, rel: isExternal(target) ? 'noopener' : more['rel'] })}>`
}

/** An icon of the shell's, already safe SVG. */
export function icon(svg: string | undefined): string {
  return svg === undefined ? '' : `<span class="q-icon" aria-hidden="true">${svg}</span>`
}

/** Icon and label of a link in the chrome: navbar, anchors, footer. */
export function shellLink(link: ShellLink, className: string): string {
  return `${openLink(link.href, { class: className })}${icon(link.icon)}<span>${escapeHtml(link.label)}</span></a>`
}

/** The arrow of links out of the site where people expect to stay: the sidebar. */
export function externalMark(href: string): string {
  return isExternal(href) ? ICONS.external : ''
}
