import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { vi } from 'vitest'
import { dist } from '#lib/paths.ts'

/** The built `quire` at a terminal, as script(1) gives one. */
export class Terminal {
  readonly #child: ChildProcess
  #screen = ''
  #seen = 0

  constructor(words: readonly string[], environment: Readonly<Record<string, string>>) {
    // Without exec, the shell ends as interrupted when the program was, though that went on.
    const command = ['exec', process.execPath, join(dist, 'quire.js'), ...words].join(' ')
    this.#child = spawn('script', ['-qefc', command, '/dev/null'], {
      env: { PATH: process.env['PATH'], HOME: '/nonexistent', TERM: 'xterm', ...environment },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    this.#child.stdout?.on('data', (chunk: Buffer) => (this.#screen += chunk.toString()))
  }

  types(keys: string): void {
    this.#child.stdin?.write(keys)
  }

  /** Waits until a text has come, behind those that were waited for before. */
  async shows(wanted: string): Promise<void> {
    const look = (): void => {
      if (!this.#screen.includes(wanted, this.#seen)) throw new Error(`${wanted} is not in ${this.#screen}`)
    }
    await vi.waitFor(look, { timeout: 20_000 })
    this.#seen = this.#screen.indexOf(wanted, this.#seen) + wanted.length
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }

  async end(): Promise<number | null> {
    const [code]: (number | null)[] = await once(this.#child, 'close')
    return code ?? null
  }
}
