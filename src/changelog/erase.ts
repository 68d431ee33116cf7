import { open } from 'node:fs/promises'
import type { Position } from '../metadata/line-file.ts'

const chunk = Buffer.alloc(64 * 1024, ' ')

/** Overwrites a place of a file with blanks, durably: its length and the lines around it stay as they are. */
export async function blank(path: string, { offset, length }: Position): Promise<void> {
  const file = await open(path, 'r+')
  try {
    for (let done = 0; done < length;) {
      const { bytesWritten } = await file.write(chunk, 0, Math.min(chunk.length, length - done), offset + done)
      if (bytesWritten === 0) throw new Error(`the disk took only ${done} of ${length} bytes of ${path}`)
      done += bytesWritten
    }
    await file.datasync()
  } finally {
    await file.close()
  }
}
