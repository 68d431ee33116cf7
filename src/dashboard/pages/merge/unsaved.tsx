import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { FileDrafts } from '../../drafts/file-drafts.ts'
import { paths } from '../../paths.ts'
import { meQuery } from '../../queries/account.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { Notice } from '../../ui/notice.tsx'
import { count } from '../../ui/words.ts'

/** Files that are named. */
const maxNamedFiles = 10

/** Drafts of this browser that are not saved on a branch, and so do not go live with it. */
export function Unsaved({ branch }: { readonly branch: string }) {
  const { slug } = useProject()
  const account = useQuery(meQuery).data?.account.id ?? ''
  const drafts = useQuery({
    queryKey: ['drafts', account, branch],
    queryFn: async () => [...(await new FileDrafts(account, branch).paths())].sort(),
    enabled: account !== '',
    staleTime: 0,
  })
  const found = drafts.data ?? []
  if (found.length === 0) return null
  return (
    <Notice tone="warning" title="Not saved on the branch, so not published">
      You have {count(found.length, 'draft')} in this browser:{' '}
      {found.slice(0, maxNamedFiles).map((path, index) => (
        <span key={path}>
          {index === 0 ? '' : ', '}
          <Link className="link" to={paths.editor(slug, branch, path)}>
            {path}
          </Link>
        </span>
      ))}
      {found.length > maxNamedFiles ? ` and ${(found.length - maxNamedFiles).toLocaleString()} more` : ''}. Save them
      first if they belong to it.
    </Notice>
  )
}
