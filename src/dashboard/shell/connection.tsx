import { onlineManager } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import css from './shell.module.css'

/** Whether the browser has a connection. */
export function useOnline(): boolean {
  return useSyncExternalStore(
    (changed) => onlineManager.subscribe(changed),
    () => onlineManager.isOnline(),
  )
}

/** Says when the browser has lost its connection: what is shown may be old, and saves wait. */
export function Connection() {
  const isOnline = useOnline()
  return (
    <div role="status">
      {isOnline ? null : (
        <p className={css['connection']}>
          You are offline. This page shows what was known last, and goes on when you are back.
        </p>
      )}
    </div>
  )
}
