import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useMemo } from 'react'
import { lineChanges, linesOf } from '#authoring/merge.ts'
import type { HistoryCommit } from '#contract/branches.ts'
import { branchFileAtQuery } from '../../queries/branches.ts'
import { fileHistoryQuery, type BranchRef } from '../../queries/files.ts'
import { Button } from '../../ui/button.tsx'
import { Loaded, Skeleton } from '../../ui/loaded.tsx'
import { More } from '../../ui/more.tsx'
import { useSearchParam } from '../../ui/search-params.ts'
import { Time } from '../../ui/time.tsx'
import type { OpenFile } from './open-file.ts'
import { useFileText } from './use-open-file.ts'
import css from './history-panel.module.css'

interface HistoryPanelProps {
  readonly branchRef: BranchRef
  readonly path: string
  /** As it is in the editor; undefined: it is no text, or is not there yet. */
  readonly file: OpenFile | undefined
  /** Undefined: not to be written. */
  readonly onRestore: ((text: string) => void) | undefined
}

/** Who changed the file and when, and what it was then. The version that is looked at is in the address. */
export function HistoryPanel({ branchRef, path, file, onRestore }: HistoryPanelProps) {
  const history = useInfiniteQuery(fileHistoryQuery(branchRef, path))
  const [at, setAt] = useSearchParam('at')
  return (
    <Loaded query={history} pending={<Skeleton lines={5} />}>
      {(commits) => {
        if (commits.length === 0) return <p className={css['none']}>This file has not been saved yet.</p>
        return (
          <>
            <ul className={css['commits']} aria-label="Versions">
              {commits.map((commit) => (
                <li key={commit.oid}>
                  <button
                    type="button"
                    className={css['commit']}
                    aria-expanded={commit.oid === at}
                    onClick={() => setAt(commit.oid === at ? undefined : commit.oid, { replace: true })}
                  >
                    <span>{commit.message.split('\n')[0]}</span>
                    <small>
                      {commit.author.name || commit.author.email} · <Time at={commit.committedAt} />
                    </small>
                  </button>
                  {commit.oid === at ? (
                    <Version branchRef={branchRef} commit={commit} path={path} file={file} onRestore={onRestore} />
                  ) : null}
                </li>
              ))}
            </ul>
            <More query={history} />
          </>
        )
      }}
    </Loaded>
  )
}

function Version({ branchRef, commit, path, file, onRestore }: HistoryPanelProps & { readonly commit: HistoryCommit }) {
  // What restoring it takes the place of: what is typed meanwhile, too. Letters do not wait for it.
  const text = useDeferredValue(useFileText(file))
  const version = useQuery(branchFileAtQuery(branchRef.slug, branchRef.id, commit.path ?? path, commit.oid))
  return (
    <div className={css['version']}>
      <Loaded query={version}>
        {({ content, encoding }) =>
          encoding === 'base64' ? (
            <p className="soft">This version is no text.</p>
          ) : (
            <>
              <Differences before={content.replaceAll(/\r\n?/g, '\n')} after={text} />
              {onRestore === undefined ? null : (
                <Button size="small" onClick={() => onRestore(content.replaceAll(/\r\n?/g, '\n'))}>
                  Restore this version
                </Button>
              )}
            </>
          )
        }
      </Loaded>
    </div>
  )
}

/** What has changed since, line by line. */
function Differences({ before, after }: { readonly before: string; readonly after: string }) {
  const changes = useMemo(() => {
    const lines = linesOf(before)
    return lineChanges(before, after).map(({ from, to, lines: added }) => ({
      from,
      deleted: lines.slice(from, to),
      added,
    }))
  }, [before, after])
  if (changes.length === 0) return <p className="soft">It is the text that you see.</p>
  return (
    <div className={css['differences']} role="group" aria-label="What has changed since">
      {changes.map(({ from, deleted, added }) => (
        <pre key={from}>
          {deleted.map((line, index) => (
            <del key={`- ${index}`}>{line}</del>
          ))}
          {added.map((line, index) => (
            <ins key={`+ ${index}`}>{line}</ins>
          ))}
        </pre>
      ))}
    </div>
  )
}
