import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isMissing } from '../lib/disk.ts'

export const socketName = '.admin.sock'

/** `sun_path` of unix(7), without its end. */
const maxBytes = 107

export interface ShortPath {
  /** Names a file of the directory within the bound. */
  of(name: string): string
  close(): Promise<void>
}

/**
 * A way to name sockets in a directory. A path too long for a socket's address goes through the open directory, where
 * the system shows it (Linux); null where it does not.
 */
export async function shortPath(directory: string, longestName: number): Promise<ShortPath | null> {
  if (Buffer.byteLength(directory) + 1 + longestName <= maxBytes)
    return { of: (name) => join(directory, name), close: () => Promise.resolve() }
  const handle = await open(directory, 'r')
  const short = `/proc/self/fd/${handle.fd}`
  try {
    await stat(short)
  } catch (error) {
    await handle.close()
    if (isMissing(error)) return null
    throw error
  }
  return { of: (name) => `${short}/${name}`, close: () => handle.close() }
}
