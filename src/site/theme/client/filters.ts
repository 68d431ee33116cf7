import { all, byId, make } from './browser.ts'
import { decoded } from './reading.ts'

/** Of the address: the tags that are chosen, as `?tags=api,cli`. */
const parameter = 'tags'

/**
 * Buttons for the tags of a change log, over its first entry: entries that have all chosen tags are shown, and in the
 * lists of contents what is in them. The address says what is chosen.
 */
function startFilters(place: HTMLElement): void {
  const entries = all('.q-update').map((element) => {
    const own = element.querySelectorAll(':scope > .q-update-head > .q-update-tags > li')
    return { element, tags: [...own].map(({ textContent }) => textContent) }
  })
  const links = all('[data-contents] a, .q-contents-small a').map((link) => {
    const heading = byId(decoded((link.getAttribute('href') ?? '#').slice(1)))
    return { item: link.parentElement, entry: heading?.closest<HTMLElement>('.q-update') }
  })
  const tags = [...new Set(entries.flatMap((entry) => entry.tags))]
  const asked = (new URLSearchParams(location.search).get(parameter) ?? '').split(',')
  const chosen = new Set(tags.filter((tag) => asked.includes(tag)))
  const buttons = tags.map((tag) => {
    const button = make('button', { type: 'button' })
    button.textContent = tag
    button.addEventListener('click', () => {
      if (!chosen.delete(tag)) chosen.add(tag)
      show()
      tell(chosen)
    })
    return { tag, button }
  })
  const show = (): void => {
    for (const { tag, button } of buttons) button.setAttribute('aria-pressed', String(chosen.has(tag)))
    for (const { element, tags: own } of entries) element.hidden = [...chosen].some((tag) => !own.includes(tag))
    for (const { item, entry } of links) item?.toggleAttribute('data-filtered', entry?.hidden === true)
  }
  place.replaceChildren(...buttons.map(({ button }) => button))
  place.hidden = tags.length === 0
  show()
}

function tell(chosen: ReadonlySet<string>): void {
  const url = new URL(location.href)
  url.searchParams.delete(parameter)
  if (chosen.size > 0) url.searchParams.set(parameter, [...chosen].join(','))
  history.replaceState(history.state, '', url)
}

const [place] = all('.q-filters')
if (place !== undefined) startFilters(place)
