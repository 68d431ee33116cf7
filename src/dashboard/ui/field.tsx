import {
  useId,
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
} from 'react'
import { useFieldError } from './form.tsx'
import css from './field.module.css'

interface FieldProps {
  readonly label: string
  /** Member of the request’s body that the field is, for refusals that point at it. */
  readonly name: string
  readonly hint?: ReactNode
  readonly error?: string | undefined
}

interface FrameProps extends FieldProps {
  readonly children: (attributes: {
    readonly id: string
    readonly name: string
    readonly 'aria-describedby'?: string
    readonly 'aria-invalid'?: true
  }) => ReactNode
}

/** Label, control, hint and error, tied together for those who cannot see that they are near each other. */
function Frame({ label, name, hint, error, children }: FrameProps) {
  const id = useId()
  const refusal = useFieldError(name)
  const wrong = error ?? refusal
  const describedBy = [hint !== undefined && `${id}-hint`, wrong !== undefined && `${id}-error`]
    .filter(Boolean)
    .join(' ')
  return (
    <div className={css['field']}>
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        name,
        ...(describedBy === '' ? {} : { 'aria-describedby': describedBy }),
        ...(wrong === undefined ? {} : { 'aria-invalid': true }),
      })}
      {wrong === undefined ? null : (
        <p id={`${id}-error`} className={css['error']}>
          {wrong}
        </p>
      )}
      {hint === undefined ? null : (
        <p id={`${id}-hint`} className={css['hint']}>
          {hint}
        </p>
      )}
    </div>
  )
}

type Plain<T> = Omit<T, 'name' | 'id' | 'className'>

export function TextField({
  label,
  name,
  hint,
  error,
  ...rest
}: FieldProps & Plain<InputHTMLAttributes<HTMLInputElement>> & { readonly ref?: Ref<HTMLInputElement> }) {
  return (
    <Frame {...{ label, name, hint, error }}>
      {(attributes) => <input type="text" {...rest} {...attributes} className={css['control']} />}
    </Frame>
  )
}

export function TextArea({
  label,
  name,
  hint,
  error,
  ...rest
}: FieldProps & Plain<TextareaHTMLAttributes<HTMLTextAreaElement>>) {
  return (
    <Frame {...{ label, name, hint, error }}>
      {(attributes) => <textarea rows={4} {...rest} {...attributes} className={css['control']} />}
    </Frame>
  )
}

export function SelectField({
  label,
  name,
  hint,
  error,
  children,
  ...rest
}: FieldProps & Plain<SelectHTMLAttributes<HTMLSelectElement>>) {
  return (
    <Frame {...{ label, name, hint, error }}>
      {(attributes) => (
        <select {...rest} {...attributes} className={css['control']}>
          {children}
        </select>
      )}
    </Frame>
  )
}

interface CheckboxProps extends Plain<InputHTMLAttributes<HTMLInputElement>> {
  readonly name: string
  readonly label: ReactNode
  readonly hint?: ReactNode
}

/** A checkbox, or with `type="radio"` one of several choices. */
export function Checkbox({ name, label, hint, ...rest }: CheckboxProps) {
  return (
    <label className={css['check']}>
      <input type="checkbox" {...rest} name={name} />
      <span>
        {label}
        {hint === undefined ? null : <small className={css['hint']}>{hint}</small>}
      </span>
    </label>
  )
}

/** Checkboxes or choices that belong together. */
export function FieldGroup({
  label,
  hint,
  children,
}: {
  readonly label: string
  readonly hint?: ReactNode
  readonly children: ReactNode
}) {
  return (
    <fieldset className={css['group']}>
      <legend>{label}</legend>
      {hint === undefined ? null : <p className={css['hint']}>{hint}</p>}
      {children}
    </fieldset>
  )
}
