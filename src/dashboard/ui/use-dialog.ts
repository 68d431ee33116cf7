import { useSearchParams } from 'react-router'

/**
 * Whether a dialog is open, and what opens and closes it. It is in the address, as `?delete` or, of one of several,
 * `?revoke=key_1`: it is there after a reload, and the back button closes it.
 */
export function useDialog(name: string, of = ''): readonly [open: boolean, setOpen: (open: boolean) => void] {
  const [search, setSearch] = useSearchParams()
  const setOpen = (open: boolean): void => {
    // What was confirmed may have led elsewhere already.
    if (!open && new URLSearchParams(location.search).get(name) !== of) return
    setSearch(
      (before) => {
        if (open) before.set(name, of)
        else before.delete(name)
        return before
      },
      { replace: !open },
    )
  }
  return [search.get(name) === of, setOpen]
}
