import { createHash } from 'node:crypto'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Files of the state directory: what they hold makes a command faster or quieter, and is done without where it is gone. */

/** A name for a file that says nothing of what it is about. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

/** Writes a file that only its owner can read, whole or not at all; without room or right for it, nothing. */
export function keepPrivate(file: string, text: string): void {
  const draft = `${file}.${process.pid}`
  try {
    mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 })
    writeFileSync(draft, text, { mode: 0o600 })
    renameSync(draft, file)
  } catch {
    drop(draft)
  }
}

/** Does nothing where there is no such file. */
export function drop(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // Nor a folder for it.
  }
}
