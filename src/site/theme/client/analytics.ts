import { readerPaths } from '#contract/reader-paths.ts'
import { all, base, on } from './browser.ts'

/*
 * Reports that a page is read, and what is searched for, on sites that count. Nothing is kept in the browser and nothing is
 * sent of it. Whoever asks not to be tracked is not counted, nor is the page in a frame of the dashboard.
 */

const { doNotTrack, globalPrivacyControl } = navigator as { doNotTrack?: string; globalPrivacyControl?: boolean }
const isCounted = doNotTrack !== '1' && globalPrivacyControl !== true && top === self

/** How long a query stands until it is one, in milliseconds: what is typed on the way to it is none. */
const pause = 1500

const report = (to: string, fields: Record<string, string>): void =>
  void navigator.sendBeacon(base + to, new URLSearchParams(fields))

function startViews(): void {
  const seen = (): void => report(readerPaths.views, { path: location.pathname })
  // What the browser prepares may never be looked at.
  if ((document as { prerendering?: boolean }).prerendering === true)
    on('prerenderingchange' as keyof DocumentEventMap, seen)
  else seen()
}

interface Search {
  readonly query: string
  readonly found: 'yes' | 'no'
}

/** Looks at what the search box shows, which knows nothing of it. */
function startSearches(): void {
  let last: Search | undefined
  let wait: ReturnType<typeof setTimeout> | undefined
  const tell = (): void => {
    if (last !== undefined) report(readerPaths.searches, { ...last })
    last = undefined
  }
  const look = (): void => {
    const now = shown()
    if (now === undefined) return
    if (last !== undefined && !now.query.startsWith(last.query) && !last.query.startsWith(now.query)) tell()
    last = now
  }
  const end = (): void => {
    clearTimeout(wait)
    look()
    tell()
  }
  on('input', ({ target }) => {
    clearTimeout(wait)
    if (target instanceof Element && target.matches('.q-search input')) wait = setTimeout(look, pause)
  })
  // It bubbles not, and is heard on the way down.
  EventTarget.prototype.addEventListener.call(document, 'close', end, true)
  addEventListener('pagehide', end)
}

/** The query whose results are there; undefined while there are none of it, as when the index could not be read. */
function shown(): Search | undefined {
  const query = (all('.q-search input')[0] as HTMLInputElement | undefined)?.value.trim() ?? ''
  if (query === '') return undefined
  if (all('.q-search a[role=option]').length > 0) return { query, found: 'yes' }
  return all('.q-search-note')[0]?.textContent.includes(query) === true ? { query, found: 'no' } : undefined
}

if (isCounted) {
  startViews()
  startSearches()
}
