import { all, byId, closest, on, root } from './browser.ts'

/** Part of the window, from the top, where the heading of what is being read stands. */
const readingLine = 0.28

/** Marks in the lists of contents the section that is being read, and leaves out what other tabs have. */
export function startContents(): void {
  const links = new Map<HTMLElement, HTMLElement[]>()
  for (const link of all('[data-contents] a, .q-contents-small a')) {
    const heading = byId(decoded((link.getAttribute('href') ?? '#').slice(1)))
    if (heading !== null) links.set(heading, [...(links.get(heading) ?? []), link])
  }
  const headings = [...links.keys()]
  let current: readonly HTMLElement[] = []
  const mark = (): void => {
    for (const [heading, own] of links)
      for (const link of own) link.parentElement?.toggleAttribute('hidden', heading.closest('.q-tab[hidden]') !== null)
    // What is not shown has no place.
    const heading = reading(headings.filter((one) => one.closest('.q-tab[hidden], details:not([open])') === null))
    const next = (heading === undefined ? undefined : links.get(heading)) ?? []
    if (next === current) return
    for (const link of current) link.removeAttribute('aria-current')
    for (const link of next) {
      link.setAttribute('aria-current', 'true')
      showIn(link.closest('.q-contents'), link)
    }
    current = next
  }
  // Another tab may be chosen without a heading coming or going.
  if (all('.q-tab').length > 0) for (const type of ['click', 'keyup', 'change'] as const) on(type, mark)
  // The observer wakes when a heading comes or goes, not on every frame of scrolling.
  const observer = new IntersectionObserver(mark, {
    rootMargin: `0px 0px -${100 - readingLine * 100}% 0px`,
    threshold: [0, 1],
  })
  for (const heading of headings) observer.observe(heading)
  addEventListener('scrollend', mark)
  mark()
}

/** The last heading over the line; at the end of the page the last that can be seen, which may never reach the line. */
function reading(headings: readonly HTMLElement[]): HTMLElement | undefined {
  const atEnd = scrollY > 0 && innerHeight + scrollY >= root.scrollHeight - 4
  const line = atEnd ? innerHeight : innerHeight * readingLine
  // They stand in order: each that is asked for its place may have to be laid out first, where much of a page is not yet.
  let [above, below] = [0, headings.length]
  while (above < below) {
    const middle = (above + below) >> 1
    if ((headings[middle]?.getBoundingClientRect().top ?? 0) < line) above = middle + 1
    else below = middle
  }
  return headings[above - 1]
}

/** Scrolls the list and nothing else: `scrollIntoView` would stop the page's own scrolling. */
function showIn(list: Element | null, link: HTMLElement): void {
  if (list === null) return
  const frame = list.getBoundingClientRect()
  const { top, bottom } = link.getBoundingClientRect()
  if (top < frame.top + 48) list.scrollTop += top - frame.top - 96
  else if (bottom > frame.bottom - 48) list.scrollTop += bottom - frame.bottom + 96
}

/** Opens what hides the target of the address: tabs and folded parts, from the outside in. */
export function startReveal(): void {
  const reveal = (): HTMLElement | undefined => {
    const target = targetOf(decoded(location.hash.slice(1)))
    if (target === undefined) return undefined
    let hidden = false
    for (let element: HTMLElement | null = target; element !== null; element = element.parentElement) {
      if (element instanceof HTMLDetailsElement && !element.open) {
        element.open = true
        hidden = true
      } else if (element.matches('.q-tab[hidden]')) {
        byId(`${element.id}-button`)?.click()
        hidden = true
      }
    }
    if (hidden) target.scrollIntoView()
    return target
  }
  const target = reveal()
  // Who comes back is where they were.
  const [visit] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  if (target !== undefined && visit?.type === 'navigate') hold(target)
  addEventListener('hashchange', reveal)
  // The address of a part that a reader opens can be sent to others.
  on('click', (event) => {
    const part = closest(event, '.q-accordion > summary')?.parentElement
    if (part instanceof HTMLDetailsElement && !part.open && part.id !== '')
      history.replaceState(history.state, '', `#${encodeURIComponent(part.id)}`)
  })
}

/** Milliseconds until what stands above has come, or never will. */
const patience = 30_000

/**
 * Keeps the part that the address names in its place while pictures and diagrams above it come, whose size nobody knew,
 * until the reader scrolls.
 */
function hold(target: HTMLElement): void {
  const missed = (): boolean =>
    Math.abs(target.getBoundingClientRect().top - Number.parseFloat(getComputedStyle(target).scrollMarginTop)) > 4
  let [at, height] = [0, 0]
  const show = (): void => {
    if (missed()) target.scrollIntoView({ behavior: 'instant' })
    at = scrollY
    height = root.scrollHeight
  }
  const observer = new ResizeObserver(show)
  const held = new AbortController()
  const { signal } = held
  const release = (): void => {
    observer.disconnect()
    held.abort()
  }
  for (const type of ['wheel', 'touchmove', 'keydown', 'pointerdown'])
    addEventListener(type, release, { signal, passive: true })
  // By its bar, or by a search of the browser; where the page has grown, the browser itself may have done it.
  const judge = (): void => {
    if (height !== root.scrollHeight) show()
    else if (missed() && Math.abs(scrollY - at) > 4) release()
  }
  addEventListener('scroll', judge, { signal })
  setTimeout(release, patience)
  show()
  for (const main of all('main')) observer.observe(main)
}

/** Elements have further names, which links from elsewhere know them by. */
function targetOf(name: string): HTMLElement | undefined {
  return byId(name) ?? all('a[name]').find((anchor) => anchor.getAttribute('name') === name)
}

/** A fragment may hold what only looks like percent encoding. */
export function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}
