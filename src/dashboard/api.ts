import { useCallback, useEffect, useState } from 'react'
import { createClient } from '../client/client.ts'
import { Failure } from '../contract/failure.ts'

/** The service that this page came from; the browser's cookie is the credential. */
export const client = createClient({ baseUrl: location.origin })

export function messageOf(error: unknown): string {
  // Ended elsewhere, or 30 days after its last use; whoever loads the page anew is asked to sign in.
  if (error instanceof Failure && error.code === 'unauthenticated')
    return 'Your session has ended. Reload this page to sign in again.'
  if (error instanceof Failure) return error.hint === undefined ? error.message : `${error.message} ${error.hint}`
  return error instanceof Error ? error.message : String(error)
}

export interface Loaded<T> {
  readonly value: T | undefined
  readonly error: unknown
  readonly reload: () => void
}

/** Loads on mount and on `reload`. What comes after the component has gone is dropped. */
export function useLoaded<T>(load: () => Promise<T>): Loaded<T> {
  const [state, setState] = useState<{ value?: T; error?: unknown }>({})
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    let gone = false
    load().then(
      (value) => gone || setState({ value }),
      (error: unknown) => gone || setState((before) => ({ ...before, error })),
    )
    return () => {
      gone = true
    }
  }, [load, turn])
  const reload = useCallback(() => setTurn((before) => before + 1), [])
  return { value: state.value, error: state.error, reload }
}

export interface Attempt {
  /** Why the last attempt failed, for people. */
  readonly failed: string | undefined
  readonly setFailed: (why: string) => void
  /** Does what somebody asked for; `then` follows when it succeeded. */
  readonly attempt: (work: () => Promise<unknown>, then: () => void) => Promise<void>
}

/** What somebody asks for on a page, and why it failed. */
export function useAttempt(): Attempt {
  const [failed, setFailed] = useState<string>()
  const attempt = async (work: () => Promise<unknown>, then: () => void): Promise<void> => {
    try {
      await work()
      setFailed(undefined)
      then()
    } catch (failure) {
      setFailed(messageOf(failure))
    }
  }
  return { failed, setFailed, attempt }
}

/** A text field of a form. */
export function fieldOf(form: HTMLFormElement, name: string): string {
  const value = new FormData(form).get(name)
  return typeof value === 'string' ? value : ''
}

/** Names the page in tabs, history and to screen readers. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Quire`
  }, [title])
}
