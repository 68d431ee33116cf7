import { useQuery } from '@tanstack/react-query'
import { ArrowLeft, MessageSquarePlus, X } from 'lucide-react'
import { useEffect, useMemo, useRef, useSyncExternalStore, type ReactNode } from 'react'
import { isFailure } from '../../client.ts'
import { useUnsentText } from '../../drafts/use-unsent-text.ts'
import { meQuery } from '../../queries/account.ts'
import { conversationQuery } from '../../queries/assistant.ts'
import type { BranchRef } from '../../queries/files.ts'
import { IconButton } from '../../ui/button.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { useSearchParam } from '../../ui/search-params.ts'
import { Composer } from './composer.tsx'
import { Conversations } from './conversations.tsx'
import { Refusal } from './refusal.tsx'
import { Turn, TurnUnderWay } from './turn.tsx'
import { assistantOf } from './branch-assistant.ts'
import css from './assistant.module.css'

interface AssistantPanelProps {
  readonly slug: string
  /** Id. */
  readonly branch: string
  /** Shows a file in the editor. */
  readonly onOpen: (path: string) => void
  readonly onClose: () => void
}

/** Conversations with a model that works on the branch. The address names the one that is open. */
export function AssistantPanel({ slug, branch, onOpen, onClose }: AssistantPanelProps) {
  const branchRef = useMemo<BranchRef>(() => ({ slug, id: branch }), [slug, branch])
  const assistant = assistantOf(branchRef)
  const { underWay, refused } = useSyncExternalStore(assistant.subscribe, assistant.state)
  const me = useQuery(meQuery)
  const { text, write, taken } = useUnsentText(`quire-question ${me.data?.account.id ?? ''} ${branch}`)
  const [conversation, show] = useSearchParam('conversation')
  const field = useRef<HTMLTextAreaElement>(null)

  const begun = underWay?.conversation
  const isNew = conversation === undefined && underWay !== undefined
  // A new conversation has a name as soon as it has begun.
  useEffect(() => {
    if (isNew && begun !== undefined) show(begun, { replace: true })
  })

  const ask = (question: string): void => {
    field.current?.focus()
    void assistant.ask(question, conversation, () => taken(question))
  }
  const isHere = underWay !== undefined && underWay.conversation === conversation
  return (
    <aside className={css['panel']} aria-label="Assistant">
      <header className={css['head']}>
        {conversation === undefined ? null : (
          <IconButton icon={ArrowLeft} label="All conversations" size="small" onClick={() => show(undefined)} />
        )}
        <h2>Assistant</h2>
        {conversation === undefined ? null : (
          <IconButton
            icon={MessageSquarePlus}
            label="New conversation"
            size="small"
            onClick={() => {
              show(undefined)
              field.current?.focus()
            }}
          />
        )}
        <IconButton icon={X} label="Close the assistant" size="small" onClick={onClose} />
      </header>
      <Log key={conversation ?? ''} isBusy={isHere}>
        {conversation === undefined && underWay === undefined ? (
          <Conversations
            branchRef={branchRef}
            onOpen={show}
            onSuggest={(words) => {
              write(text.trim() === '' ? words : `${text.trimEnd()}\n${words}`)
              field.current?.focus()
            }}
          />
        ) : null}
        {conversation === undefined ? null : (
          <Turns
            {...{ branchRef, conversation, onOpen }}
            without={underWay?.turn}
            onAskAgain={underWay === undefined ? ask : undefined}
          />
        )}
        {isHere || isNew ? <TurnUnderWay underWay={underWay} /> : null}
        {underWay !== undefined && !isHere && !isNew ? (
          <Notice tone="note">
            The assistant is at work in another conversation. Ask when it is done, or stop it.
          </Notice>
        ) : null}
      </Log>
      {refused === undefined || refused.conversation !== conversation ? null : (
        <Refusal
          slug={slug}
          error={refused.error}
          onRetry={() => ask(refused.question)}
          onClose={() => assistant.forgetRefusal()}
        />
      )}
      <Composer
        text={text}
        onText={write}
        onAsk={() => ask(text.trim())}
        onStop={underWay === undefined ? undefined : () => assistant.stop()}
        isSending={underWay !== undefined && underWay.turn === undefined}
        field={field}
      />
    </aside>
  )
}

interface TurnsProps {
  readonly branchRef: BranchRef
  readonly conversation: string
  /** Id of a turn that is shown as it comes. */
  readonly without: string | undefined
  readonly onOpen: (path: string) => void
  readonly onAskAgain: ((question: string) => void) | undefined
}

function Turns({ branchRef, conversation, without, onOpen, onAskAgain }: TurnsProps) {
  const query = useQuery(conversationQuery(branchRef, conversation))
  if (isFailure(query.error, 'not_found')) {
    return <Notice tone="note">This conversation was deleted. What it changed is still on the branch.</Notice>
  }
  return (
    <Loaded query={query}>
      {({ turns }) =>
        turns
          .filter(({ id }) => id !== without)
          .map((turn, index, all) => (
            <Turn
              key={turn.id}
              {...{ branchRef, conversation, turn, onOpen }}
              onAskAgain={index === all.length - 1 ? onAskAgain : undefined}
            />
          ))
      }
    </Loaded>
  )
}

interface LogProps {
  /** More is being written: screen readers wait for the whole. */
  readonly isBusy: boolean
  readonly children: ReactNode
}

/** Stays at its end while it grows, unless somebody reads further up. */
function Log({ isBusy, children }: LogProps) {
  const box = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  useEffect(() => {
    const element = box.current
    if (element === null) return undefined
    const observer = new ResizeObserver(() => {
      if (isAtEnd.current) element.scrollTop = element.scrollHeight
    })
    for (const child of element.children) observer.observe(child)
    return () => observer.disconnect()
  }, [])
  return (
    <div
      ref={box}
      className={css['log']}
      role="log"
      aria-label="Conversation"
      aria-busy={isBusy}
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < 48
      }}
    >
      <div className={css['turns']}>{children}</div>
    </div>
  )
}
