import { lazy, Suspense, useState } from 'react'
import type { ConfirmProps, DialogProps } from './dialog-window.tsx'

/** Fetches the code of dialogs, before the first one opens. */
export const loadDialogs = () => import('./dialog-window.tsx')
const DialogWindow = lazy(() => loadDialogs().then((module) => ({ default: module.DialogWindow })))
const ConfirmWindow = lazy(() => loadDialogs().then((module) => ({ default: module.ConfirmWindow })))

/** True from the first time that it was: what closes stays until it has faded. */
function useOnce(open: boolean): boolean {
  const [was, setWas] = useState(open)
  if (open && !was) setWas(true)
  return was
}

/** A window over the page. Escape and a press beside it close it. Its code comes with the first that opens. */
export function Dialog(props: DialogProps) {
  return useOnce(props.open) ? (
    <Suspense>
      <DialogWindow {...props} />
    </Suspense>
  ) : null
}

/** Asks before something that cannot be undone with a press of “Undo”. */
export function Confirm(props: ConfirmProps) {
  return useOnce(props.open) ? (
    <Suspense>
      <ConfirmWindow {...props} />
    </Suspense>
  ) : null
}
