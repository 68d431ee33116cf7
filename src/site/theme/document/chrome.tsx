/** @jsxImportSource #html */
import type { Child, Html } from '#lib/html.ts'
import type { InlinePart, Section, Shell, ShellLink } from '../../shell.ts'
import { bannerClass } from './look.ts'
import { Icon, IconLink, icons, Link, safeHref } from './link.tsx'
import type { PageWords } from '../words/page.ts'
import type { SearchWords } from '../words/search.ts'
import { fill } from '../words/words.ts'
import type { Switches } from './switches.tsx'

/** Links of the page of a lost reader. */
const maxWays = 6

/** Where the logo and the ways back lead: the first page of the site in the language of a section. */
function homeOf(shell: Shell, section: Section | undefined): string {
  const first = shell.sections.find((other) => other.lang === section?.lang) ?? shell.sections[0]
  return shell.logo?.href ?? first?.href ?? '/'
}

interface SearchParts {
  /** The version and language that the search box begins with: a number of the search index. */
  readonly scope: number
  readonly words: SearchWords
}

interface HeaderParts {
  readonly section: Section | undefined
  readonly words: PageWords
  readonly search: SearchParts
}

/** Skip link, banner, top bar and tabs. */
export function renderHeader(shell: Shell, switches: Switches, { section, words, search }: HeaderParts): Html {
  return (
    <>
      <a class="q-skip" href="#q-main">
        {words.skip}
      </a>
      {shell.banner !== undefined && <Banner {...shell.banner} words={words} />}
      <header class="q-top">
        <div class="q-bar">
          <div class="q-brand">
            <Link class="q-logo" href={homeOf(shell, section)}>
              <Logo shell={shell} />
            </Link>
            {switches.version}
          </div>
          {shell.search === true && <SearchButton {...search} />}
          <div class="q-bar-end">
            <nav class="q-links" aria-label={words.site}>
              <Navbar shell={shell} />
            </nav>
            {switches.language}
            {!shell.appearance.strict && (
              <button class="q-button-icon q-theme" type="button" data-theme-toggle aria-label={words.theme}>
                {icons.sun}
                {icons.moon}
              </button>
            )}
            {/* A popover opens without a script, closes on Escape and gives the focus back. */}
            <button class="q-button-icon q-burger" type="button" popovertarget="q-sidebar" aria-label={words.menu}>
              {icons.menu}
            </button>
          </div>
        </div>
      </header>
      {switches.tabs}
    </>
  )
}

/** Looks like the field that it opens; on a phone there is room for its picture. Without a script there is nothing behind it. */
function SearchButton({ scope, words }: SearchParts): Html {
  return (
    <button
      class="q-search-button"
      type="button"
      data-search={scope}
      data-words={JSON.stringify(words)}
      aria-label={words.search}
      aria-haspopup="dialog"
      aria-keyshortcuts="Control+K Meta+K /"
    >
      {icons.search}
      <span>{words.search}</span>
      {/* Drawn by the style: the name of the button says what it does. */}
      <kbd data-keys="Ctrl K" />
    </button>
  )
}

function Banner({
  text,
  parts = [{ text }],
  dismissible,
  words,
  ...kind
}: NonNullable<Shell['banner']> & { readonly words: PageWords }): Html {
  return (
    <aside
      class={kind.type === undefined && kind.color === undefined ? 'q-banner' : `q-banner ${bannerClass(kind)}`}
      aria-label={words.announcement}
    >
      <p>{inline(parts)}</p>
      {dismissible === true && (
        <button class="q-button-icon q-dismiss" type="button" data-dismiss aria-label={words.close}>
          {icons.close}
        </button>
      )}
    </aside>
  )
}

function inline(parts: readonly InlinePart[]): Child {
  return parts.map((part) => {
    if (part.href !== undefined) return <Link href={part.href}>{part.text}</Link>
    return part.strong === true ? <strong>{part.text}</strong> : part.text
  })
}

interface SidebarParts {
  readonly pages: Html
  /** Of its section. */
  readonly anchors: readonly ShellLink[]
  readonly words: PageWords
}

