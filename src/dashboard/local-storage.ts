import { useState } from 'react'

/** @returns whether this browser has room for it and lets pages keep something */
export function storeText(key: string, text: string): boolean {
  try {
    localStorage.setItem(key, text)
    return true
  } catch {
    return false
  }
}

/** @returns undefined: nothing is stored, or this browser does not let pages read it */
export function storedText(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined
  } catch {
    return undefined
  }
}

/** Nothing is stored under the key from now on. */
export function forgetText(key: string): void {
  try {
    localStorage.removeItem(key)
  } catch {
    // Where nothing can be kept there is nothing to forget.
  }
}

/** Keys of what is stored that begin so. */
export function storedKeys(prefix: string): readonly string[] {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(prefix))
  } catch {
    return []
  }
}

/** What somebody chose, stored in this browser as JSON. What is stored and of another type counts as nothing. */
export function useStored<T extends string | number | boolean>(key: string, initial: T): [T, (value: T) => void] {
  const [value, setValue] = useState<T>(() => parsed(storedText(key), initial))
  return [
    value,
    (next) => {
      storeText(key, JSON.stringify(next))
      setValue(next)
    },
  ]
}

function parsed<T>(text: string | undefined, initial: T): T {
  if (text === undefined) return initial
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === typeof initial ? (value as T) : initial
  } catch {
    return initial
  }
}
