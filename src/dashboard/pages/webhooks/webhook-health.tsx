import { useState } from 'react'
import type { Webhook } from '#contract/webhooks.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'

interface WebhookHealthProps {
  readonly webhook: Webhook
  readonly onEnable: () => Promise<void>
}

/** What keeps a webhook from being told, where something does. */
export function WebhookHealth({ webhook, onEnable }: WebhookHealthProps) {
  const { enabled, disabledReason, disabledAt, failingSince } = webhook
  const [busy, setBusy] = useState(false)
  const enable = (): void => {
    setBusy(true)
    void onEnable()
      .catch(toast.failed)
      .finally(() => setBusy(false))
  }
  if (!enabled) {
    return (
      <Notice
        tone="warning"
        title="It is disabled"
        action={
          <Button size="small" busy={busy} onClick={enable}>
            Enable
          </Button>
        }
      >
        {disabledReason ?? 'Somebody switched it off.'}{' '}
        {disabledAt === undefined ? null : (
          <>
            (<Time at={disabledAt} />)
          </>
        )}{' '}
        Send a test to see whether it arrives, then enable it: what waits for it is sent then.
      </Notice>
    )
  }
  if (failingSince === undefined) return null
  return (
    <Notice tone="danger" title="Nothing arrives">
      Deliveries have failed since <Time at={failingSince} />. They are tried again for days, ever more rarely; after
      five days without one that arrives the webhook is disabled.
    </Notice>
  )
}
