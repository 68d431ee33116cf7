import { ArrowUp, Square } from 'lucide-react'
import type { KeyboardEvent, RefObject } from 'react'
import { limits } from '#contract/limits.ts'
import { IconButton } from '../../ui/button.tsx'
import css from './assistant.module.css'

interface ComposerProps {
  readonly text: string
  readonly onText: (text: string) => void
  readonly onAsk: () => void
  /** Absent: nothing is under way. */
  readonly onStop?: (() => void) | undefined
  /** It was sent, and whether it is taken is not known yet. */
  readonly isSending: boolean
  readonly field: RefObject<HTMLTextAreaElement | null>
}

/** Where a question is written. */
export function Composer({ text, onText, onAsk, onStop, isSending, field }: ComposerProps) {
  const canAsk = onStop === undefined && text.trim() !== ''
  const press = (event: KeyboardEvent): void => {
    // What an input method composes is ended with Enter, too.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    if (canAsk) onAsk()
  }
  return (
    <form
      className={css['composer']}
      onSubmit={(event) => {
        event.preventDefault()
        if (canAsk) onAsk()
      }}
    >
      <textarea
        ref={field}
        rows={2}
        aria-label="Ask the assistant"
        aria-describedby="assistant-hint"
        placeholder="Ask for a change, or about these pages"
        maxLength={limits.assistantMessage}
        value={text}
        readOnly={isSending}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={press}
      />
      <div>
        <p id="assistant-hint" className={css['hint']}>
          It works with what is saved on the branch.
        </p>
        {onStop === undefined ? (
          <IconButton type="submit" look="primary" size="small" icon={ArrowUp} label="Send" disabled={!canAsk} />
        ) : (
          <IconButton look="secondary" size="small" icon={Square} label="Stop" onClick={onStop} />
        )}
      </div>
    </form>
  )
}
