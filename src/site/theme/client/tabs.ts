import { all, exampleLabel, make, recall, remember } from './browser.ts'

const key = 'q-tabs'
/** Titles remembered, newest first: a reader's language, package manager, system. */
const remembered = 12

interface Tab {
  readonly title: string
  /** A button of a list of tabs, or an entry of a list to choose from. */
  readonly button: HTMLButtonElement | HTMLOptionElement
  readonly panel: HTMLElement
}

type Group = readonly Tab[]

/** Groups that choose together. */
let together: readonly Group[] = []

/**
 * Turns the sections of `[data-tabs]` into tabs (ARIA Authoring Practices, tabs with automatic activation), those of
 * `[data-dropdown]` into a list to choose from. A choice is taken over by all groups that have a tab of that title, on
 * this page and on the next, but for those of `[data-alone]`. Those that are tabs already stay as they are.
 */
export function startTabs(): void {
  const containers = all('[data-tabs]:not([data-ready])')
  const groups = containers.map(build)
  const joining = groups.filter((_, index) => containers[index]?.hasAttribute('data-alone') === false)
  together = [...together.filter(([tab]) => tab?.panel.isConnected === true), ...joining]
  for (const title of chosen().toReversed()) for (const group of joining) select(group, title)
  for (const group of groups)
    listen(group, (tab) => (joining.includes(group) ? choose(together, group, tab) : show(group, tab)))
}

function listen(group: Group, pick: (tab: Tab) => void): void {
  for (const tab of group) {
    tab.button.addEventListener('click', () => pick(tab))
    tab.button.addEventListener('keydown', (event) => {
      const next = neighbour(group, tab, event as KeyboardEvent)
      if (next === undefined) return
      event.preventDefault()
      pick(next)
      next.button.focus()
    })
  }
  group[0]?.button.closest('select')?.addEventListener('change', () => {
    const tab = group.find(({ button }) => button instanceof HTMLOptionElement && button.selected)
    if (tab !== undefined) pick(tab)
  })
}

function build(container: HTMLElement, order: number): Group {
  const panels = [...container.children].filter((child): child is HTMLElement => child.matches('.q-tab'))
  const isList = container.hasAttribute('data-dropdown')
  const choices = isList ? make('select', { 'aria-label': exampleLabel }) : make('div', { role: 'tablist' })
  choices.classList.add(isList ? 'q-tabselect' : 'q-tablist')
  const group = panels.map((panel, position) => {
    if (panel.id === '') panel.id = `q-tab-${order + 1}-${position + 1}`
    const title = panel.getAttribute('data-title') ?? `Tab ${position + 1}`
    const button = isList ? make('option', { id: `${panel.id}-button` }) : tabButton(panel)
    const written = panel.querySelector(':scope > .q-tab-title')
    if (isList || written === null) button.append(title)
    else button.append(...[...written.childNodes].map((node) => node.cloneNode(true)))
    choices.append(button)
    return { title, button, panel }
  })
  container.prepend(choices)
  container.setAttribute('data-ready', '')
  show(group, group[Number(container.getAttribute('data-first'))] ?? group[0])
  return group
}

function tabButton(panel: HTMLElement): HTMLButtonElement {
  const id = `${panel.id}-button`
  panel.setAttribute('role', 'tabpanel')
  panel.setAttribute('aria-labelledby', id)
  return make('button', { type: 'button', role: 'tab', class: 'q-tab-button', id, 'aria-controls': panel.id })
}

function show(group: Group, selected: Tab | undefined): void {
  for (const tab of group) {
    if (tab.button instanceof HTMLOptionElement) tab.button.selected = tab === selected
    else {
      tab.button.setAttribute('aria-selected', String(tab === selected))
      tab.button.tabIndex = tab === selected ? 0 : -1
    }
    tab.panel.hidden = tab !== selected
  }
}

function select(group: Group, title: string): void {
  const tab = group.find((item) => item.title === title)
  if (tab !== undefined) show(group, tab)
}

/** Others change size when they follow: the group in hand stays where it is in the window. */
function choose(groups: readonly Group[], own: Group, tab: Tab): void {
  // An option has no place of its own.
  const place = tab.button.parentElement ?? tab.button
  const before = place.getBoundingClientRect().top
  show(own, tab)
  for (const group of groups) if (group !== own) select(group, tab.title)
  scrollBy({ top: place.getBoundingClientRect().top - before, behavior: 'instant' })
  remember(key, JSON.stringify([tab.title, ...chosen().filter((title) => title !== tab.title)].slice(0, remembered)))
}

function chosen(): string[] {
  const stored = recall(key)
  if (stored === null) return []
  try {
    const titles: unknown = JSON.parse(stored)
    return Array.isArray(titles) ? titles.filter((title) => typeof title === 'string') : []
  } catch {
    return []
  }
}

function neighbour(group: Group, tab: Tab, event: KeyboardEvent): Tab | undefined {
  const position = group.indexOf(tab)
  const forward = getComputedStyle(tab.button).direction === 'rtl' ? 'ArrowLeft' : 'ArrowRight'
  if (event.key === 'Home') return group[0]
  if (event.key === 'End') return group.at(-1)
  if (event.key === forward) return group[(position + 1) % group.length]
  if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') return group.at(position - 1)
  return undefined
}