/** The sidebar around its list of pages. It is also the menu on a phone. */
export function renderSidebar(shell: Shell, switches: Switches, { pages, anchors, words }: SidebarParts): Html {
  const { links, primary } = shell.navbar
  const over = [...shell.anchors, ...anchors]
  return (
    <aside class="q-sidebar" id="q-sidebar" aria-label={words.menu} popover>
      <div class="q-sidebar-bar">
        <span>{words.menu}</span>
        <button
          class="q-button-icon"
          type="button"
          popovertarget="q-sidebar"
          popovertargetaction="hide"
          aria-label={words.closeMenu}
        >
          {icons.close}
        </button>
      </div>
      {(switches.version.length > 0 || switches.language.length > 0) && (
        <div class="q-sidebar-switches">
          {switches.version}
          {switches.language}
        </div>
      )}
      {switches.sidebar}
      {over.length > 0 && (
        <ul class="q-anchors">
          {over.map((anchor) => (
            <li>
              <IconLink link={anchor} class="q-anchor-link" />
            </li>
          ))}
        </ul>
      )}
      <nav class="q-nav" aria-label={words.pages}>
        {pages}
      </nav>
      {(links.length > 0 || primary !== undefined) && (
        <div class="q-sidebar-links">
          <Navbar shell={shell} />
        </div>
      )}
    </aside>
  )
}

/** Link lists, socials, the changelog where there is one, and whose work it is. */
export function renderFooter({ footer }: Shell, words: PageWords, changelog?: string): Html {
  return (
    <footer class="q-footer">
      {footer.columns.length > 0 && (
        <div class="q-footer-columns">
          {footer.columns.map(({ header, links }) => (
            <div>
              {header !== undefined && <p class="q-footer-title">{header}</p>}
              <ul>
                {links.map((link) => (
                  <li>
                    <IconLink link={link} class="q-footer-link" />
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </div>
      )}
      <div class="q-footer-end">
        {footer.socials.length > 0 && (
          <ul class="q-socials">
            {footer.socials.map(({ href, label, icon }) => (
              <li>
                <Link class="q-social" aria-label={label} title={label} href={href}>
                  {icon === undefined ? <span>{label}</span> : <Icon svg={icon} />}
                </Link>
              </li>
            ))}
          </ul>
        )}
        <div class="q-footer-about">
          {changelog !== undefined && (
            <Link class="q-footer-changelog" href={changelog}>
              {words.changelog}
            </Link>
          )}
          <p>{fill(words.powered, { name: 'Quire' })}</p>
        </div>
      </div>
    </footer>
  )
}

interface LostParts extends Omit<HeaderParts, 'search'> {
  /** The page in another language. */
  readonly offer: Html | undefined
}

/** What is shown in place of a page that is not there, with links to the first pages of the site. */
export function renderNotFound(shell: Shell, path: string, { section, words, offer }: LostParts): Html {
  const home = homeOf(shell, section)
  const ways = waysFrom(shell, section, home)
  return (
    <article class="q-lost">
      <p class="q-eyebrow">404</p>
      <h1 class="q-title">{shell.lost?.title ?? words.notFound}</h1>
      {offer}
      {shell.lost?.parts === undefined ? (
        <p class="q-lead">{fill(words.nothingAt, { path: <code>{path}</code> })}</p>
      ) : (
        <div class="q-prose">
          <p class="q-lead">{inline(shell.lost.parts)}</p>
        </div>
      )}
      <p>
        <Link class="q-button" href={home}>
          {fill(words.back, { name: shell.name })}
        </Link>
      </p>
      {ways.length > 0 && (
        <ul class="q-lost-links">
          {ways.map(({ href, label }) => (
            <li>
              <Link href={href}>{label}</Link>
            </li>
          ))}
        </ul>
      )}
    </article>
  )
}

/** First pages of the sections in the language of the address. */
function waysFrom(
  shell: Shell,
  current: Section | undefined,
  home: string,
): { readonly href: string; readonly label: string }[] {
  const ways = new Map<string, string>()
  for (const section of shell.sections) {
    const label = labelOf(section)
    if (label === undefined || section.lang !== current?.lang || section.href === home) continue
    if (!ways.has(section.href)) ways.set(section.href, label)
  }
  return [...ways].slice(0, maxWays).map(([href, label]) => ({ href, label }))
}

function labelOf(section: Section): string | undefined {
  return section.switches.at(-1)?.label
}

function Navbar({ shell: { navbar } }: { readonly shell: Shell }): Child {
  return [
    navbar.links.map((link) => <IconLink link={link} class="q-link" />),
    navbar.primary !== undefined && <IconLink link={navbar.primary} class="q-button" />,
  ]
}

function Logo({ shell: { name, logo } }: { readonly shell: Shell }): Child {
  if (logo === undefined) return <span class="q-wordmark">{name}</span>
  const image = (source: string, classes: string): Html => (
    <img class={classes} src={safeHref(source)} alt={name} height={28} />
  )
  return logo.light === logo.dark
    ? image(logo.light, 'q-logo-image')
    : [image(logo.light, 'q-logo-image q-on-light'), image(logo.dark, 'q-logo-image q-on-dark')]
}
