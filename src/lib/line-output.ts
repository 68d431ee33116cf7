import { write, writeSync } from 'node:fs'
import { hasCode } from './disk.ts'

/** Characters that wait at most for a reader that does not read; what comes then is lost. */
const longestWait = 8 << 20
/** Milliseconds until a descriptor that takes nothing just now is asked again, and how often at the end of the process. */
const pauseMs = 50
const lastTries = 20

/**
 * Lines on their way to a descriptor, beside other work. What it does not take is lost, and nothing else happens: the
 * terminal may have closed, its disk be full, its reader have died. What waits at the end of the process is written then.
 */
export class LineOutput {
  readonly #descriptor: number
  #waiting = ''
  /** Part of it may be under way. */
  #writing: Buffer | null = null
  #isPaused = false

  constructor(descriptor: number) {
    this.#descriptor = descriptor
    process.once('exit', () => this.#finish())
  }

  write(line: string): void {
    if (this.#waiting.length < longestWait) this.#waiting += line
    if (this.#writing === null) this.#next()
  }

  #next(): void {
    this.#writing = this.#waiting === '' ? null : Buffer.from(this.#waiting)
    this.#waiting = ''
    if (this.#writing !== null) this.#send(this.#writing)
  }

  #send(bytes: Buffer): void {
    write(this.#descriptor, bytes, (error, written) => {
      if (hasCode(error, 'EAGAIN')) {
        this.#isPaused = true
        setTimeout(() => {
          this.#isPaused = false
          this.#send(bytes)
        }, pauseMs)
        return
      }
      if (error !== null || written === bytes.length) return this.#next()
      this.#writing = bytes.subarray(written)
      this.#send(this.#writing)
    })
  }

  /** What is under way gets there by itself. */
  #finish(): void {
    let bytes = Buffer.concat([(this.#isPaused ? this.#writing : null) ?? Buffer.alloc(0), Buffer.from(this.#waiting)])
    for (let tries = 0; bytes.length > 0 && tries < lastTries;) {
      try {
        bytes = bytes.subarray(writeSync(this.#descriptor, bytes))
      } catch (error) {
        if (!hasCode(error, 'EAGAIN')) return
        tries += 1
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs)
      }
    }
  }
}
