import { Toast } from '@base-ui/react/toast'
import { X } from 'lucide-react'
import { useEffect } from 'react'
import { Button, IconButton } from './button.tsx'
import { classes } from './classes.ts'
import css from './toasts.module.css'

const manager = Toast.createToastManager()
const shownMs = 6_000
/** Time to think about an undo, or to read what went wrong. */
const longerMs = 12_000

let listens: () => void = () => undefined
/** Until then nobody hears of a toast: the first would be lost. */
export const listening = new Promise<void>((resolve) => {
  listens = resolve
})

export const toastManager = {
  done(title: string, undo?: () => void): void {
    const id = manager.add({
      title,
      timeout: undo === undefined ? shownMs : longerMs,
      ...(undo === undefined ? {} : { actionProps: { children: 'Undo', onClick: () => undoOnce(id, undo) } }),
    })
  },
  failed(title: string): void {
    // Not of high priority: what is said at once is hidden from screen readers where it can be read and dismissed.
    manager.add({ title, type: 'error', timeout: longerMs })
  },
}

function undoOnce(id: string, undo: () => void): void {
  manager.close(id)
  undo()
}

export function ToastList() {
  useEffect(() => listens(), [])
  return (
    <Toast.Provider toastManager={manager} limit={4}>
      <Toast.Portal>
        <Toast.Viewport className={css['viewport']}>
          <Items />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  )
}

function Items() {
  const { toasts } = Toast.useToastManager()
  return toasts.map((item) => (
    <Toast.Root key={item.id} toast={item} className={classes(css['toast'], item.type === 'error' && css['error'])}>
      <Toast.Content className={css['content']}>
        <Toast.Title className={css['title']} render={<div />} />
        {item.actionProps === undefined ? null : <Toast.Action render={<Button size="small" />} />}
        <Toast.Close render={<IconButton icon={X} label="Dismiss" size="small" />} />
      </Toast.Content>
    </Toast.Root>
  ))
}
