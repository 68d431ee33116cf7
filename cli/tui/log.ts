import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Bytes after which a log file is put aside, and the one before it is dropped. */
const mostBytes = 1024 * 1024

/** Writes lines to a file that only its owner reads. What cannot be written is lost: a log must not stop anybody. */
export function logTo(file: string): (message: string) => void {
  return (message) => {
    try {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > mostBytes) renameSync(file, `${file}.old`)
      appendFileSync(file, `${new Date().toISOString()} ${message}\n`, { mode: 0o600 })
    } catch {
      // A full disk, or none that can be written to: drafts tell the person.
    }
  }
}
