import { appendFile, mkdir, rename, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Bytes after which a log file is put aside, and the one before it is dropped. */
const mostBytes = 1024 * 1024
/** Lines that wait for a disk that does not answer. */
const mostWaiting = 1000

/**
 * Writes lines to a file that only its owner reads, one after the other. Nobody waits for that: what cannot be written, or
 * not yet when the process ends, is lost. A log must not stop anybody.
 */
export function logTo(file: string): (message: string) => void {
  let waiting: string[] = []
  let isWriting = false
  const write = async (): Promise<void> => {
    isWriting = true
    while (waiting.length > 0) {
      const lines = waiting.join('')
      waiting = []
      // A full disk, or none that can be written to: drafts tell the person.
      await append(file, lines).catch(() => undefined)
    }
    isWriting = false
  }
  return (message) => {
    if (waiting.length < mostWaiting) waiting.push(`${new Date().toISOString()} ${message}\n`)
    if (!isWriting) void write()
  }
}

async function append(file: string, lines: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const size = await stat(file).then(
    (info) => info.size,
    () => 0,
  )
  if (size > mostBytes) await rename(file, `${file}.old`)
  await appendFile(file, lines, { mode: 0o600 })
}
