import { useSearchParams } from 'react-router'

const parameter = 'dialog'

/** Which of these dialogs is open, by the address (`?dialog=publish`): a reload does not lose it. */
export function useDialogAddress<Name extends string>(names: readonly Name[]) {
  const [search, setSearch] = useSearchParams()
  const set = (name: Name | undefined): void =>
    setSearch(
      (before) => {
        if (name === undefined) before.delete(parameter)
        else before.set(parameter, name)
        return before
      },
      { replace: true },
    )
  return {
    open: names.find((name) => name === search.get(parameter)),
    show: set,
    close: (): void => {
      // What the dialog did may have led to another page.
      if (new URLSearchParams(location.search).has(parameter)) set(undefined)
    },
  }
}
