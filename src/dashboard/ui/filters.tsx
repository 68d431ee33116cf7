import { useSearchParams } from 'react-router'
import { LinkButton } from './button.tsx'
import { searchWith, useSearchParam } from './search-params.ts'
import css from './filters.module.css'

/** What can be chosen; the first is what no value stands for. */
export type FilterOptions<Value extends string> = readonly (readonly [value: Value | undefined, label: string])[]

/** What is chosen, by the address; undefined: what no value stands for. @param name in the query string */
export function useFilter<Value extends string>(name: string, options: FilterOptions<Value>): Value | undefined {
  const [asked] = useSearchParam(name)
  return options.find(([value]) => value === asked)?.[0]
}

interface FiltersProps<Value extends string> {
  /** What is chosen among: “Which entries”. */
  readonly label: string
  /** Name in the query string. */
  readonly name: string
  readonly options: FilterOptions<Value>
}

/** Which items of a list are shown; each choice is an address, and leaves the rest of the query string as it is. */
export function Filters<Value extends string>({ label, name, options }: FiltersProps<Value>) {
  const [search] = useSearchParams()
  const chosen = useFilter(name, options)
  return (
    <nav aria-label={label} className={css['filters']}>
      {options.map(([option, words]) => (
        <LinkButton
          key={words}
          size="small"
          look={option === chosen ? 'secondary' : 'ghost'}
          to={`?${searchWith(search, { [name]: option }).toString()}`}
          aria-current={option === chosen ? 'page' : undefined}
          replace
        >
          {words}
        </LinkButton>
      ))}
    </nav>
  )
}
