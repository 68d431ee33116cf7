import { useMutation } from '@tanstack/react-query'
import { Check, ChevronRight, PencilLine, Reply, RotateCcw, Trash2 } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Link, useLocation } from 'react-router'
import type { Comment } from '#contract/comments.ts'
import type { UnsentComments } from '../../drafts/unsent-comments.ts'
import { addComment, changeComment, removeComment } from '../../queries/comments.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { Confirm } from '../../ui/dialog.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'
import { count } from '../../ui/words.ts'
import { Composer } from './composer.tsx'
import { withAddresses, type Thread } from './threads.ts'
import css from './comments.module.css'

/** Who takes part in what is said about a branch, and where. */
export interface CommentContext {
  readonly slug: string
  /** Id. */
  readonly branch: string
  readonly account: string
  readonly mayWrite: boolean
  readonly mayDeleteAll: boolean
  readonly kept: UnsentComments
  /** Asks for a comment. */
  readonly show: (comment: string) => void
}

interface ThreadProps {
  readonly thread: Thread
  readonly context: CommentContext
  /** Its line is not there any more. */
  readonly isOutdated?: boolean
}

/** Id of the comment that the address asks for (`#…`). */
export function useAsked(): string {
  return useLocation().hash.slice(1)
}

function authorName({ author: { kind, name } }: Comment): string {
  if (name === undefined) return 'A former member'
  return kind === 'key' ? `Key ${name}` : name
}

/** Comments that answer each other. Resolved ones are folded. */
export function ThreadView({ thread, context, isOutdated = false }: ThreadProps) {
  const { id, comments, resolved } = thread
  const { slug, branch, mayWrite } = context
  const asked = useAsked()
  const [chosen, setChosen] = useState<boolean>()
  const element = useRef<HTMLElement>(null)
  const isOpen = !resolved || (chosen ?? comments.some((comment) => comment.id === asked))
  const [first] = comments
  if (first === undefined) return null
  return (
    <section
      ref={element}
      tabIndex={-1}
      className={classes(css['thread'], resolved && css['resolved'])}
      aria-label={`Thread that ${authorName(first)} began`}
    >
      {resolved ? (
        <button type="button" className={css['fold']} aria-expanded={isOpen} onClick={() => setChosen(!isOpen)}>
          <ChevronRight aria-hidden className={classes(isOpen && css['open'])} />
          <span>
            Resolved: {count(comments.length, 'comment')}
            {isOpen ? '' : `, ${authorName(first)}: ${first.text.slice(0, 80)}`}
          </span>
        </button>
      ) : null}
      {isOutdated && thread.line !== undefined ? (
        <p className={css['outdated']}>
          <strong>Outdated</strong>{' '}
          {thread.line.side === 'main' ? `Line ${thread.line.number} of main was` : `Line ${thread.line.number} was`}{' '}
          <code>{thread.line.text.trim() === '' ? 'empty' : thread.line.text.trim()}</code>
        </p>
      ) : null}
      {isOpen ? (
        <>
          <ol>
            {comments.map((comment) => (
              <CommentView key={comment.id} comment={comment} context={context} />
            ))}
          </ol>
          {mayWrite ? (
            <Answer
              {...{ thread, context }}
              resolve={async (next) => {
                await changeComment(slug, branch, first.id, { resolved: next })
                setChosen(false)
                element.current?.focus()
                if (next)
                  toast.done('The thread is resolved.', () =>
                    changeComment(slug, branch, first.id, { resolved: false }),
                  )
              }}
              key={id}
            />
          ) : null}
        </>
      ) : null}
    </section>
  )
}

interface AnswerProps extends Pick<ThreadProps, 'thread' | 'context'> {
  readonly resolve: (resolved: boolean) => Promise<void>
}

function Answer({ thread: { id, resolved }, context, resolve }: AnswerProps) {
  const { slug, branch, kept, show } = context
  const [presses, setPresses] = useState(kept.has({ thread: id }) ? 0 : -1)
  const resolving = useMutation({ mutationFn: () => resolve(!resolved), onError: toast.failed })
  return presses >= 0 ? (
    <Composer
      keptAs={kept.keyOf({ thread: id })}
      label="Answer"
      action="Answer"
      presses={presses}
      send={async (text) => show((await addComment(slug, branch, { text, thread: id })).id)}
      onClose={() => setPresses(-1)}
    />
  ) : (
    <div className={css['buttons']}>
      <Button size="small" icon={Reply} onClick={() => setPresses(1)}>
        Answer
      </Button>
      <Button
        size="small"
        look="ghost"
        icon={resolved ? RotateCcw : Check}
        busy={resolving.isPending}
        onClick={() => resolving.mutate()}
      >
        {resolved ? 'Reopen' : 'Resolve'}
      </Button>
    </div>
  )
}

interface CommentProps {
  readonly comment: Comment
  readonly context: CommentContext
}

function CommentView({ comment, context }: CommentProps) {
  const { id, text, author, createdAt, editedAt } = comment
  const { slug, branch, account, kept, mayWrite, mayDeleteAll } = context
  const { search } = useLocation()
  const element = useRef<HTMLLIElement>(null)
  const [presses, setPresses] = useState(kept.has({ comment: id }) ? 0 : -1)
  const [isDeleting, setDeleting] = useState(false)
  const isAsked = useAsked() === id
  useEffect(() => {
    if (!isAsked) return
    element.current?.scrollIntoView({ block: 'center' })
    element.current?.focus({ preventScroll: true })
  }, [isAsked])
  const name = authorName(comment)
  const isOwn = mayWrite && author.kind === 'account' && author.id === account
  return (
    <li ref={element} id={id} tabIndex={-1} className={classes(css['comment'], isAsked && css['asked'])}>
      <header>
        <strong>{name}</strong>
        <Link to={{ search, hash: id }}>
          <span className="visually-hidden">Link to the comment of {name}, </span>
          <Time at={createdAt} />
        </Link>
        {editedAt === undefined ? null : <span>edited</span>}
        <span className={css['tools']}>
          {isOwn && presses < 0 ? (
            <IconButton size="small" icon={PencilLine} label="Edit comment" onClick={() => setPresses(1)} />
          ) : null}
          {isOwn || (mayWrite && mayDeleteAll) ? (
            <IconButton size="small" icon={Trash2} label="Delete comment" onClick={() => setDeleting(true)} />
          ) : null}
        </span>
      </header>
      {presses >= 0 ? (
        <Composer
          keptAs={kept.keyOf({ comment: id })}
          initial={text}
          label="Edit comment"
          action="Save"
          presses={presses}
          send={(next) => changeComment(slug, branch, id, { text: next })}
          onClose={() => {
            setPresses(-1)
            element.current?.focus()
          }}
        />
      ) : (
        <p>
          {withAddresses(text).map((piece, index) =>
            index % 2 === 0 ? (
              piece
            ) : (
              <a key={index} className="link" href={piece} target="_blank" rel="noreferrer nofollow">
                {piece}
              </a>
            ),
          )}
        </p>
      )}
      <Confirm
        open={isDeleting}
        onOpenChange={setDeleting}
        title={`Delete the comment of ${name}?`}
        action="Delete comment"
        danger
        onConfirm={async () => {
          await removeComment(slug, branch, id)
          toast.done('The comment is deleted.')
        }}
      >
        It goes for everybody, and cannot be brought back. Answers to it stay.
      </Confirm>
    </li>
  )
}
