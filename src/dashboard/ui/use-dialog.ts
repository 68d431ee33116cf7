import { useEffect, useRef } from 'react'
import { useLocation, useNavigate, useSearchParams } from 'react-router'
import { searchWith } from './search-params.ts'

/** State of an address that opens something over the page that leads to it, for links that do. */
export const overPage = { isOverPage: true } as const

/**
 * Closes what these parameters of the address have open. Where this page has opened it, by going back: the page would
 * be twice in the history else, and going back from it would seem to do nothing.
 */
export function useClosing(...names: readonly string[]): () => void {
  const [, setSearch] = useSearchParams()
  const navigate = useNavigate()
  const { state, key } = useLocation()
  const isLeaving = useRef(false)
  useEffect(() => {
    isLeaving.current = false
  }, [key])
  return () => {
    if (isLeaving.current) return
    if ((state as Partial<typeof overPage> | null)?.isOverPage === true) {
      isLeaving.current = true
      void navigate(-1)
    } else {
      const without = Object.fromEntries(names.map((name) => [name, undefined]))
      setSearch((before) => searchWith(before, without), { replace: true })
    }
  }
}

/**
 * Whether a dialog is open, and what opens and closes it. It is in the address, as `?delete` or, of one of several,
 * `?revoke=key_1`: it is there after a reload, and the back button closes it.
 */
export function useDialog(name: string, of = ''): readonly [open: boolean, setOpen: (open: boolean) => void] {
  const [search, setSearch] = useSearchParams()
  const close = useClosing(name)
  const setOpen = (open: boolean): void => {
    if (open) {
      setSearch(
        (before) => {
          before.set(name, of)
          return before
        },
        { state: overPage },
      )
      // Else what was confirmed has led elsewhere already.
    } else if (new URLSearchParams(location.search).get(name) === of) close()
  }
  return [search.get(name) === of, setOpen]
}
