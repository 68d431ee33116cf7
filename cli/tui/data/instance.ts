import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { promisify } from 'node:util'

/** Names that this process uses now. */
const used = new Set<string>()
const pattern = /^([0-9a-f]{8})-(\d+)-(\w+)-[0-9a-f]{8}$/
/** Of another machine with the same home nobody can ask whether it runs: so long after its last write it does not. */
const foreignMs = 5 * 60_000

/** Which machine it is: containers on one disk have process ids of their own. */
function machine(): string {
  return createHash('sha256').update(hostname()).digest('hex').slice(0, 8)
}

/** When a process began, such that no later process of the same number has the same; undefined: there is none. */
async function beginningOf(pid: number): Promise<string | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    // The name of the program, in brackets, may hold anything.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return process.platform === 'linux' ? undefined : askSystem(pid)
  }
}

async function askSystem(pid: number): Promise<string | undefined> {
  if (process.platform === 'win32') return isRunning(pid) ? '0' : undefined
  return promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)]).then(
    ({ stdout }) => createHash('sha256').update(stdout.trim()).digest('hex').slice(0, 12),
    () => undefined,
  )
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/**
 * A name for whatever one running UI keeps for itself. From it others can tell whether that still runs.
 * The person may have several terminals open.
 */
export async function nameInstance(): Promise<string> {
  const begun = (await beginningOf(process.pid)) ?? '0'
  const name = `${machine()}-${process.pid}-${begun}-${randomBytes(4).toString('hex')}`
  used.add(name)
  return name
}

/** This process has ended its work under the name. */
export function forgetInstance(name: string): void {
  used.delete(name)
}

/** @param changedAt last write under the name */
export async function isInstanceAlive(name: string, changedAt: Date): Promise<boolean> {
  const [, where, pid, begun] = pattern.exec(name) ?? []
  if (pid === undefined) return false
  if (where !== machine()) return Date.now() - changedAt.getTime() < foreignMs
  if (Number(pid) === process.pid) return used.has(name)
  return (await beginningOf(Number(pid))) === begun
}

/** For people, such as `process 4711`. */
export function instanceText(name: string): string {
  return `process ${pattern.exec(name)?.[2] ?? '?'}`
}
