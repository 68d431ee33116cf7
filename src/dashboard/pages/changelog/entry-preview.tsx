import { useMemo } from 'react'
import type { EntryWords } from '../../drafts/entry-words.ts'
import { classes } from '../../ui/classes.ts'
import { timeInWords } from './zone.ts'
import { Version } from './entry-state.tsx'
import './preview.css'
import css from './preview.module.css'

interface EntryPreviewProps {
  readonly words: Pick<EntryWords, 'title' | 'version' | 'tags'>
  readonly publishedAt: string | undefined
  /** As the service rendered and sanitised it. */
  readonly html: string
  /** Whose images may be shown. */
  readonly siteUrl: string
}

/** An entry as readers see it. */
export function EntryPreview({ words, publishedAt, html, siteUrl }: EntryPreviewProps) {
  const { title, version, tags } = words
  const shown = useMemo(() => forDashboard(html, new URL(siteUrl).origin), [html, siteUrl])
  return (
    <article className={css['entry']} dir="auto">
      <header>
        <h2>
          {title === '' ? <span className="faint">Untitled</span> : title}{' '}
          {version === '' ? null : <Version>{version}</Version>}
        </h2>
        <p className="soft">
          {[publishedAt === undefined ? 'Not published' : timeInWords(publishedAt), ...tags].join(' · ')}
        </p>
      </header>
      {/* The service sanitised it, as for everybody who reads the public page. */}
      <div className={classes('q-prose', css['text'])} dangerouslySetInnerHTML={{ __html: shown }} />
    </article>
  )
}

/** Classes that sites style in what is written; any other would be one of the dashboard. */
const siteClass = /^(?:q-.*|contains-task-list|task-list-item|footnotes|sr-only)$/

/**
 * Links open beside the dashboard; what its policy does not load says that it is there; nothing looks like a part of the
 * dashboard by its class.
 */
function forDashboard(html: string, siteOrigin: string): string {
  const page = new DOMParser().parseFromString(html, 'text/html')
  for (const element of page.querySelectorAll('[class]'))
    element.setAttribute('class', [...element.classList].filter((name) => siteClass.test(name)).join(' '))
  for (const link of page.querySelectorAll('a[href]')) {
    link.setAttribute('target', '_blank')
    link.setAttribute('rel', 'noreferrer')
  }
  for (const medium of page.querySelectorAll('img, video, audio')) {
    const address = medium.getAttribute('src') ?? ''
    if (medium.localName === 'img' && isShown(address, siteOrigin)) continue
    const note = page.createElement('span')
    note.className = css['elsewhere'] ?? ''
    const name = medium.getAttribute('alt') ?? ''
    note.textContent = `${name === '' ? mediaNames[medium.localName] : name} (shown on the public page only)`
    medium.replaceWith(note)
  }
  return page.body.innerHTML
}

const mediaNames: Readonly<Partial<Record<string, string>>> = { img: 'Image', video: 'Video', audio: 'Sound' }

function isShown(address: string, siteOrigin: string): boolean {
  return address.startsWith('data:') || (URL.canParse(address) && new URL(address).origin === siteOrigin)
}
