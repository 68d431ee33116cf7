import { useSyncExternalStore } from 'react'
import { storeText } from '../local-storage.ts'

/** Light, dark, or as the reader's system has it. Kept in this browser. */
export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const key = 'quire-theme'
const listeners = new Set<() => void>()

function isTheme(value: string | null): value is Theme {
  return themes.some((theme) => theme === value)
}

/** Chosen on this page where the browser has no room for it. */
let unkept: Theme | undefined

export function readTheme(): Theme {
  const kept = unkept ?? localStorage.getItem(key)
  return isTheme(kept) ? kept : 'system'
}

/** @param theme absent: the one that is kept */
export function applyTheme(theme: Theme = readTheme()): void {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
  unkept = storeText(key, theme) ? undefined : theme
  for (const listener of listeners) listener()
}

/** The one that is kept, wherever it is changed. */
export function useTheme(): Theme {
  return useSyncExternalStore((changed) => {
    listeners.add(changed)
    return () => listeners.delete(changed)
  }, readTheme)
}
