import { AlertDialog } from '@base-ui/react/alert-dialog'
import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { use, useRef, useState, type ReactNode } from 'react'
import { Button, IconButton } from './button.tsx'
import { TextField } from './field.tsx'
import { Form, FormActions } from './form.tsx'
import { SessionEnded } from './session-ended.ts'
import css from './dialog.module.css'

export interface DialogProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly title: string
  readonly description?: ReactNode
  readonly children?: ReactNode
}

const fields = 'input:not([hidden]):enabled, textarea:enabled, select:enabled'

/** Where the keyboard is first: at the field that is asked for, else at what is to be done, and not at what closes. */
function useFirst(harmless: string) {
  const popup = useRef<HTMLDivElement>(null)
  const first = (): HTMLElement | null =>
    popup.current?.querySelector<HTMLElement>(fields) ?? popup.current?.querySelector<HTMLElement>(harmless) ?? null
  return { ref: popup, initialFocus: first }
}

/** A window over the page. Escape and a press beside it close it. */
export function DialogWindow({ open, onOpenChange, title, description, children }: DialogProps) {
  const hasEnded = use(SessionEnded)
  const first = useFirst('header ~ * button, header ~ button')
  return (
    <Base.Root open={open && !hasEnded} onOpenChange={(next) => onOpenChange(next)}>
      <Base.Portal keepMounted={open}>
        <Base.Backdrop className={css['backdrop']} />
        <Base.Popup className={css['popup']} {...first}>
          <header className={css['head']}>
            <Base.Title className={css['title']}>{title}</Base.Title>
            <Base.Close render={<IconButton icon={X} label="Close" size="small" />} />
          </header>
          {description === undefined ? null : (
            <Base.Description className="soft" render={<div />}>
              {description}
            </Base.Description>
          )}
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

export interface ConfirmProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly title: string
  /** What will happen, and whether it can be taken back. */
  readonly children: ReactNode
  /** Verb of the button: “Delete branch”. */
  readonly action: string
  readonly danger?: boolean
  /** To be typed first, where what goes is gone for good. */
  readonly typed?: string
  /** What it throws is shown; else the dialog closes. */
  readonly onConfirm: () => Promise<void>
}

/** Asks before something that cannot be undone with a press of “Undo”. */
export function ConfirmWindow({
  open,
  onOpenChange,
  title,
  children,
  action,
  danger = false,
  typed,
  onConfirm,
}: ConfirmProps) {
  const hasEnded = use(SessionEnded)
  const first = useFirst(danger ? 'button[type=button]' : 'button')
  const [text, setText] = useState('')
  const change = (next: boolean): void => {
    setText('')
    onOpenChange(next)
  }
  return (
    <AlertDialog.Root open={open && !hasEnded} onOpenChange={(next) => change(next)}>
      <AlertDialog.Portal keepMounted={open}>
        <AlertDialog.Backdrop className={css['backdrop']} />
        <AlertDialog.Popup className={css['popup']} {...first}>
          <AlertDialog.Title className={css['title']}>{title}</AlertDialog.Title>
          <AlertDialog.Description className="soft" render={<div />}>
            {children}
          </AlertDialog.Description>
          <Form
            onSubmit={async () => {
              await onConfirm()
              change(false)
            }}
          >
            {(busy) => (
              <>
                {typed === undefined ? null : (
                  <TextField
                    name="typed"
                    label={`Type ${typed} to confirm`}
                    autoComplete="off"
                    spellCheck={false}
                    value={text}
                    onChange={(event) => setText(event.target.value)}
                  />
                )}
                <FormActions>
                  <Button
                    type="submit"
                    look={danger ? 'danger' : 'primary'}
                    busy={busy}
                    disabled={typed !== undefined && text !== typed}
                  >
                    {action}
                  </Button>
                  <AlertDialog.Close render={<Button>Cancel</Button>} />
                </FormActions>
              </>
            )}
          </Form>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
