import { useSearchParams } from 'react-router'

type Params = Readonly<Record<string, string | undefined>>

/** A query string with these parameters changed and the others as they are. Empty or undefined: without that one. */
export function searchWith(search: URLSearchParams, params: Params): URLSearchParams {
  const next = new URLSearchParams(search)
  for (const [name, value = ''] of Object.entries(params)) {
    if (value === '') next.delete(name)
    else next.set(name, value)
  }
  return next
}

interface Change {
  /** Going back does not lead to how it was before, as with each letter of a search. */
  readonly replace?: boolean
}

/** A parameter of the address, undefined where it has no value, and what changes it: the others stay. */
export function useSearchParam(name: string) {
  const [search, setSearch] = useSearchParams()
  const set = (value: string | undefined, { replace = false }: Change = {}): void => {
    // What was done may have led to another page.
    if (value === undefined && !new URLSearchParams(location.search).has(name)) return
    setSearch((before) => searchWith(before, { [name]: value }), { replace })
  }
  return [search.get(name) || undefined, set] as const
}
