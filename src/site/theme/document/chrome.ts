import { attributes, escapeHtml } from '../../html.ts'
import type { Section, Shell } from '../../shell.ts'
import { safeHref } from './href.ts'
import { ICONS } from './icons.ts'
import { openLink, shellLink } from './link.ts'
import type { Switches } from './switches.ts'

/** Where the logo and the ways back lead: the first page of the site. */
export function homeOf(shell: Shell): string {
  return shell.logo?.href ?? shell.sections[0]?.href ?? '/'
}

/** Skip link, banner, top bar and tabs. */
export function renderHeader(shell: Shell, switches: Switches): string {
  const banner =
    shell.banner === undefined
      ? ''
      : `<aside class="q-banner" aria-label="Announcement">${bannerText(shell.banner)}</aside>`
  const toggle = shell.appearance.strict
    ? ''
    : `<button class="q-button-icon q-theme" type="button" data-theme-toggle aria-label="Switch between light and dark">${ICONS.sun}${ICONS.moon}</button>`
  return (
    `<a class="q-skip" href="#q-main">Skip to content</a>${banner}` +
    `<header class="q-top"><div class="q-bar"><div class="q-brand">${openLink(homeOf(shell), { class: 'q-logo' })}${logo(shell)}</a>${switches.version}</div>` +
    `<div class="q-bar-end"><nav class="q-links" aria-label="Site">${navbar(shell)}</nav>${switches.language}${toggle}` +
    // A popover opens without a script, closes on Escape and gives the focus back.
    `<button class="q-button-icon q-burger" type="button" popovertarget="q-sidebar" aria-label="Menu">${ICONS.menu}</button>` +
    `</div></div></header>${switches.tabs}`
  )
}

function bannerText({ text, parts = [{ text }] }: NonNullable<Shell['banner']>): string {
  return parts
    .map((part) =>
      part.href === undefined ? escapeHtml(part.text) : `${openLink(part.href)}${escapeHtml(part.text)}</a>`,
    )
    .join('')
}

/** The sidebar before and after its list of pages. It is also the menu on a phone. */
export function renderSidebarFrame(shell: Shell, switches: Switches): { readonly start: string; readonly end: string } {
  const anchors = shell.anchors.map((anchor) => `<li>${shellLink(anchor, 'q-anchor-link')}</li>`).join('')
  const links = navbar(shell)
  return {
    start:
      `<div class="q-sidebar" id="q-sidebar" popover><div class="q-sidebar-bar"><span>Menu</span>` +
      `<button class="q-button-icon" type="button" popovertarget="q-sidebar" popovertargetaction="hide" aria-label="Close menu">${ICONS.close}</button></div>` +
      `${switches.sidebar}${anchors === '' ? '' : `<ul class="q-anchors">${anchors}</ul>`}<nav class="q-nav" aria-label="Pages">`,
    end: `</nav>${links === '' ? '' : `<div class="q-sidebar-links">${links}</div>`}</div>`,
  }
}

/** Link lists, socials, the changelog where there is one, and whose work it is. */
export function renderFooter(shell: Shell, changelog?: string): string {
  const columns = shell.footer.columns.map(({ header, links }) => {
    const items = links.map((link) => `<li>${shellLink(link, 'q-footer-link')}</li>`).join('')
    return `<div>${header === undefined ? '' : `<p class="q-footer-title">${escapeHtml(header)}</p>`}<ul>${items}</ul></div>`
  })
  const socials = shell.footer.socials.map((link) => {
    const label =
      link.icon === undefined
        ? `<span>${escapeHtml(link.label)}</span>`
        : `<span class="q-icon" aria-hidden="true">${link.icon}</span>`
    return `<li>${openLink(link.href, { class: 'q-social', 'aria-label': link.label, title: link.label })}${label}</a></li>`
  })
  return (
    `<footer class="q-footer">${columns.length === 0 ? '' : `<div class="q-footer-columns">${columns.join('')}</div>`}` +
    `<div class="q-footer-end">${socials.length === 0 ? '' : `<ul class="q-socials">${socials.join('')}</ul>`}` +
    (changelog === undefined ? '' : `${openLink(changelog, { class: 'q-footer-changelog' })}Changelog</a>`) +
    '<p class="q-powered">Powered by Quire</p></div></footer>'
  )
}

/** Links to the first pages of a site, for those who came to a page that is not there. */
export function waysHome(shell: Shell): string {
  const seen = new Set<string>([homeOf(shell)])
  const links: string[] = []
  for (const section of shell.sections) {
    const label = sectionLabel(section)
    if (label === undefined || seen.has(section.href) || links.length === 6) continue
    seen.add(section.href)
    links.push(`<li>${openLink(section.href)}${escapeHtml(label)}</a></li>`)
  }
  return `<p>${openLink(homeOf(shell), { class: 'q-button' })}Back to ${escapeHtml(shell.name)}</a></p>${links.length === 0 ? '' : `<ul class="q-lost-links">${links.join('')}</ul>`}`
}

function sectionLabel(section: Section): string | undefined {
  return section.switches.at(-1)?.label
}

function navbar(shell: Shell): string {
  const links = shell.navbar.links.map((link) => shellLink(link, 'q-link')).join('')
  return links + (shell.navbar.primary === undefined ? '' : shellLink(shell.navbar.primary, 'q-button'))
}

function logo(shell: Shell): string {
  if (shell.logo === undefined) return `<span class="q-wordmark">${escapeHtml(shell.name)}</span>`
  const { light, dark } = shell.logo
  const image = (source: string, className: string): string =>
    `<img${attributes({ class: className, src: safeHref(source), alt: shell.name, height: 28 })}>`
  return light === dark
    ? image(light, 'q-logo-image')
    : image(light, 'q-logo-image q-on-light') + image(dark, 'q-logo-image q-on-dark')
}
