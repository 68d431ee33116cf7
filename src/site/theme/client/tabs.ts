import { all, make } from './dom.ts'
import { recall, remember } from './store.ts'

const KEY = 'q-tabs'
/** Titles remembered, newest first: a reader's language, package manager, system. */
const REMEMBERED = 12

interface Tab {
  readonly title: string
  readonly button: HTMLButtonElement
  readonly panel: HTMLElement
}

type Group = readonly Tab[]

/**
 * Turns the sections of `[data-tabs]` into tabs (ARIA Authoring Practices, tabs with automatic activation). A choice is
 * taken over by all groups that have a tab of that title, on this page and on the next.
 */
export function startTabs(): void {
  const groups = all('[data-tabs]').map(build)
  for (const title of chosen().toReversed()) for (const group of groups) select(group, title)

  for (const group of groups) {
    for (const tab of group) {
      tab.button.addEventListener('click', () => choose(groups, group, tab))
      tab.button.addEventListener('keydown', (event) => {
        const next = neighbour(group, tab, event)
        if (next === undefined) return
        event.preventDefault()
        choose(groups, group, next)
        next.button.focus()
      })
    }
  }
}

function build(container: HTMLElement, order: number): Group {
  const panels = [...container.children].filter((child): child is HTMLElement => child.matches('.q-tab'))
  const list = make('div', { class: 'q-tablist', role: 'tablist' })
  const group = panels.map((panel, position) => {
    if (panel.id === '') panel.id = `q-tab-${order + 1}-${position + 1}`
    const title = panel.getAttribute('data-title') ?? `Tab ${position + 1}`
    const button = make('button', {
      type: 'button',
      role: 'tab',
      class: 'q-tab-button',
      id: `${panel.id}-button`,
      'aria-controls': panel.id,
    })
    const written = panel.querySelector(':scope > .q-tab-title')
    button.append(...(written === null ? [title] : [...written.childNodes].map((node) => node.cloneNode(true))))
    panel.setAttribute('role', 'tabpanel')
    panel.setAttribute('aria-labelledby', button.id)
    list.append(button)
    return { title, button, panel }
  })
  container.prepend(list)
  container.setAttribute('data-ready', '')
  show(group, group[0])
  return group
}

function show(group: Group, selected: Tab | undefined): void {
  for (const tab of group) {
    tab.button.setAttribute('aria-selected', String(tab === selected))
    tab.button.tabIndex = tab === selected ? 0 : -1
    tab.panel.hidden = tab !== selected
  }
}

function select(group: Group, title: string): void {
  const tab = group.find((item) => item.title === title)
  if (tab !== undefined) show(group, tab)
}

/** Others change size when they follow: the group in hand stays where it is in the window. */
function choose(groups: readonly Group[], own: Group, tab: Tab): void {
  const before = tab.button.getBoundingClientRect().top
  show(own, tab)
  for (const group of groups) if (group !== own) select(group, tab.title)
  scrollBy({ top: tab.button.getBoundingClientRect().top - before, behavior: 'instant' })
  remember(KEY, JSON.stringify([tab.title, ...chosen().filter((title) => title !== tab.title)].slice(0, REMEMBERED)))
}

function chosen(): string[] {
  const stored = recall(KEY)
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
