import { lazy, Suspense, useEffect, useSyncExternalStore } from 'react'
import { messageOf } from '../client.ts'
import { signedOut } from '../query-client.ts'
import { Button } from './button.tsx'
import css from './toasts.module.css'

/** Milliseconds after which a page is at rest. */
const idleDelayMs = 3_000

const load = () => import('./toast-list.tsx')
const ToastList = lazy(() => load().then((module) => ({ default: module.ToastList })))

interface Shown {
  readonly list: boolean
  /** Said without the list, whose code could not be fetched. */
  readonly plain?: string
}

let shown: Shown = { list: false }
const listeners = new Set<() => void>()

function show(next: Shown): void {
  shown = next
  for (const listener of listeners) listener()
}

type Manager = Awaited<ReturnType<typeof load>>['toastManager']

async function say(title: string, put: (list: Manager) => void): Promise<void> {
  try {
    const { toastManager, listening } = await load()
    show({ list: true })
    await listening
    put(toastManager)
  } catch {
    show({ ...shown, plain: title })
  }
}

export const toast = {
  /** Says that something was done. @param undo takes it back; what it throws is told */
  done(title: string, undo?: () => Promise<unknown>): void {
    void say(title, (list) => list.done(title, undo === undefined ? undefined : () => void undo().catch(toast.failed)))
  },
  /** Says why something did not happen. */
  failed(this: void, reason: unknown): void {
    const title = messageOf(reason)
    signedOut(reason)
    void say(title, (list) => list.failed(title))
  },
}

/** Where toasts appear. Their code comes when the page is at rest, or with the first. */
export function Toasts() {
  const { list, plain } = useSyncExternalStore(
    (changed) => {
      listeners.add(changed)
      return () => listeners.delete(changed)
    },
    () => shown,
  )
  useEffect(() => {
    // Where the connection is lost, it cannot be fetched any more to say so.
    const timer = setTimeout(() => void load().catch(() => undefined), idleDelayMs)
    return () => clearTimeout(timer)
  }, [])
  return (
    <>
      {list ? (
        <Suspense>
          <ToastList />
        </Suspense>
      ) : null}
      {plain === undefined ? null : (
        <div className={css['plain']} role="alert">
          {plain}
          <Button size="small" onClick={() => show({ list })}>
            Dismiss
          </Button>
        </div>
      )}
    </>
  )
}
