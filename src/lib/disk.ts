/** What every room that keeps files asks of the disk. */
import { open } from 'node:fs/promises'

/** True for an error of the system with this code, such as `EEXIST`. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

/** True for the error of a path that does not exist. */
export function isMissing(error: unknown): boolean {
  return hasCode(error, 'ENOENT')
}

/** For `catch` of a promise: null where the path does not exist, every other error as it is. */
export function nullIfMissing(error: unknown): null {
  if (isMissing(error)) return null
  throw error
}

/** Makes names added to or removed from a directory survive a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  await sync(path)
}

/** Makes the bytes of a file survive a power cut, whoever has written them. */
export async function syncFile(path: string): Promise<void> {
  await sync(path)
}

/** Makes a file whose bytes survive a power cut. @throws with the code `EEXIST` when something has the name already. */
export async function writeNewFile(path: string, content: string | Uint8Array, mode: number): Promise<void> {
  const handle = await open(path, 'wx', mode)
  try {
    await handle.writeFile(content)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
