import { all, root } from '../client/browser.ts'
import { addCopyButtons } from '../client/copy.ts'
import { startContents } from '../client/reading.ts'
import { startTabs } from '../client/tabs.ts'
import { drawDiagrams } from '../mermaid/diagrams.ts'
import { Article } from './article.ts'
import { Overlay, type BuildError } from './overlay.ts'

/*
 * Pages of `quire dev`: what is saved shows at once, where it stands. It is the first script of a document, so that it sees
 * the page as it was sent.
 */

/** What the preview tells: which build is served, and what is wrong with the newest one. */
interface State {
  readonly release?: string
  readonly errors: readonly BuildError[]
}

const events = '/_quire/local-events'
let shown = all('script[data-local]')[0]?.getAttribute('data-local') ?? ''
const page = all('body')[0]
const article = page && new Article(page)
const ownColours = all('head > style')[0]?.textContent ?? ''
const overlay = new Overlay()
/** One change after the other. */
let following = Promise.resolve()

async function follow(release: string): Promise<void> {
  if (release === shown) return
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } })
  const html = await answer.text()
  // Other colours are a style that this document's policy does not know: they are not even parsed.
  const next = colours(html) === ownColours ? new DOMParser().parseFromString(html, 'text/html') : undefined
  if (next === undefined || page === undefined || article === undefined || answer.redirected || !isAlike(next)) {
    location.reload()
    return
  }
  // Of a build that came meanwhile, perhaps: that one needs no other look.
  shown = next.querySelector('script[data-local]')?.getAttribute('data-local') ?? release
  for (const { name, value } of next.body.attributes) page.setAttribute(name, value)
  for (const title of all('head > title')) title.textContent = next.title
  const before = contents()
  article.show(next.body.innerHTML)
  addCopyButtons()
  startTabs()
  drawDiagrams()
  if (contents() !== before) startContents()
}

/** The one style element of a document, with the site's colours. */
function colours(html: string): string {
  return /<style>([^<]*)</.exec(html)?.[1] ?? ''
}

/** The same but for what the page says: what is in the head stays in force. */
function isAlike(next: Document): boolean {
  const own = (head: Element): string =>
    [
      ...head.querySelectorAll(
        'link:not([rel=canonical]), style, script:not([data-local], [type="application/ld+json"])',
      ),
    ]
      .map(({ outerHTML }) => outerHTML)
      .join()
  const [head] = all('head')
  const languages = ['lang', 'dir', 'data-appearance', 'data-strict']
  const isSame = languages.every((name) => root.getAttribute(name) === next.documentElement.getAttribute(name))
  return isSame && head !== undefined && own(head) === own(next.head)
}

function contents(): string {
  return all('[data-contents]')
    .map(({ textContent }) => textContent)
    .join()
}

const stream = new EventSource(events)
stream.addEventListener('site', ({ data }: MessageEvent<string>) => {
  const { release, errors } = JSON.parse(data) as State
  overlay.show(errors)
  if (release !== undefined) following = following.then(() => follow(release))
})
// What was saved while the preview was away comes when it is there again: the stream asks by itself.
addEventListener('pagehide', () => stream.close())
addEventListener('pageshow', ({ persisted }) => persisted && location.reload())
