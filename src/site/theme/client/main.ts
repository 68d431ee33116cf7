import { all, byId, closest, copiedLabel, copyLabel, on, recall, remember, root } from './browser.ts'
import { addCopyButtons } from './copy.ts'
import { startContents, startReveal } from './reading.ts'
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

/** Menus close when the reader looks elsewhere, the drawer when there is room for the sidebar. */
function startMenus(): void {
  on('click', (event) => closeMenus(closest(event, '[data-menu]')))
  on('keydown', (event) => {
    if (event.key !== 'Escape') return
    const open = closest(event, '[data-menu][open]')
    closeMenus(null)
    open?.querySelector('summary')?.focus()
  })
  showCurrentTab()
  const drawer = byId('q-sidebar')
  if (drawer === null) return
  matchMedia('(min-width: 64rem)').addEventListener('change', ({ matches }) => {
    if (matches && drawer.matches(':popover-open')) drawer.hidePopover()
  })
  showCurrent(drawer)
  drawer.addEventListener('toggle', () => showCurrent(drawer))
}

function closeMenus(except: HTMLElement | null): void {
  for (const menu of all('[data-menu][open]')) if (menu !== except) menu.removeAttribute('open')
}

/** Brings the current tab into view where the tabs are wider than the window. */
function showCurrentTab(): void {
  for (const tab of all('.q-tabbar [aria-current]')) {
    const list = tab.closest('ul')
    if (list === null) continue
    const frame = list.getBoundingClientRect()
    const { left, width } = tab.getBoundingClientRect()
    list.scrollLeft += left - frame.left - (frame.width - width) / 2
  }
}

/** Brings the current page's entry into a long sidebar's view, without moving the page. */
function showCurrent(drawer: HTMLElement): void {
  const entry = drawer.querySelector<HTMLElement>('.q-nav [aria-current]')
  if (entry === null) return
  const { top, bottom } = entry.getBoundingClientRect()
  const frame = drawer.getBoundingClientRect()
  if (top < frame.top + 64 || bottom > frame.bottom - 64) drawer.scrollTop += top - frame.top - frame.height / 3
}

/** A copy button on each code block, and headings whose anchor copies the address of the section. */
function startCopy(): void {
  addCopyButtons()
  on('click', (event) => {
    const button = closest(event, '[data-copy]')
    if (button !== null) {
      const code = button.closest('.q-code')?.querySelector('pre')?.textContent
      if (code != null) void copy(code.replace(/\n$/, ''), button)
      return
    }
    const page = closest(event, '[data-copy-page],[data-copy-text]')
    if (page !== null) {
      const source = page.getAttribute('data-copy-page')
      void copy(source === null ? (page.getAttribute('data-copy-text') ?? '') : textAt(source), page)
      return
    }
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
startMenus()
startCopy()
startTabs()
// After the tabs: an address may point into one.
startReveal()
startContents()
