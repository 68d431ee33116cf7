import { all, closest, copiedLabel, copyLabel, make, on, recall, remember, root } from './browser.ts'
import { addCopyButtons } from './copy.ts'
import { startMenus } from './menu.ts'
import { startOverflow } from './overflow.ts'
import { startPictures } from './pictures.ts'
import { startContents, startReveal } from './reading.ts'
import { startSearch } from './search.ts'
import { startTabs } from './tabs.ts'

const themeKey = 'q-theme'

/** Light and dark: the button, other windows of the site, and the system while the reader has not chosen. */
function startTheme(): void {
  on('click', (event) => {
    if (closest(event, '[data-theme-toggle]') === null) return
    const next = root.getAttribute('data-theme') === 'dark' ? 'light' : 'dark'
    root.setAttribute('data-theme', next)
    remember(themeKey, next)
  })
  if (root.hasAttribute('data-strict')) return
  addEventListener('storage', (event) => {
    if (event.key === themeKey && (event.newValue === 'light' || event.newValue === 'dark'))
      root.setAttribute('data-theme', event.newValue)
  })
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', ({ matches }) => {
    if (root.getAttribute('data-appearance') === 'system' && recall(themeKey) === null)
      root.setAttribute('data-theme', matches ? 'dark' : 'light')
  })
}

/** A banner that its reader closes stays away until it says something else. */
function startBanner(): void {
  on('click', (event) => {
    if (closest(event, '[data-dismiss]') === null) return
    remember('q-banner', root.getAttribute('data-q-banner') ?? '')
    root.classList.add('q-closed')
  })
}

/** Where a reader is about to go is fetched before they have pressed. */
function startPrefetch(): void {
  if ((navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true) return
  const fetched = new Set([location.href.split('#', 1)[0]])
  let wait: ReturnType<typeof setTimeout> | undefined
  const prefetch = (event: Event, delay: number): void => {
    clearTimeout(wait)
    const link = closest(event, 'a[href^="/"]:not([download], [target])')
    if (!(link instanceof HTMLAnchorElement)) return
    const href = link.href.split('#', 1)[0] ?? ''
    // Files are not pages: a picture or an archive may be large.
    if (fetched.has(href) || link.origin !== location.origin || /\.\w+$/.test(link.pathname)) return
    wait = setTimeout(() => {
      fetched.add(href)
      all('head')[0]?.append(make('link', { rel: 'prefetch', href }))
    }, delay)
  }
  on('pointerover', (event) => prefetch(event, 80))
  on('pointerdown', (event) => prefetch(event, 0))
  on('focusin', (event) => prefetch(event, 80))
}

/** A copy button on each code block, and headings whose anchor copies the address of the section. */
function startCopy(): void {
  addCopyButtons()
  on('click', (event) => {
    const button = closest(event, '[data-copy]')
    if (button !== null) {
      const code = button.closest('.q-code,.q-prompt')?.querySelector('pre')?.textContent
      if (code != null) void copy(code.replace(/\n$/, ''), button)
      return
    }
    const page = closest(event, '[data-copy-page],[data-copy-text]')
    if (page !== null) {
      const source = page.getAttribute('data-copy-page')
      void copy(source === null ? (page.getAttribute('data-copy-text') ?? '') : textAt(source), page)
      return
    }
    if (closest(event, '[data-print]') !== null) print()
    const anchor = closest(event, '.q-heading-anchor')
    if (anchor instanceof HTMLAnchorElement) void copy(anchor.href, anchor)
  })
}

async function textAt(address: string): Promise<Blob> {
  const response = await fetch(address)
  if (!response.ok) throw new Error(String(response.status))
  return new Blob([await response.text()], { type: 'text/plain' })
}

async function copy(text: string | Promise<Blob>, button: HTMLElement): Promise<void> {
  try {
    // What has to be fetched first is promised: some browsers let only the click itself write to the clipboard.
    if (typeof text === 'string') await navigator.clipboard.writeText(text)
    else await navigator.clipboard.write([new ClipboardItem({ 'text/plain': text })])
  } catch {
    // No permission, or not a secure context: the button says so by not saying that it worked.
    return
  }
  const label = button.getAttribute('aria-label') ?? copyLabel
  if (label === copiedLabel) return
  const shown = button.querySelector('span')
  button.setAttribute('data-copied', '')
  button.setAttribute('aria-label', copiedLabel)
  if (shown !== null) shown.textContent = copiedLabel
  setTimeout(() => {
    button.removeAttribute('data-copied')
    button.setAttribute('aria-label', label)
    if (shown !== null) shown.textContent = label
  }, 1600)
}

startTheme()
startBanner()
startCopy()
startSearch()
startTabs()
// What asks for the place of something comes after what adds to the page: it is laid out once.
startMenus()
// After the tabs: an address may point into one.
startReveal()
startContents()
startOverflow()
startPictures()
startPrefetch()
