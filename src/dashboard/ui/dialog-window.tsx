import { AlertDialog } from '@base-ui/react/alert-dialog'
import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { Button, IconButton } from './button.tsx'
import { TextField } from './field.tsx'
import { Form, FormActions } from './form.tsx'
import css from './dialog.module.css'

export interface DialogProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly title: string
  readonly description?: ReactNode
  readonly children?: ReactNode
}

/** A window over the page. Escape and a press beside it close it. */
export function DialogWindow({ open, onOpenChange, title, description, children }: DialogProps) {
  return (
    <Base.Root open={open} onOpenChange={(next) => onOpenChange(next)}>
      <Base.Portal>
        <Base.Backdrop className={css['backdrop']} />
        <Base.Popup className={css['popup']}>
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
  const [text, setText] = useState('')
  const change = (next: boolean): void => {
    setText('')
    onOpenChange(next)
  }
  return (
    <AlertDialog.Root open={open} onOpenChange={(next) => change(next)}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={css['backdrop']} />
        <AlertDialog.Popup className={css['popup']}>
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
