import { useEffect, useRef } from 'react'
import { classes } from './classes.ts'
import css from './field.module.css'

interface SearchFieldProps {
  /** What is found; its name for screen readers, and what stands in it while it is empty. */
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}

/** Narrows a list down while it is typed into. */
export function SearchField({ label, value, onChange }: SearchFieldProps) {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    // The page shows everything again. While somebody types, what they type is newer.
    if (value === '' && field.current !== null && field.current !== document.activeElement) field.current.value = ''
  }, [value])
  return (
    <input
      ref={field}
      type="search"
      className={classes(css['control'], css['search'])}
      aria-label={label}
      placeholder={label}
      defaultValue={value}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}
