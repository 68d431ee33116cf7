import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { temporaryDirectory } from './temporary.ts'

const run = promisify(execFile)
const isRoot = process.getuid?.() === 0

export interface Disk {
  /** Where it is mounted, for programs that run through `within`. */
  readonly directory: string
  /** Begins a command that sees the disk. */
  readonly within: readonly string[]
  readonly run: (...command: string[]) => Promise<unknown>
}

/** A small disk of its own, in a mount namespace that ends with the test. */
export async function ownDisk(): Promise<Disk> {
  const directory = await temporaryDirectory()
  const asRoot = isRoot ? [] : ['--user', '--map-root-user']
  const script = 'mount -t tmpfs -o size=24m,mode=700 none "$0" && echo mounted && exec sleep 600'
  const holder = spawn('unshare', [...asRoot, '--mount', 'sh', '-c', script, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void holder.kill('SIGKILL'))
  await once(holder.stdout, 'data')
  const users = isRoot ? [] : ['--user', '--preserve-credentials']
  const within = ['nsenter', `--target=${holder.pid}`, ...users, '--mount']
  return { directory, within, run: (...[...command]) => run('nsenter', [...within.slice(1), ...command]) }
}
