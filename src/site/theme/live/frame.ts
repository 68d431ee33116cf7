import { all, closest, make, on, root } from '../client/browser.ts'
import { addCopyButtons } from '../client/copy.ts'
import { startTabs } from '../client/tabs.ts'
import { drawDiagrams } from '../mermaid/diagrams.ts'
import { Article } from './article.ts'
import { follow, headingOf, spotOf, type Spot } from './following.ts'

/*
 * The page beside the text in the dashboard's editor. It takes messages of the dashboard that frames it, and of nobody
 * else, and tells it what is clicked; it goes nowhere by itself.
 */

/** What the dashboard sends. */
type Order =
  | {
      readonly type: 'render'
      readonly html: string
      readonly title: string
      readonly mode: string
      readonly styles: string
    }
  | { readonly type: 'theme'; readonly theme: 'light' | 'dark' }
  | ({ readonly type: 'scroll' } & Spot)

/** What it is told. */
type Report =
  | { readonly type: 'ready' }
  | { readonly type: 'open'; readonly href: string }
  | { readonly type: 'heading'; readonly id: string }

const events = '/_quire/preview-events'
const modes: ReadonlySet<string> = new Set(['default', 'wide', 'custom', 'frame', 'center'])
const dashboard = all('script[data-dashboard]')[0]?.getAttribute('data-dashboard') ?? ''

function report(message: Report): void {
  parent.postMessage(message, dashboard)
}

function orderOf(data: unknown): Order | undefined {
  if (typeof data !== 'object' || data === null || !('type' in data)) return undefined
  if (data.type === 'theme' && 'theme' in data && (data.theme === 'light' || data.theme === 'dark'))
    return { type: 'theme', theme: data.theme }
  if (data.type === 'scroll') {
    const spot = spotOf(data)
    return spot && { type: 'scroll', ...spot }
  }
  if (data.type !== 'render' || !('html' in data) || typeof data.html !== 'string') return undefined
  const title = 'title' in data && typeof data.title === 'string' ? data.title : ''
  const mode = 'mode' in data && typeof data.mode === 'string' && modes.has(data.mode) ? data.mode : 'default'
  const styles = 'styles' in data && typeof data.styles === 'string' ? data.styles : ''
  return { type: 'render', html: data.html, title, mode, styles }
}

function start(place: HTMLElement): void {
  const article = new Article(place)
  const body = place.closest('body')
  // The document's policy knows no other style element.
  const sheet = new CSSStyleSheet()
  document.adoptedStyleSheets = [sheet]
  addEventListener('message', ({ origin, source, data }: MessageEvent<unknown>) => {
    if (origin !== dashboard || source !== parent) return
    const order = orderOf(data)
    if (order?.type === 'theme' && !root.hasAttribute('data-strict')) root.setAttribute('data-theme', order.theme)
    if (order?.type === 'scroll') follow(order)
    if (order?.type !== 'render') return
    sheet.replaceSync(order.styles)
    article.show(order.html)
    for (const title of all('head > title')) title.textContent = order.title
    body?.setAttribute('class', `q-live q-mode-${order.mode}`)
    addCopyButtons()
    startTabs()
    drawDiagrams()
  })
}

/** Before all other listeners: what scripts make of links elsewhere (such as copying an address) is of no use here. */
function watchLinks(): void {
  const tell = (event: Event): void => {
    const link = closest(event, 'a, area')
    if (link === null) return
    event.stopPropagation()
    const href = link.getAttribute('href') ?? ''
    if (event.type === 'click' && href.startsWith('#')) return
    event.preventDefault()
    if (event.type === 'click' && URL.canParse(href, location.href))
      report({ type: 'open', href: new URL(href, location.href).href })
  }
  addEventListener('click', tell, true)
  addEventListener('click', (event) => {
    const id = headingOf(event)
    if (id !== undefined) report({ type: 'heading', id })
  })
  addEventListener('auxclick', tell, true)
}

/** Images that were saved a moment ago come with the next release of the preview. */
function watchReleases(): void {
  let stream: EventSource | undefined
  const connect = (): void => {
    stream?.close()
    stream = undefined
    if (Reflect.get(Document.prototype, 'hidden', document)) return
    stream = new EventSource(events)
    stream.addEventListener('release', loadMissing)
    stream.addEventListener('gone', () => stream?.close())
  }
  connect()
  on('visibilitychange', connect)
}

function loadMissing(): void {
  for (const image of all('#q-main img')) {
    if (!(image instanceof HTMLImageElement) || !image.complete || image.naturalWidth > 0) continue
    const fresh = make('img', {})
    // A fresh element asks again; one that failed does not.
    fresh.addEventListener('load', () => image.setAttribute('src', image.getAttribute('src') ?? ''))
    fresh.src = image.src
  }
}

const place = all('#q-main')[0]
if (place !== undefined && parent !== window && dashboard !== '') {
  start(place)
  watchLinks()
  watchReleases()
  report({ type: 'ready' })
}
