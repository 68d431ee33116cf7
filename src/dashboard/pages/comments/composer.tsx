import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, type KeyboardEvent } from 'react'
import { commentLimits } from '#contract/comments.ts'
import { messageOf } from '../../client.ts'
import { useUnsentText } from '../../drafts/use-unsent-text.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import css from './comments.module.css'

interface ComposerProps {
  /** Under which key this browser keeps it. */
  readonly keptAs: string
  readonly initial?: string
  /** Its name for screen readers. */
  readonly label: string
  /** Of the button that sends it. */
  readonly action: string
  /** How often somebody pressed for it: then the keyboard goes there. 0: it was found in the browser. */
  readonly presses: number
  readonly send: (text: string) => Promise<unknown>
  /** It was sent, or thrown away. */
  readonly onClose: () => void
}

/** Where a comment is written. */
export function Composer({ keptAs, initial = '', label, action, presses, send, onClose }: ComposerProps) {
  const { text, write, taken } = useUnsentText(keptAs, initial)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (presses > 0) field.current?.focus()
  }, [presses])
  const sending = useMutation({
    mutationFn: async () => {
      const sent = text.trim()
      await send(sent)
      taken(sent)
      onClose()
    },
  })
  const submit = (): void => {
    if (text.trim() !== '' && !sending.isPending) sending.mutate()
  }
  const press = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return
    event.preventDefault()
    submit()
  }
  return (
    <form
      className={css['composer']}
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <textarea
        ref={field}
        rows={3}
        aria-label={label}
        placeholder={label}
        maxLength={commentLimits.text}
        value={text}
        readOnly={sending.isPending}
        onChange={(event) => write(event.target.value)}
        onKeyDown={press}
      />
      {sending.error === null ? null : <Notice tone="danger">{messageOf(sending.error)}</Notice>}
      <div className={css['buttons']}>
        <Button type="submit" size="small" look="primary" busy={sending.isPending} disabled={text.trim() === ''}>
          {action}
        </Button>
        <Button
          size="small"
          look="ghost"
          onClick={() => {
            write(initial)
            onClose()
          }}
        >
          {text.trim() === initial ? 'Cancel' : 'Discard'}
        </Button>
      </div>
    </form>
  )
}
