import { MessageSquarePlus } from 'lucide-react'
import { Link } from 'react-router'
import type { FileDiff } from '#contract/comparisons.ts'
import { paths } from '../../paths.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { count } from '../../ui/words.ts'
import { useAsked } from './thread.tsx'
import { ofFile, type Discussion } from './use-discussion.tsx'
import css from './comments.module.css'

interface BranchCommentsProps {
  readonly discussion: Discussion
  /** What the branch changed; undefined while that is not known. */
  readonly files: readonly FileDiff[] | undefined
}

/** What is said about a branch as a whole, and about files that it does not change any more. */
export function BranchComments({ discussion, files }: BranchCommentsProps) {
  const { query, context, threads, drafts, view, begin } = discussion
  const { slug, branch, mayWrite } = context
  const asked = useAsked()
  const items = [...threads, ...drafts]
  const whole = items.filter(({ path }) => path === undefined)
  const inFiles = new Set((files ?? []).flatMap((file) => ofFile(items, file)))
  const left = files === undefined ? [] : items.filter((item) => item.path !== undefined && !inFiles.has(item))
  const isGone = asked !== '' && !threads.some(({ comments }) => comments.some(({ id }) => id === asked))
  return (
    <section className={css['branch']} aria-label="Comments on the branch">
      {mayWrite ? (
        <div className={css['buttons']}>
          <Button size="small" icon={MessageSquarePlus} onClick={() => begin({})}>
            Comment on the branch
          </Button>
          {files === undefined || files.length === 0 ? null : (
            <p className="soft">To comment on a line, press its number.</p>
          )}
        </div>
      ) : null}
      <Loaded query={query}>
        {() => (
          <>
            {isGone ? <p role="status">The comment that was asked for is not there any more.</p> : null}
            {view(whole)}
            {[...new Set(left.map(({ path = '' }) => path))].map((path) => (
              <div key={path} className={css['branch']}>
                <h2>
                  On <Link to={paths.editor(slug, branch, path)}>{path}</Link>, which the branch does not change any
                  more
                </h2>
                {view(
                  left.filter((item) => item.path === path),
                  true,
                )}
              </div>
            ))}
          </>
        )}
      </Loaded>
    </section>
  )
}

/** In the head of a file: how many threads are open there, and a button for a new one. */
export function FileComments({ discussion, file }: { readonly discussion: Discussion; readonly file: FileDiff }) {
  const open = ofFile(discussion.threads, file).filter(({ resolved }) => !resolved).length
  return (
    <>
      {open === 0 ? null : <span className={css['count']}>{count(open, 'open thread')}</span>}
      {discussion.context.mayWrite ? (
        <IconButton
          size="small"
          icon={MessageSquarePlus}
          label="Comment on the file"
          onClick={() => discussion.begin({ path: file.path })}
        />
      ) : null}
    </>
  )
}
