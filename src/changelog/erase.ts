import type { FileHandle } from 'node:fs/promises'
import type { FileSystem } from '../lib/durable-file.ts'
import type { Position } from '../storage/line-file.ts'

const chunkBytes = 64 * 1024
const space = 0x20
const lineEnd = 0x0a

/**
 * Overwrites places of a file with blanks, durably. Lines keep their ends, so that everything else stays where it is;
 * what is blank already is not written again.
 */
export async function blank(fs: FileSystem, path: string, places: readonly Position[]): Promise<void> {
  if (places.length === 0) return
  const file = await fs.open(path, 'r+')
  try {
    for (const place of places) await blankPlace(file, place, path)
    await file.datasync()
  } finally {
    await file.close()
  }
}

/** What lies between places that do not overlap, and behind them; the end of a line alone is nothing. */
export function gapsBetween(places: Iterable<Position>, size: number): Position[] {
  const gaps: Position[] = []
  let end = 0
  const add = (until: number): void => {
    if (until > end + 1) gaps.push({ offset: end, length: until - end })
  }
  for (const { offset, length } of [...places].sort((a, b) => a.offset - b.offset)) {
    add(offset)
    end = offset + length
  }
  add(size)
  return gaps
}

async function blankPlace(file: FileHandle, { offset, length }: Position, path: string): Promise<void> {
  const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, length))
  for (let done = 0; done < length;) {
    const { bytesRead } = await file.read(chunk, 0, Math.min(chunk.length, length - done), offset + done)
    if (bytesRead === 0) return
    const bytes = chunk.subarray(0, bytesRead)
    if (blankBytes(bytes)) await writeAt(file, bytes, { offset: offset + done, path })
    done += bytesRead
  }
}

/** Returns whether something was there. */
function blankBytes(bytes: Buffer): boolean {
  let isChanged = false
  for (const [index, byte] of bytes.entries()) {
    if (byte === space || byte === lineEnd) continue
    bytes[index] = space
    isChanged = true
  }
  return isChanged
}

async function writeAt(
  file: FileHandle,
  bytes: Buffer,
  { offset, path }: { readonly offset: number; readonly path: string },
): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, offset + done)
    if (bytesWritten === 0) throw new Error(`the disk took only ${done} of ${bytes.length} bytes of ${path}`)
    done += bytesWritten
  }
}
