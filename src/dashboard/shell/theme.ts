import { useSyncExternalStore } from 'react'
import { storedText, storeText } from '../local-storage.ts'

/** Light, dark, or as the reader's system has it. Kept in this browser. */
export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const key = 'quire-theme'
const listeners = new Set<() => void>()

function isTheme(value: string | undefined): value is Theme {
  return themes.some((theme) => theme === value)
}

/** Chosen on this page where the browser has no room for it. */
let unkept: Theme | undefined

export function readTheme(): Theme {
  const kept = unkept ?? storedText(key)
  return isTheme(kept) ? kept : 'system'
}

/** @param theme absent: the one that is kept */
export function applyTheme(theme: Theme = readTheme()): void {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
  unkept = storeText(key, theme) ? undefined : theme
  for (const listener of listeners) listener()
}

function subscribe(changed: () => void): () => void {
  listeners.add(changed)
  return () => listeners.delete(changed)
}

/** The one that is kept, wherever it is changed. */
export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, readTheme)
}

const prefersDark = '(prefers-color-scheme: dark)'

/** What this page looks like now. */
export function useShownTheme(): 'light' | 'dark' {
  return useSyncExternalStore(subscribeShown, () => {
    const { theme } = document.documentElement.dataset
    if (theme === 'light' || theme === 'dark') return theme
    return matchMedia(prefersDark).matches ? 'dark' : 'light'
  })
}

function subscribeShown(changed: () => void): () => void {
  const end = subscribe(changed)
  const system = matchMedia(prefersDark)
  system.addEventListener('change', changed)
  return () => {
    end()
    system.removeEventListener('change', changed)
  }
}
