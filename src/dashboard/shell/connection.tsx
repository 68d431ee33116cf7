import { onlineManager } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { loadDialogs } from '../ui/dialog.tsx'
import { loadMenus } from '../ui/menu.tsx'
import css from './shell.module.css'

/** Whether the browser has a connection. */
export function useOnline(): boolean {
  return useSyncExternalStore(
    (changed) => onlineManager.subscribe(changed),
    () => onlineManager.isOnline(),
  )
}

/** Milliseconds after which a page is at rest. */
const idleDelayMs = 3_000

/** Says when the browser has lost its connection: what is shown may be old, and saves wait. */
export function Connection() {
  const isOnline = useOnline()
  useEffect(() => {
    // Where the connection is lost, what opens over a page cannot be fetched any more, and the page would break.
    const timer = setTimeout(() => void Promise.allSettled([loadDialogs(), loadMenus()]), idleDelayMs)
    return () => clearTimeout(timer)
  }, [])
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
