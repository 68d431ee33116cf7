import type { WebhookEventType } from '#contract/webhooks.ts'
import { Checkbox, FieldGroup, TextField } from '../../ui/field.tsx'
import type { FormValues } from '../../ui/form.tsx'
import { Notice } from '../../ui/notice.tsx'
import { eventMeanings, eventTypes } from './words.ts'

interface WebhookFieldsProps {
  readonly url: string
  readonly events: readonly WebhookEventType[]
  /** None was ticked. */
  readonly isEmpty: boolean
}

/** Where a webhook goes, and what it is told. */
export function WebhookFields({ url, events, isEmpty }: WebhookFieldsProps) {
  return (
    <>
      <TextField
        type="url"
        name="url"
        label="URL"
        hint="HTTPS, reachable from the internet. Addresses of Slack and Discord get messages in their own shape."
        placeholder="https://example.com/hook"
        defaultValue={url}
        required
        autoComplete="off"
        spellCheck={false}
      />
      <FieldGroup label="Events">
        {eventTypes.map((type) => (
          <Checkbox
            key={type}
            name="events"
            value={type}
            defaultChecked={events.includes(type)}
            label={type}
            hint={eventMeanings[type]}
          />
        ))}
        {isEmpty ? <Notice tone="danger">It would never be told anything: tick at least one.</Notice> : null}
      </FieldGroup>
    </>
  )
}

/** What the fields say. */
export function fieldsOf({ text, ticked }: FormValues): { url: string; events: WebhookEventType[] } {
  const chosen = ticked('events')
  return { url: text('url').trim(), events: eventTypes.filter((type) => chosen.includes(type)) }
}
