import { forgetText, storedText, storeText } from '../local-storage.ts'

// What a page leaves as it goes: what it asks of the browser's database then may never get there, and this storage takes
// it at once. It stays until the database has it.

/** Where there is no room, the database is what is left. @returns the text of the record */
export function leaveUnloadRecord(key: string, record: object): string {
  const text = JSON.stringify(record)
  storeText(key, text)
  return text
}

/** @param fields that it must have. @returns undefined: there is none that can be read */
export function parseUnloadRecord<T extends object>(
  text: string | undefined,
  fields: readonly (keyof T & string)[],
): T | undefined {
  try {
    const record: unknown = JSON.parse(text ?? 'null')
    const isRecord = typeof record === 'object' && record !== null && fields.every((field) => field in record)
    return isRecord ? (record as T) : undefined
  } catch {
    return undefined
  }
}

/** @param text of the record; one that is written meanwhile, here or in another tab, stays */
export function dropUnloadRecord(key: string, text: string): void {
  if (storedText(key) === text) forgetText(key)
}
