import { Button } from '../../ui/button.tsx'
import { NotKept } from '../../ui/not-kept.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'
import type { EntryDraft } from './use-entry-draft.ts'

/** Says where what is typed is: nobody has to guess whether it is safe. */
export function KeptNotices({ draft, isGone }: { readonly draft: EntryDraft; readonly isGone: boolean }) {
  const { restoredAt, isDirty, isKept, elsewhere } = draft
  const discard = (
    <Button
      size="small"
      onClick={() => {
        const undo = draft.discard()
        toast.done('Your changes are discarded.', () => Promise.resolve(undo()))
      }}
    >
      Discard changes
    </Button>
  )
  return (
    <>
      {isGone ? (
        <Notice tone="warning" title="Somebody deleted this entry">
          What you have typed is still here. Saving makes a new entry of it, a draft.
        </Notice>
      ) : null}
      {elsewhere === undefined ? null : (
        <Notice
          tone="warning"
          title="You are writing this in another tab, too"
          action={
            <>
              <Button
                size="small"
                onClick={() => {
                  const undo = draft.take()
                  toast.done('You have the text of the other tab now.', () => Promise.resolve(undo()))
                }}
              >
                Take that text
              </Button>
              <Button size="small" onClick={draft.insist}>
                Keep this one
              </Button>
            </>
          }
        >
          What you typed there <Time at={elsewhere.at} /> is kept in this browser; what is here is not, until you
          choose.
        </Notice>
      )}
      {restoredAt !== undefined && isDirty ? (
        <Notice tone="note" title="Your unsaved changes are back" action={discard}>
          You typed them <Time at={restoredAt} /> in this browser.
        </Notice>
      ) : null}
      {isKept ? null : <NotKept />}
    </>
  )
}
