import { Tag } from 'lucide-react'
import { Link, useSearchParams } from 'react-router'
import type { Entry } from '#contract/changelog.ts'
import { paths } from '../../paths.ts'
import { Row } from '../../ui/card.tsx'
import { searchWith } from '../../ui/search-params.ts'
import { Day, Time } from '../../ui/time.tsx'
import { EntryState, Version } from './entry-state.tsx'
import css from './changelog.module.css'

export function EntryRow({ entry, slug }: { readonly entry: Entry; readonly slug: string }) {
  const { id, title, version, tags, content } = entry
  return (
    <Row
      title={
        <>
          <Link className={css['title']} to={paths.entry(slug, id)}>
            {title}
          </Link>
          {version === undefined ? null : <Version>{version}</Version>}
        </>
      }
      detail={
        <>
          <p className={css['excerpt']}>{beginning(content)}</p>
          <Tags tags={tags} />
        </>
      }
    >
      <When entry={entry} />
      <EntryState status={entry.status} />
    </Row>
  )
}

function When({ entry }: { readonly entry: Entry }) {
  const { status, published_at: at, updated_at: updatedAt } = entry
  if (status === 'draft' || at === undefined) {
    return (
      <span>
        Edited <Time at={updatedAt} />
      </span>
    )
  }
  return status === 'scheduled' ? <Time at={at} /> : <Day at={at} />
}

/** Each leads to the entries that have it. */
function Tags({ tags }: { readonly tags: readonly string[] }) {
  const [search] = useSearchParams()
  if (tags.length === 0) return null
  return (
    <ul className={css['tags']} aria-label="Tags">
      {tags.map((tag) => (
        <li key={tag}>
          <Link className={css['tag']} to={`?${searchWith(search, { tag }).toString()}`}>
            <Tag aria-hidden />
            {tag}
          </Link>
        </li>
      ))}
    </ul>
  )
}

/** Characters of the Markdown that are looked at. */
const looked = 400

/** The first words of Markdown, without most of its marks. */
function beginning(content: string): string {
  return content
    .slice(0, looked)
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/<[^>]*>|^\s*(?:[-+*]|#+|>)\s|[|~]+/gm, ' ')
    .replace(/[*`]+/g, '')
    .replace(/\s+/g, ' ')
    .trim()
}
