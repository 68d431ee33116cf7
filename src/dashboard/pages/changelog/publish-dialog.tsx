import { useState } from 'react'
import type { ReadEntry } from '#contract/changelog.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Checkbox, FieldGroup, TextField } from '../../ui/field.tsx'
import { Form, FormActions } from '../../ui/form.tsx'
import type { Publication } from './use-entry-draft.ts'
import { fieldTime, timeInWords, timeOfField, tomorrowMorning, zone } from './zone.ts'

/** What is announced with a date further back than this is told to nobody. */
const staleMs = 60 * 60 * 1000

type When = 'now' | 'later' | 'former'

interface PublishDialogProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly entry: ReadEntry | undefined
  readonly onPublish: (publication: Publication) => Promise<void>
}

/** Asks when an entry is to be seen: it is a draft or scheduled, and what is typed of it is saved with it. */
export function PublishDialog(props: PublishDialogProps) {
  const { open, onOpenChange, entry } = props
  const isScheduled = entry?.status === 'scheduled'
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={isScheduled ? 'Change when it is published' : 'Publish the entry'}
      description="It is then on the public page and in the feeds, and webhooks that listen are told."
    >
      <WhenForm {...props} />
    </Dialog>
  )
}

function WhenForm({ entry, onPublish, onOpenChange }: PublishDialogProps) {
  const given = entry?.published_at
  const isScheduled = entry?.status === 'scheduled'
  const former = entry?.status === 'draft' && given !== undefined && Date.parse(given) <= Date.now() ? given : undefined
  const [when, setWhen] = useState<When>(isScheduled ? 'later' : 'now')
  const [time, setTime] = useState(() =>
    fieldTime(given !== undefined && former === undefined ? new Date(given) : tomorrowMorning(new Date())),
  )
  const at = timeOfField(time)
  const choice = (value: When, label: string, hint: string) => (
    <Checkbox
      type="radio"
      name="when"
      value={value}
      checked={when === value}
      onChange={() => setWhen(value)}
      label={label}
      hint={hint}
    />
  )
  const action = when === 'later' ? (isScheduled ? 'Change time' : 'Schedule') : 'Publish'
  return (
    <Form
      onSubmit={async () => {
        await onPublish(publicationOf(when, { at, former, isScheduled }))
        onOpenChange(false)
      }}
    >
      {(busy) => (
        <>
          <FieldGroup label="When">
            {choice('now', 'Now', 'It is told as new.')}
            {choice('later', 'At a time', 'It appears by itself.')}
            {former === undefined
              ? null
              : choice('former', 'Back where it was', `Dated ${timeInWords(former)}, as before. Nobody is told again.`)}
          </FieldGroup>
          {when === 'later' ? <TimeField value={time} says={consequence} onChange={setTime} /> : null}
          <FormActions>
            <Button type="submit" look="primary" busy={busy} disabled={when === 'later' && at === undefined}>
              {action}
            </Button>
          </FormActions>
        </>
      )}
    </Form>
  )
}

interface Choice {
  readonly at: string | undefined
  readonly former: string | undefined
  readonly isScheduled: boolean
}

function publicationOf(when: When, { at, former, isScheduled }: Choice): Publication {
  if (when === 'later' && at !== undefined) return { is_draft: false, published_at: at }
  if (when === 'former' && former !== undefined) return { is_draft: false, published_at: former }
  // What is scheduled keeps its time unless another one is said.
  return { is_draft: false, ...(isScheduled ? { published_at: new Date().toISOString() } : {}) }
}

interface TimeFieldProps {
  readonly value: string
  /** What that time means. */
  readonly says: (at: string) => string
  readonly onChange: (value: string) => void
}

function TimeField({ value, says, onChange }: TimeFieldProps) {
  const at = timeOfField(value)
  return (
    <TextField
      type="datetime-local"
      name="published_at"
      label={`Date and time in ${zone}`}
      hint={at === undefined ? 'Say a day and a time.' : says(at)}
      required
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}

function consequence(at: string): string {
  const distance = Date.parse(at) - Date.now()
  if (distance > 0) return `${timeInWords(at)}.`
  if (distance > -staleMs) return `${timeInWords(at)}. That is past: it appears at once.`
  return `${timeInWords(at)}. That is past: it appears at once in its place among older entries, and nobody is told.`
}

/** What another date does to an entry that readers see. */
function movement(at: string): string {
  return Date.parse(at) > Date.now()
    ? `${timeInWords(at)}. That is to come: readers do not see it until then.`
    : `${timeInWords(at)}. It moves to its place among the others, and nobody is told.`
}

interface DateDialogProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  /** When it was published. */
  readonly at: string
  readonly onChange: (at: string) => Promise<void>
}

/** Another date for what is published. */
export function DateDialog({ open, onOpenChange, at, onChange }: DateDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Change the date"
      description="Entries are listed by their date."
    >
      <DateForm at={at} onChange={onChange} onDone={() => onOpenChange(false)} />
    </Dialog>
  )
}

interface DateFormProps {
  readonly at: string
  readonly onChange: (at: string) => Promise<void>
  readonly onDone: () => void
}

function DateForm({ at, onChange, onDone }: DateFormProps) {
  const [value, setValue] = useState(() => fieldTime(new Date(at)))
  const time = timeOfField(value)
  return (
    <Form
      onSubmit={async () => {
        if (time === undefined) return
        await onChange(time)
        onDone()
      }}
    >
      {(busy) => (
        <>
          <TimeField value={value} says={movement} onChange={setValue} />
          <FormActions>
            <Button type="submit" look="primary" busy={busy} disabled={time === undefined}>
              Change date
            </Button>
          </FormActions>
        </>
      )}
    </Form>
  )
}
