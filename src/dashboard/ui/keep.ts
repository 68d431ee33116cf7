/**
 * Keeps a text in this browser. Where it has no room, the page goes on without: what is kept with it makes nothing but
 * the next visit easier.
 *
 * @returns whether it is kept.
 */
export function keep(key: string, text: string): boolean {
  try {
    localStorage.setItem(key, text)
    return true
  } catch {
    return false
  }
}
