import { MessageSquarePlus } from 'lucide-react'
import { Link } from 'react-router'
import type { FileDiff } from '../../../contract/comparisons.ts'
import { paths } from '../../paths.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { count } from '../../ui/words.ts'
import { useAsked } from './thread.tsx'
import { ofFile, type Talk } from './use-talk.tsx'
import css from './comments.module.css'

interface BranchCommentsProps {
  readonly talk: Talk
  /** What the branch changed; undefined while that is not known. */
  readonly files: readonly FileDiff[] | undefined
}

/** What is said about a branch as a whole, and about files that it does not change any more. */
export function BranchComments({ talk, files }: BranchCommentsProps) {
  const { query, talker, threads, drafts, view, begin } = talk
  const { slug, branch, mayWrite } = talker
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
export function FileComments({ talk, file }: { readonly talk: Talk; readonly file: FileDiff }) {
  const open = ofFile(talk.threads, file).filter(({ resolved }) => !resolved).length
  return (
    <>
      {open === 0 ? null : <span className={css['count']}>{count(open, 'open thread')}</span>}
      {talk.talker.mayWrite ? (
        <IconButton
          size="small"
          icon={MessageSquarePlus}
          label="Comment on the file"
          onClick={() => talk.begin({ path: file.path })}
        />
      ) : null}
    </>
  )
}
