import { all, byId, closest, on } from './browser.ts'

const key = 'q-nav'

/** Menus close when the reader looks elsewhere, the drawer when there is room for the sidebar. */
export function startMenus(): void {
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
  rememberGroups(drawer)
  showCurrent(drawer)
  drawer.addEventListener('toggle', (event) => {
    if (event.target === drawer) hold(drawer, drawer.matches(':popover-open'))
  })
}

function closeMenus(except: HTMLElement | null): void {
  for (const menu of all('[data-menu][open]')) if (menu !== except) menu.removeAttribute('open')
}

/** While the drawer is open, everything else is out of reach; then the focus is where it was opened. */
function hold(drawer: HTMLElement, isOpen: boolean): void {
  const others = [...(drawer.parentElement?.children ?? []), ...all('body > :not(.q-layout)')]
  for (const other of others) if (other !== drawer) other.toggleAttribute('inert', isOpen)
  for (const [name, value] of Object.entries({ role: 'dialog', 'aria-modal': 'true' }))
    if (isOpen) drawer.setAttribute(name, value)
    else drawer.removeAttribute(name)
  if (isOpen) showCurrent(drawer)
  ;(isOpen ? drawer.querySelector('button') : all('.q-burger')[0])?.focus({ preventScroll: true })
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

interface Sidebar {
  readonly top: number
  /** Groups that are open, by their words. */
  readonly open: readonly string[]
}

/** The sidebar is, on the next page of this visit, as the reader left it. */
function rememberGroups(drawer: HTMLElement): void {
  const groups = [...drawer.querySelectorAll<HTMLDetailsElement>('.q-nav details')]
  const name = (group: HTMLDetailsElement): string => group.querySelector('summary')?.textContent ?? ''
  try {
    const left = JSON.parse(sessionStorage.getItem(key) ?? '{}') as Partial<Sidebar>
    for (const group of groups) if (left.open?.includes(name(group)) === true) group.open = true
    drawer.scrollTop = left.top ?? 0
  } catch {
    // Nothing is kept here, or nothing of ours.
  }
  addEventListener('pagehide', () => {
    const open = groups.filter((group) => group.open).map((group) => name(group))
    try {
      sessionStorage.setItem(key, JSON.stringify({ top: drawer.scrollTop, open } satisfies Sidebar))
    } catch {
      // A browser that keeps nothing.
    }
  })
}
