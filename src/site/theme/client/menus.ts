import { all, byId, closest, on } from './dom.ts'

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
