import { Columns2, Rows2 } from 'lucide-react'
import { useState } from 'react'
import type { CommitComparison } from '../../contract/comparisons.ts'
import { Button, IconButton } from './button.tsx'
import { classes } from './classes.ts'
import { DiffFile, LineCounts, Mark, marks, type FileProps } from './diff-file.tsx'
import { useDiffLayout } from './diff-layout.ts'
import type { DiffNotes } from './diff-notes.ts'
import { SearchField } from './search-field.tsx'
import { useSearchParam } from './search-params.ts'
import css from './diff.module.css'

/** Files that are listed at once. */
const listStep = 100
/** From so many files on, there is a field to find one. */
const minToSearch = 10

interface DiffProps extends Pick<FileProps, 'fileQuery' | 'contentQuery' | 'actions'> {
  readonly comparison: CommitComparison
  readonly notes?: DiffNotes | undefined
}

/**
 * What differs between two commits, file by file. The address has what is looked at: `?path=` a file, `?find=` a part of
 * the names, `?layout=` how sides are shown.
 */
export function Diff({ comparison, fileQuery, contentQuery, actions, notes }: DiffProps) {
  const [asked, setAsked] = useSearchParam('path')
  const [find = '', setFind] = useSearchParam('find')
  const { layout, isWide, choose } = useDiffLayout()
  const [room, setRoom] = useState(listStep)
  const found = comparison.files.filter(
    ({ path, oldPath }) => path.includes(find) || oldPath?.includes(find) === true || path === asked,
  )
  const askedAt = found.findLastIndex(({ path }) => path === asked || path === notes?.asked)
  const shown = found.slice(0, Math.max(room, askedAt + 1))

  return (
    <div className={css['diff']}>
      <nav className={css['list']} aria-label="Changed files">
        <div className={css['bar']}>
          <h2>{wordsOf(comparison)}</h2>
          {isWide ? (
            <span className={css['choice']}>
              <IconButton
                icon={Rows2}
                size="small"
                label="One column"
                aria-pressed={layout === 'unified'}
                onClick={() => choose('unified')}
              />
              <IconButton
                icon={Columns2}
                size="small"
                label="Side by side"
                aria-pressed={layout === 'split'}
                onClick={() => choose('split')}
              />
            </span>
          ) : null}
        </div>
        {comparison.files.length < minToSearch ? null : (
          <SearchField label="Find a file" value={find} onChange={(value) => setFind(value, { replace: true })} />
        )}
        <ul>
          {shown.map((file) => (
            <li key={file.path}>
              <button
                type="button"
                className={classes(css['item'], file.path === asked && css['current'])}
                aria-current={file.path === asked ? 'true' : undefined}
                onClick={() => setAsked(file.path, { replace: true })}
              >
                <Mark status={file.status} />
                <span className={css['name']} title={file.path}>
                  <bdi>{file.path}</bdi>
                </span>
                <LineCounts file={file} />
              </button>
            </li>
          ))}
        </ul>
      </nav>
      <div className={css['files']}>
        {shown.length === 0 ? <p className="soft">No changed file has “{find}” in its name.</p> : null}
        {shown.map((file) => (
          <DiffFile
            key={file.path}
            {...{ file, comparison, layout, fileQuery, contentQuery, actions, notes }}
            isAsked={file.path === asked}
          />
        ))}
        {found.length > shown.length ? (
          <div>
            <Button onClick={() => setRoom(shown.length + listStep)}>
              Show more ({(found.length - shown.length).toLocaleString()})
            </Button>
          </div>
        ) : null}
      </div>
    </div>
  )
}

/** “12 files: 3 added, 8 changed, 1 renamed”. */
function wordsOf({ files }: CommitComparison): string {
  const kinds = (['added', 'modified', 'renamed', 'deleted'] as const).flatMap((kind) => {
    const count = files.filter(({ status }) => status === kind).length
    return count === 0 ? [] : [`${count.toLocaleString()} ${marks[kind][1].toLowerCase()}`]
  })
  const all = files.length === 1 ? '1 file' : `${files.length.toLocaleString()} files`
  return `${all}: ${kinds.join(', ')}`
}
