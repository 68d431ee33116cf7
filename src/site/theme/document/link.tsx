/** @jsxImportSource #html */
import { encodePath } from '#lib/url-path.ts'
import { raw, type Child, type Html } from '#lib/html.ts'
import type { ShellLink } from '../../shell.ts'

/** Nearly all ids; the encoder costs more than the rest of a link. */
const plainId = /^[\w\-.~]*$/
const allowed = /^(?:\/(?![/\\])|#|https?:\/\/|mailto:|tel:)/i

/**
 * The builder has checked every href of a shell; this is the second lock on that door, where the document is made.
 * @returns `href` when it is a site path, a fragment, http(s), mailto or tel; `#` for anything else
 */
export function safeHref(href: string): string {
  return allowed.test(href) ? href : '#'
}

/** Whether a link leaves the site: opened with `rel=noopener`, marked with an arrow. */
export function isExternal(href: string): boolean {
  return /^https?:\/\//i.test(href)
}

/** An id as it stands behind `#`; half a surrogate pair becomes U+FFFD. */
export function encodeFragment(id: string): string {
  return plainId.test(id) ? id : encodeURIComponent(id.toWellFormed())
}

interface LinkProps {
  readonly href: string
  readonly class?: string
  readonly rel?: string
  readonly hreflang?: string | undefined
  readonly title?: string
  readonly 'aria-label'?: string
  readonly 'aria-current'?: string | undefined
  readonly children?: Child
}

/** A link; one that leaves the site gives the other side neither a handle nor a reason to know. */
export function Link(props: LinkProps): Html {
  const target = safeHref(props.href)
  return <a {...props} href={target} rel={isExternal(target) ? 'noopener' : props.rel} />
}

/** An icon of the shell's: SVG, already safe. */
export function Icon({ svg }: { readonly svg: string | undefined }): Child {
  if (svg === undefined) return null
  return (
    <span class="q-icon" aria-hidden="true">
      {raw(svg)}
    </span>
  )
}

/** Icon and label of a link around the page: navbar, anchors, footer. */
export function IconLink({ link, class: className }: { readonly link: ShellLink; readonly class: string }): Html {
  return (
    <Link class={className} href={link.href}>
      <Icon svg={link.icon} />
      <span>{link.label}</span>
    </Link>
  )
}

/** The theme's own icons: 24 by 24, drawn with lines of the text's colour. */
const draw = (paths: string): Html =>
  raw(
    `<svg class="q-i" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${paths}</svg>`,
  )

export const icons = {
  search: draw('<circle cx="11" cy="11" r="7"/><path d="m20 20-4-4"/>'),
  menu: draw('<path d="M4 7h16M4 12h16M4 17h16"/>'),
  close: draw('<path d="m6 6 12 12M18 6 6 18"/>'),
  chevron: draw('<path d="m9 6 6 6-6 6"/>'),
  updown: draw('<path d="m8 9 4-4 4 4M8 15l4 4 4-4"/>'),
  check: draw('<path d="m5 12.5 4.5 4.5L19 7.5"/>'),
  external: draw('<path d="M8 7h9v9M17 7 7 17"/>'),
  previous: draw('<path d="M19 12H5M11 6l-6 6 6 6"/>'),
  next: draw('<path d="M5 12h14M13 6l6 6-6 6"/>'),
  sun: draw(
    '<circle cx="12" cy="12" r="4"/><path d="M12 3v1.5M12 19.5V21M3 12h1.5M19.5 12H21M5.6 5.6l1.1 1.1M17.3 17.3l1.1 1.1M18.4 5.6l-1.1 1.1M6.7 17.3l-1.1 1.1"/>',
  ),
  moon: draw('<path d="M20 14.2A8 8 0 0 1 9.8 4 8 8 0 1 0 20 14.2Z"/>'),
  copy: draw('<rect x="9" y="9" width="11" height="11" rx="2"/><path d="M5 15V6a2 2 0 0 1 2-2h8"/>'),
  down: draw('<path d="m6 9 6 6 6-6"/>'),
  feed: draw('<path d="M4 11a9 9 0 0 1 9 9M4 4a16 16 0 0 1 16 16M5 19h.01"/>'),
  list: draw('<path d="M4 6h11M8 12h12M8 18h8"/>'),
} as const

/** Address of a page as Markdown, by its path. What looks like a scheme in it is none. */
export function markdownHref(path: string): string {
  return path === '/' ? '/index.md' : `${encodePath(path).replaceAll(':', '%3A')}.md`
}
