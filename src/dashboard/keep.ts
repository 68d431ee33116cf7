/**
 * Keeps a text in this browser.
 *
 * @returns whether it has room for it and lets pages keep something.
 */
export function keep(key: string, text: string): boolean {
  try {
    localStorage.setItem(key, text)
    return true
  } catch {
    return false
  }
}
