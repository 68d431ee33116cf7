import { onTestFinished, vi } from 'vitest'

/** Stands in for `localStorage` in memory, until the test is over. As in a browser, its keys are its own properties. */
export class MemoryStorage {
  /** Characters of all keys and texts that it takes. */
  static room = Infinity

  static begin(): void {
    MemoryStorage.room = Infinity
    vi.stubGlobal('localStorage', new MemoryStorage())
    onTestFinished(() => void vi.unstubAllGlobals())
  }

  getItem(key: string): string | null {
    const text: unknown = Object.hasOwn(this, key) ? Reflect.get(this, key) : null
    return typeof text === 'string' ? text : null
  }

  setItem(key: string, text: string): void {
    const others = Object.entries(this).filter(([one]) => one !== key)
    if ([...others, [key, text]].flat().join('').length > MemoryStorage.room)
      throw new DOMException('It is full.', 'QuotaExceededError')
    Reflect.set(this, key, text)
  }

  removeItem(key: string): void {
    Reflect.deleteProperty(this, key)
  }
}
