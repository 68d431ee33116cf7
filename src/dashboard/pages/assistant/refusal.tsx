import { RotateCw, X } from 'lucide-react'
import { isFailure, messageOf } from '../../client.ts'
import { paths } from '../../paths.ts'
import { Button, IconButton, LinkButton } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import css from './assistant.module.css'

interface RefusalProps {
  readonly slug: string
  readonly error: unknown
  readonly onRetry: () => void
  readonly onClose: () => void
}

/** Why a question was not taken. It is still where it was written. */
export function Refusal({ slug, error, onRetry, onClose }: RefusalProps) {
  const isFinal = isFailure(error, 'generation_not_configured')
  return (
    <div className={css['refusal']}>
      <Notice
        tone={isFinal ? 'note' : 'danger'}
        action={
          isFailure(error, 'quota_exceeded') ? (
            // What is used up is so in a moment, too.
            <LinkButton size="small" to={paths.usage(slug)}>
              Usage
            </LinkButton>
          ) : isFinal ? (
            <IconButton icon={X} label="Dismiss" size="small" onClick={onClose} />
          ) : (
            <Button size="small" icon={RotateCw} onClick={onRetry}>
              Try again
            </Button>
          )
        }
      >
        {isFinal
          ? 'This service has no language model yet. Its operator can set one: MODEL_ROUTER_URL and MODEL_ROUTER_KEY.'
          : messageOf(error)}
      </Notice>
    </div>
  )
}
