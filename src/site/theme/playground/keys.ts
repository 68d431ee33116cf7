/*
 * What readers type to say who they are. It is kept by this tab alone, until that is closed, and by the server that it is
 * meant for: another one never gets it.
 */

const slot = (origin: string, name: string): string => `q-key ${origin} ${name}`
const kept = new Map<string, string>()

export function recallKey(origin: string, name: string): string {
  const key = slot(origin, name)
  try {
    return kept.get(key) ?? sessionStorage.getItem(key) ?? ''
  } catch {
    return ''
  }
}

export function keepKey(origin: string, name: string, value: string): void {
  const key = slot(origin, name)
  kept.set(key, value)
  try {
    if (value === '') sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, value)
  } catch {
    // Where the browser keeps nothing, it is forgotten with the page.
  }
}
