/** @jsxImportSource #html */
import type { Images } from '#contract/release.ts'
import { raw, type Child, type Html } from '#lib/html.ts'
import type { PageArtifact } from '../../page.ts'
import type { PagePosition } from '../../shell.ts'
import type { PageWords } from '../words/page.ts'
import { inLanguage, type PartWords } from '../words/parts.ts'
import { withImages } from './images.ts'
import { encodeFragment, icons, Link } from './link.tsx'

/** Fewer headings need no contents list. */
const leastListed = 2

/** What stands around the body of a page. */
export interface ArticleParts {
  readonly position: PagePosition | undefined
  readonly contents: Html | undefined
  readonly words: PageWords
  /** Beside the title, and under the body. */
  readonly menu?: Html | undefined
  readonly feedback?: Html | undefined
  readonly foot?: Html | undefined
  /** Over the body: ways into its updates. */
  readonly updates?: Html | undefined
  /** Over everything else: what readers of this page should know first. */
  readonly notice?: Html | undefined
  /** Absent where the body is in the language of its own words. */
  readonly parts?: PartWords | undefined
  readonly images?: Images | undefined
  /** `section`: the group of the page alone stands over the title. */
  readonly eyebrow?: 'section' | undefined
}

/** Characters of a body that a phone lays out in tenths of a second and more: see `.q-long`. */
const longHtml = 200_000

/** The article: where it stands, title, lead, body, and the way on. */
export function renderArticle(
  artifact: PageArtifact,
  { position, contents, words, parts, notice, menu, feedback, foot, updates, images, eyebrow }: ArticleParts,
): Html {
  const { title, description, html, mode, deprecated, alone } = artifact
  const body = raw(withImages(inLanguage(html, parts), images))
  const heading = (
    <h1 class="q-title">
      {title}
      {deprecated === true && <span class="q-nav-tag q-deprecated">{words.deprecated}</span>}
    </h1>
  )
  if (mode === 'custom' || mode === 'frame')
    return (
      <>
        {notice}
        <article class="q-prose">
          {!html.includes('<h1') && <h1 class="q-hidden">{title}</h1>}
          {body}
        </article>
      </>
    )
  return (
    <>
      {notice}
      <article>
        <header class="q-head">
          <Eyebrow groups={eyebrow === 'section' ? (position?.trail.slice(-1) ?? []) : (position?.trail ?? [])} />
          {menu === undefined ? (
            heading
          ) : (
            <div class="q-head-row">
              {heading}
              {menu}
            </div>
          )}
          {description !== undefined && <p class="q-lead">{description}</p>}
        </header>
        {contents !== undefined && (
          <details class="q-contents-small">
            <summary>
              {icons.list}
              <span>{words.contents}</span>
              {icons.chevron}
            </summary>
            {contents}
          </details>
        )}
        {updates}
        <div class={html.length > longHtml ? 'q-prose q-long' : 'q-prose'}>{body}</div>
      </article>
      {feedback}
      {foot}
      {alone !== true && <Pager previous={position?.previous} next={position?.next} words={words} />}
    </>
  )
}

/** Entries of the contents list, levels 2 and 3; undefined when there is too little to list or the page wants none. */
export function renderContents(artifact: PageArtifact, parts?: PartWords): Html | undefined {
  if (artifact.mode !== undefined && artifact.mode !== 'default') return undefined
  const headings = artifact.headings.filter(({ level }) => level === 2 || level === 3)
  if (headings.length < leastListed) return undefined
  return (
    <ul class="q-contents-list">
      {headings.map(({ id, level, text, word }) => (
        <li class={level === 3 ? 'q-l3' : 'q-l2'}>
          <a href={`#${encodeFragment(id)}`}>{wordOf(parts, word) ?? text}</a>
        </li>
      ))}
    </ul>
  )
}

/** A word that stands in bodies of pages; undefined for one that there is not, or that stands in English as it is. */
function wordOf(parts: PartWords | undefined, name: string | undefined): string | undefined {
  return parts !== undefined && name !== undefined && Object.hasOwn(parts, name)
    ? parts[name as keyof PartWords]
    : undefined
}

/** The contents list beside the article. */
export function ContentsRail({ title, children }: { readonly title: string; readonly children?: Child }): Html {
  return (
    <aside class="q-contents">
      <nav aria-labelledby="q-contents-title" data-contents>
        <p class="q-contents-title" id="q-contents-title">
          {icons.list}
          {title}
        </p>
        {children}
      </nav>
    </aside>
  )
}

function Eyebrow({ groups }: { readonly groups: PagePosition['trail'] }): Child {
  if (groups.length === 0) return null
  return (
    <p class="q-eyebrow">
      {groups.map((group, index) => (
        <>
          {index > 0 && icons.chevron}
          {typeof group === 'string' ? <span>{group}</span> : <Link href={group.href}>{group.title}</Link>}
        </>
      ))}
    </p>
  )
}

interface PagerProps {
  readonly previous: PagePosition['previous']
  readonly next: PagePosition['next']
  readonly words: PageWords
}

function Pager({ previous, next, words }: PagerProps): Child {
  if (previous === undefined && next === undefined) return null
  return (
    <nav class="q-pager" aria-label={words.neighbours}>
      {previous !== undefined && (
        <Link class="q-pager-previous" rel="prev" href={previous.href}>
          {icons.previous}
          <span>
            <small>{words.previous}</small>
            {previous.title}
          </span>
        </Link>
      )}
      {next !== undefined && (
        <Link class="q-pager-next" rel="next" href={next.href}>
          <span>
            <small>{words.next}</small>
            {next.title}
          </span>
          {icons.next}
        </Link>
      )}
    </nav>
  )
}
