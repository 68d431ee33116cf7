import { useSearchParams } from 'react-router'
import { LinkButton } from './button.tsx'
import css from './filters.module.css'

interface FiltersProps<Value extends string> {
  /** What is chosen among: “Which entries”. */
  readonly label: string
  /** Name in the query string. */
  readonly name: string
  /** The first is what no value stands for. */
  readonly options: readonly (readonly [value: Value | undefined, label: string])[]
  readonly value: Value | undefined
}

/** Which items of a list are shown; each choice is an address, and leaves the rest of the query string as it is. */
export function Filters<Value extends string>({ label, name, options, value }: FiltersProps<Value>) {
  const [search] = useSearchParams()
  const addressOf = (option: Value | undefined): string => {
    const next = new URLSearchParams(search)
    if (option === undefined) next.delete(name)
    else next.set(name, option)
    return `?${next.toString()}`
  }
  return (
    <nav aria-label={label} className={css['filters']}>
      {options.map(([option, words]) => (
        <LinkButton
          key={words}
          size="small"
          look={option === value ? 'secondary' : 'ghost'}
          to={addressOf(option)}
          aria-current={option === value ? 'page' : undefined}
          replace
        >
          {words}
        </LinkButton>
      ))}
    </nav>
  )
}
