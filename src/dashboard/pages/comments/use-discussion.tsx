import { useQuery } from '@tanstack/react-query'
import { useCallback, useMemo, useRef, useState, type ReactNode } from 'react'
import { useNavigate } from 'react-router'
import type { CommentAnchor } from '#contract/comments.ts'
import type { FileDiff } from '#contract/comparisons.ts'
import { UnsentComments } from '../../drafts/unsent-comments.ts'
import { meQuery } from '../../queries/account.ts'
import { addComment, commentsQuery } from '../../queries/comments.ts'
import { may } from '../../queries/projects.ts'
import { useProject } from '../../shell/project-shell.tsx'
import type { DiffNotes } from '../../ui/diff-notes.ts'
import { Composer } from './composer.tsx'
import { ThreadView, useAsked, type CommentContext } from './thread.tsx'
import { anchorOfSpot, placed, threadsOf, type Thread } from './threads.ts'
import css from './comments.module.css'

/** A new thread that is being written. */
interface Draft extends CommentAnchor {
  readonly key: string
  readonly presses: number
}

/** What is said about the changes of a branch, and what is being written. */
export function useDiscussion(branch: string) {
  const project = useProject()
  const { slug } = project
  const account = useQuery(meQuery).data?.account.id ?? ''
  const query = useQuery(commentsQuery(slug, branch))
  const threads = useMemo(() => threadsOf(query.data ?? []), [query.data])
  const asked = useAsked()
  const navigate = useNavigate()
  const show = useCallback(
    (comment: string) =>
      void navigate({ search: location.search, hash: comment }, { replace: true, preventScrollReset: true }),
    [navigate],
  )
  const mayWrite = may(project, 'write')
  const mayDeleteAll = may(project, 'admin')
  const context = useMemo((): CommentContext => {
    const kept = new UnsentComments(account, branch)
    return { slug, branch, account, mayWrite, mayDeleteAll, kept, show }
  }, [slug, branch, account, mayWrite, mayDeleteAll, show])
  const { drafts, begin, close } = useDrafts(context.kept)

  const view = useCallback(
    (items: readonly (Thread | Draft)[], isOutdated = false): ReactNode =>
      items.length === 0 ? null : (
        <div className={css['threads']}>
          {items.map((item) =>
            'id' in item ? (
              <ThreadView key={item.id} thread={item} {...{ context, isOutdated }} />
            ) : (
              <NewThread key={item.key} draft={item} {...{ context, close }} />
            ),
          )}
        </div>
      ),
    [context, close],
  )
  const askedPath = threads.find(({ comments }) => comments.some(({ id }) => id === asked))?.path
  const of: DiffNotes['of'] = useCallback(
    (file, hunks) => {
      const own = placed(ofFile([...threads, ...drafts], file), hunks)
      return {
        lines: new Map([...own.lines].map(([key, items]) => [key, <div key={key}>{view(items)}</div>])),
        above: view(own.whole),
        under: view(own.outdated, true),
        onLine: mayWrite ? (spot) => begin(anchorOfSpot(file.path, spot)) : undefined,
      }
    },
    [threads, drafts, view, mayWrite, begin],
  )
  const notes: DiffNotes = { asked: askedPath, of }
  return { query, context, threads, drafts, notes, view, begin }
}
export type Discussion = ReturnType<typeof useDiscussion>

/** Those about a file, also by the name that main has for it. */
export function ofFile<T extends CommentAnchor>(items: readonly T[], { path, oldPath }: FileDiff): readonly T[] {
  return items.filter((item) => item.path !== undefined && (item.path === path || item.path === oldPath))
}

/** The threads that are being begun; those that were when the page was left, too. */
function useDrafts(kept: UnsentComments) {
  const [begun, setBegun] = useState<readonly Draft[]>()
  const opener = useRef<Element | null>(null)
  const keptDrafts = useMemo(
    () => kept.anchors().map((anchor): Draft => ({ ...anchor, key: kept.keyOf(anchor), presses: 0 })),
    [kept],
  )
  const drafts = begun ?? keptDrafts
  const change = useCallback(
    (next: (drafts: readonly Draft[]) => readonly Draft[]) => setBegun((before) => next(before ?? keptDrafts)),
    [keptDrafts],
  )
  const begin = useCallback(
    (anchor: CommentAnchor): void => {
      opener.current = document.activeElement
      const key = kept.keyOf(anchor)
      change((before) => {
        const presses = (before.find((draft) => draft.key === key)?.presses ?? 0) + 1
        return [...before.filter((draft) => draft.key !== key), { ...anchor, key, presses }]
      })
    },
    [kept, change],
  )
  const close = useCallback(
    (key: string): void => {
      change((before) => before.filter((draft) => draft.key !== key))
      if (opener.current instanceof HTMLElement) opener.current.focus()
    },
    [change],
  )
  return { drafts, begin, close }
}

interface NewThreadProps {
  readonly draft: Draft
  readonly context: CommentContext
  readonly close: (key: string) => void
}

function NewThread({ draft: { key, presses, path, line }, context, close }: NewThreadProps) {
  const { slug, branch, show } = context
  const about =
    path === undefined
      ? 'Comment on the branch'
      : line === undefined
        ? `Comment on ${path}`
        : `Comment on line ${line.number} of ${line.side === 'main' ? 'main’s ' : ''}${path}`
  return (
    <div className={css['thread']}>
      <Composer
        keptAs={key}
        label={about}
        action="Comment"
        presses={presses}
        send={async (text) => {
          const anchor = { ...(path === undefined ? {} : { path }), ...(line === undefined ? {} : { line }) }
          show((await addComment(slug, branch, { text, ...anchor })).id)
        }}
        onClose={() => close(key)}
      />
    </div>
  )
}
