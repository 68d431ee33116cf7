import { constants, closeSync, openSync, writeSync } from 'node:fs'

const patienceMs = 500
const pauseMs = 5

/**
 * Writes to the terminal before the process may end. Not through the file descriptor of others, where it can be: a line
 * that takes nothing any more would hold the end of the process.
 */
export function writeAtOnce(descriptor: number, text: string): void {
  let own: number | undefined
  try {
    own = openSync('/dev/tty', constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
  } catch {
    // No terminal of this process: the descriptor has to do.
  }
  try {
    writeAll(own ?? descriptor, Buffer.from(text))
  } catch {
    // It has gone, and with it what would have to be restored.
  } finally {
    if (own !== undefined) closeSync(own)
  }
}

function writeAll(descriptor: number, bytes: Buffer): void {
  const end = performance.now() + patienceMs
  let at = 0
  while (at < bytes.length) {
    try {
      at += writeSync(descriptor, bytes, at)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || performance.now() > end) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs)
    }
  }
}
