import type { Hit } from '../../search/engine.ts'
import type { Excerpt } from '../../search/excerpt.ts'
import { base, make } from './browser.ts'

/** A page as it is told from others of its name. */
export function nameOf({ title, tab }: Hit): string {
  return tab === undefined ? title : `${tab} › ${title}`
}

/** Options that belong together, under their name. */
export function group(name: string, index: number): HTMLElement {
  const id = `q-search-page-${index}`
  const made = make('div', { role: 'group', 'aria-labelledby': id })
  const label = make('p', { class: 'q-search-page', id })
  label.append(name)
  made.append(label)
  return made
}

export function hitOption({ path, anchor, title, titleMarks, heading, excerpt }: Hit, index: number): HTMLElement {
  const fragment = anchor === '' ? '' : `#${encodeURIComponent(anchor)}`
  const option = make('a', { ...optionOf(index), href: base + encodeURI(path).replaceAll('?', '%3F') + fragment })
  const name = make('span', { class: 'q-search-heading' })
  name.append(...marked(heading.text === '' ? { text: title, marks: titleMarks } : heading))
  const text = make('span', { class: 'q-search-text' })
  text.append(...marked(excerpt))
  option.append(name, text)
  return option
}

export function recentOption(query: string, index: number): HTMLElement {
  const option = make('div', { ...optionOf(index), 'data-query': query })
  const name = make('span', { class: 'q-search-heading' })
  name.append(query)
  option.append(name)
  return option
}

function optionOf(index: number): Record<string, string> {
  return { class: 'q-search-hit', id: `q-search-${index}`, role: 'option', tabindex: '-1', 'aria-selected': 'false' }
}

function marked({ text, marks }: Excerpt): (string | HTMLElement)[] {
  const pieces: (string | HTMLElement)[] = []
  let at = 0
  for (const [start, end] of marks) {
    const mark = make('mark', {})
    mark.append(text.slice(start, end))
    pieces.push(text.slice(at, start), mark)
    at = end
  }
  pieces.push(text.slice(at))
  return pieces
}
