import { all } from './browser.ts'

const wide = '.q-prose pre, .q-table, .q-math'
const longestLabel = 80

/**
 * What is wider than the page scrolls by itself. Only there it is a stop of the keyboard; a table that is whole lets its
 * header stick to the window. The observer asks when everything has its place, and again when that changes.
 */
export function startOverflow(): void {
  const sizes = new ResizeObserver((entries) => {
    const scrolls = entries.map(({ target }) => target.scrollWidth > target.clientWidth + 1 || isTall(target))
    entries.forEach(({ target }, index) => mark(target, scrolls[index] === true))
  })
  for (const element of all(wide)) sizes.observe(element)
}

/** Code beside the text scrolls down in its box, too; what is folded does not. */
function isTall(element: Element): boolean {
  return (
    element.matches('pre') &&
    element.scrollHeight > element.clientHeight + 1 &&
    getComputedStyle(element).overflowY !== 'hidden'
  )
}

function mark(element: Element, scrolls: boolean): void {
  element.toggleAttribute('data-scrolls', scrolls)
  element.toggleAttribute('data-fits', !scrolls)
  for (const [name, value] of Object.entries({ tabindex: '0', role: 'group', 'aria-label': labelOf(element) }))
    if (scrolls && value !== '') element.setAttribute(name, value)
    else element.removeAttribute(name)
}

/** In the words of the page: the title or language of code, the caption or header of a table. */
function labelOf(element: Element): string {
  const figure = element.closest('.q-code')
  const title = figure?.querySelector('figcaption') ?? element.querySelector('caption') ?? element.querySelector('tr')
  const cells = [...(title?.children ?? [])].map(({ textContent }) => textContent?.trim())
  return (cells.join(', ') || figure?.getAttribute('data-label') || '').slice(0, longestLabel)
}
