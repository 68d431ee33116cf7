import { useInfiniteQuery } from '@tanstack/react-query'
import { Sparkles, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { Conversation } from '#contract/assistant.ts'
import { conversationsQuery, removeConversation } from '../../queries/assistant.ts'
import type { BranchRef } from '../../queries/files.ts'
import { IconButton } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Loaded, Skeleton } from '../../ui/loaded.tsx'
import { More } from '../../ui/more.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'
import { count } from '../../ui/words.ts'
import css from './assistant.module.css'

const suggestions = [
  'Find spelling mistakes and fix them',
  'Check the site and repair broken links',
  'Write a quickstart from the pages that are there',
] as const

interface ConversationsProps {
  readonly branchRef: BranchRef
  readonly onOpen: (conversation: string) => void
  readonly onSuggest: (question: string) => void
}

/** Where a new conversation begins: what can be asked, and what was asked before. */
export function Conversations({ branchRef, onOpen, onSuggest }: ConversationsProps) {
  const query = useInfiniteQuery(conversationsQuery(branchRef))
  const [removing, setRemoving] = useState<Conversation>()
  return (
    <div className={css['begin']}>
      <div className={css['welcome']}>
        <Sparkles aria-hidden />
        <h3>What should change?</h3>
        <p className="soft">
          The assistant reads, writes and checks the files of this branch. What it changes is one commit that you can
          look at and undo. Nothing is live before you publish.
        </p>
        <ul aria-label="Suggestions">
          {suggestions.map((words) => (
            <li key={words}>
              <button type="button" onClick={() => onSuggest(words)}>
                {words}
              </button>
            </li>
          ))}
        </ul>
      </div>
      <Loaded query={query} pending={<Skeleton lines={2} />}>
        {(items) => {
          if (items.length === 0) return null
          return (
            <section className={css['earlier']} aria-label="Earlier conversations">
              <h3>Earlier conversations</h3>
              <ul>
                {items.map((each) => (
                  <li key={each.id}>
                    <button type="button" onClick={() => onOpen(each.id)}>
                      <span>{each.title}</span>
                      <small>
                        {count(each.turns, 'question')}, <Time at={each.updatedAt} />
                      </small>
                    </button>
                    <IconButton
                      icon={Trash2}
                      size="small"
                      label={`Delete “${each.title}”`}
                      onClick={() => setRemoving(each)}
                    />
                  </li>
                ))}
              </ul>
              <More query={query} />
            </section>
          )
        }}
      </Loaded>
      <Confirm
        open={removing !== undefined}
        onOpenChange={(next) => (next ? undefined : setRemoving(undefined))}
        title="Delete this conversation?"
        action="Delete conversation"
        danger
        onConfirm={async () => {
          if (removing === undefined) return
          await removeConversation(branchRef, removing.id)
          toast.done('The conversation is deleted.')
        }}
      >
        “{removing?.title}” is gone for good. What the assistant changed stays on the branch.
      </Confirm>
    </div>
  )
}
