import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { Deploy } from '#contract/deploys.ts'
import { paths } from '../../paths.ts'
import { deployDiffQuery } from '../../queries/deploys.ts'
import { LinkButton } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { LineCounts, Mark } from '../../ui/diff-file.tsx'
import { Skeleton } from '../../ui/loaded.tsx'
import { count } from '../../ui/words.ts'
import css from './deploys.module.css'

const shown = 12

/** The files that a deploy changed, as far as its commit is kept. */
export function ChangedFiles({ deploy, slug }: { readonly deploy: Deploy; readonly slug: string }) {
  const { data, error } = useQuery(deployDiffQuery(slug, deploy.id))
  // The commit of one that failed goes after a while: then there is nothing to tell.
  if (error !== null) return null
  const to = paths.deployChanges(slug, deploy.id)
  return (
    <Card
      title={data === undefined ? 'Changes' : count(data.files.length, 'changed file')}
      actions={
        <LinkButton size="small" look="ghost" to={to}>
          All changes
        </LinkButton>
      }
    >
      {data === undefined ? (
        <Skeleton />
      ) : data.files.length === 0 ? (
        <p className="soft">The files are those that were live before.</p>
      ) : (
        <ul className={css['files']} aria-label="Changed files">
          {data.files.slice(0, shown).map((file) => (
            <li key={file.path}>
              <Mark status={file.status} />
              <Link to={`${to}?path=${encodeURIComponent(file.path)}`}>{file.path}</Link>
              <LineCounts file={file} />
            </li>
          ))}
          {data.files.length > shown ? (
            <li className="soft">and {count(data.files.length - shown, 'more file')}</li>
          ) : null}
        </ul>
      )}
    </Card>
  )
}
