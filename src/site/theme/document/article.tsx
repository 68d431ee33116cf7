/** @jsxImportSource #html */
import { raw, type Child, type Html } from '../../../lib/html.ts'
import type { PageArtifact } from '../../page.ts'
import type { PagePosition } from '../../shell.ts'
import { encodeFragment, icons, Link } from './link.tsx'

/** Fewer headings need no contents list. */
const leastListed = 2
/** Parts that are the same in all articles are made once. */
const contentsSummary = (
  <summary>
    {icons.list}
    <span>On this page</span>
    {icons.chevron}
  </summary>
)
const previousLabel = <small>Previous</small>
const nextLabel = <small>Next</small>

/** The article: where it stands, title, lead, body, and the way on. */
export function renderArticle(
  artifact: PageArtifact,
  position: PagePosition | undefined,
  contents: Html | undefined,
): Html {
  const { title, description, html, mode } = artifact
  const body = raw(html)
  if (mode === 'custom' || mode === 'frame') return <article class="q-prose">{body}</article>
  return (
    <>
      <article>
        <header class="q-head">
          <Eyebrow groups={position?.trail ?? []} />
          <h1 class="q-title">{title}</h1>
          {description !== undefined && <p class="q-lead">{description}</p>}
        </header>
        {contents !== undefined && (
          <details class="q-contents-small">
            {contentsSummary}
            {contents}
          </details>
        )}
        <div class="q-prose">{body}</div>
      </article>
      <Pager previous={position?.previous} next={position?.next} />
    </>
  )
}

/** Entries of the contents list, levels 2 and 3; undefined when there is too little to list or the page wants none. */
export function renderContents(artifact: PageArtifact): Html | undefined {
  if (artifact.mode !== undefined && artifact.mode !== 'default') return undefined
  const headings = artifact.headings.filter(({ level }) => level === 2 || level === 3)
  if (headings.length < leastListed) return undefined
  return (
    <ul class="q-contents-list">
      {headings.map(({ id, level, text }) => (
        <li class={level === 3 ? 'q-l3' : 'q-l2'}>
          <a href={`#${encodeFragment(id)}`}>{text}</a>
        </li>
      ))}
    </ul>
  )
}

function Eyebrow({ groups }: { readonly groups: readonly string[] }): Child {
  if (groups.length === 0) return null
  return (
    <p class="q-eyebrow">
      {groups.map((title, index) => (
        <>
          {index > 0 && icons.chevron}
          <span>{title}</span>
        </>
      ))}
    </p>
  )
}

function Pager({ previous, next }: { [End in 'previous' | 'next']: PagePosition[End] }): Child {
  if (previous === undefined && next === undefined) return null
  return (
    <nav class="q-pager" aria-label="Previous and next page">
      {previous !== undefined && (
        <Link class="q-pager-previous" rel="prev" href={previous.href}>
          {icons.previous}
          <span>
            {previousLabel}
            {previous.title}
          </span>
        </Link>
      )}
      {next !== undefined && (
        <Link class="q-pager-next" rel="next" href={next.href}>
          <span>
            {nextLabel}
            {next.title}
          </span>
          {icons.next}
        </Link>
      )}
    </nav>
  )
}
