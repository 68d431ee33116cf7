import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { printable } from '../../output.ts'

/**
 * Keeps an error that nobody expected, and says where. The terminal has been given back.
 * @param stateDirectory made if it is not there
 */
export function tellCrash(stateDirectory: string, error: unknown): void {
  const time = new Date().toISOString()
  const file = join(stateDirectory, `crash-${time.replaceAll(/[:.]/g, '-')}.log`)
  const message = error instanceof Error ? error.message : String(error)
  const lines = [`error  The terminal UI ended by a mistake of its own: ${message}`]
  try {
    mkdirSync(stateDirectory, { recursive: true, mode: 0o700 })
    writeFileSync(file, `${time} Node ${process.version} ${process.platform}\n${inspect(error, { depth: 4 })}\n`, {
      mode: 0o600,
      flag: 'wx',
    })
    lines.push(`       The log of it: ${file}`)
  } catch {
    // Without a log, what is known is told here.
    lines.push(inspect(error))
  }
  lines.push('next   What you typed is kept on this machine: start quire again.')
  try {
    process.stderr.write(`${printable(lines.join('\n'))}\n`)
  } catch {
    // Nobody is there to be told.
  }
}
