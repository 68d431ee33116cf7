import { createContext, use, useState, type FormEvent, type ReactNode } from 'react'
import { Failure } from '../../contract/failure.ts'
import { isFailure, messageOf } from '../client.ts'
import { signedOut } from '../query-client.ts'
import { Notice } from './notice.tsx'
import { SessionEnded } from './session-ended.ts'
import { toast } from './toasts.tsx'
import css from './form.module.css'

/** What the last attempt was refused for, by the name of the field. */
const Refusals = createContext<ReadonlyMap<string, string>>(new Map())

/** Why the service refused the field of this name. */
export function useFieldError(name: string): string | undefined {
  return use(Refusals).get(name)
}

/** The refusal’s places in the body, by the member that they are in. */
function byField(error: unknown): ReadonlyMap<string, string> {
  const places = error instanceof Failure ? error.errors : []
  return new Map(
    places.flatMap(({ pointer, message }) => {
      const field = pointer?.split('/')[1]
      return field === undefined || field === '' ? [] : [[field, message] as const]
    }),
  )
}

export interface FormValues {
  /** Text of the field. */
  readonly text: (name: string) => string
  /** Values of the checkboxes of that name that are ticked. */
  readonly ticked: (name: string) => readonly string[]
  readonly form: HTMLFormElement
}

interface FormProps {
  /** What is thrown is shown over the fields that it is about, or at the end of the form. */
  readonly onSubmit: (values: FormValues) => Promise<void>
  /** @param busy the request is under way */
  readonly children: (busy: boolean) => ReactNode
  readonly label?: string
}

export function Form({ onSubmit, children, label }: FormProps) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const hasEnded = use(SessionEnded)
  const [hadEnded, setHadEnded] = useState(hasEnded)
  if (hasEnded !== hadEnded) {
    setHadEnded(hasEnded)
    // That one had to sign in is no news to whoever has.
    if (isFailure(error, 'unauthenticated')) setError(undefined)
  }
  const refusals = byField(error)

  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    if (busy) return
    const form = event.currentTarget
    const data = new FormData(form)
    const texts = (name: string) => data.getAll(name).filter((value) => typeof value === 'string')
    setBusy(true)
    setError(undefined)
    try {
      await onSubmit({ form, text: (name) => texts(name)[0] ?? '', ticked: texts })
    } catch (failure) {
      if (form.isConnected) setError(failure)
      // Its dialog was closed meanwhile.
      else toast.failed(failure)
      signedOut(failure)
    } finally {
      setBusy(false)
    }
  }

  return (
    <form className={css['form']} aria-label={label} onSubmit={(event) => void submit(event)}>
      <Refusals value={refusals}>{children(busy)}</Refusals>
      {error === undefined ? null : <Notice tone="danger">{messageOf(error)}</Notice>}
    </form>
  )
}

/** The buttons at the end of a form. */
export function FormActions({ children }: { readonly children: ReactNode }) {
  return <div className={css['actions']}>{children}</div>
}
