import { escapeHtml } from '../../html.ts'
import type { NavItem } from '../../shell.ts'
import { ICONS } from './icons.ts'
import { externalMark, icon, openLink } from './link.ts'

export type Group = Extract<NavItem, { kind: 'group' }>
export type Page = Extract<NavItem, { kind: 'page' }>

/** Opens the list of a sidebar's level; 0 is the outermost. */
export function listTag(depth: number): string {
  return depth === 0 ? '<ul class="q-nav-list">' : '<ul>'
}

/** A page's link without its `<a`, so that a mark can be written behind that. */
export function pageLink(page: Page): string {
  const content = `${icon(page.icon)}<span>${escapeHtml(page.title)}</span>${tag(page)}${externalMark(page.href)}`
  return `${openLink(page.href, { class: 'q-nav-link' }).slice(2)}${content}</a>`
}

/** Title of a group of the outermost level, whose pages always show. */
export function groupTitle(group: Group): string {
  const title = `${icon(group.icon)}<span>${escapeHtml(group.title)}</span>${tag(group)}`
  return `<p class="q-nav-title">${group.href === undefined ? title : `${openLink(group.href)}${title}</a>`}</p>`
}

/** Title of a group that folds. */
export function groupSummary(group: Group): string {
  const title = `<span>${escapeHtml(group.title)}</span>`
  const label = group.href === undefined ? title : `${openLink(group.href)}${title}</a>`
  return `<summary class="q-nav-link">${icon(group.icon)}${label}${tag(group)}${ICONS.chevron}</summary>`
}

export function tag(item: NavItem): string {
  return item.tag === undefined ? '' : `<span class="q-nav-tag">${escapeHtml(item.tag)}</span>`
}
