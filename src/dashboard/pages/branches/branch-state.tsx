import type { Branch } from '#contract/branches.ts'
import { isUnderWay } from '../../queries/branches.ts'
import { Badge } from '../../ui/badge.tsx'
import { count } from '../../ui/words.ts'
import css from './branches.module.css'

/** How the preview of a branch is. */
export function PreviewState({ branch: { preview } }: { readonly branch: Branch }) {
  const { counts, status } = preview
  if (isUnderWay(preview)) {
    return (
      <Badge tone="note" pulse>
        Building preview
      </Badge>
    )
  }
  if (status === 'failed') return <Badge tone="danger">{count(counts.errors, 'error')}</Badge>
  if (counts.warnings > 0) return <Badge tone="warning">Ready, {count(counts.warnings, 'warning')}</Badge>
  return <Badge tone="success">Preview ready</Badge>
}

/** Whether main has something that the branch lacks. */
export function MainState({ branch: { upToDate } }: { readonly branch: Branch }) {
  return upToDate ? <Badge>Up to date</Badge> : <Badge tone="warning">Behind main</Badge>
}

/** How many files a branch added, changed and deleted. */
export function ChangeCounts({ branch: { changes } }: { readonly branch: Branch }) {
  const { added, modified, deleted } = changes
  if (added + modified + deleted === 0) return <span>No changes yet</span>
  const parts = [
    [added, '+', 'added', css['added']],
    [modified, '~', 'changed', css['modified']],
    [deleted, '−', 'deleted', css['deleted']],
  ] as const
  return (
    <span className={css['counts']}>
      {parts.map(([files, sign, word, className]) =>
        files === 0 ? null : (
          <span key={word} className={className} title={`${count(files, 'file')} ${word}`}>
            <span aria-hidden>
              {sign}
              {files.toLocaleString()}
            </span>
            <span className="visually-hidden">
              {count(files, 'file')} {word}
            </span>
          </span>
        ),
      )}
    </span>
  )
}
