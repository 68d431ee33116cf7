import { useSyncExternalStore } from 'react'

/** Light, dark, or as the reader's system has it. Kept in this browser. */
export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const key = 'quire-theme'
const listeners = new Set<() => void>()

function isTheme(value: string | null): value is Theme {
  return themes.some((theme) => theme === value)
}

export function readTheme(): Theme {
  const kept = localStorage.getItem(key)
  return isTheme(kept) ? kept : 'system'
}

/** @param theme absent: the one that is kept */
export function applyTheme(theme: Theme = readTheme()): void {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
  localStorage.setItem(key, theme)
  for (const listener of listeners) listener()
}

/** The one that is kept, wherever it is changed. */
export function useTheme(): Theme {
  return useSyncExternalStore((changed) => {
    listeners.add(changed)
    return () => listeners.delete(changed)
  }, readTheme)
}
