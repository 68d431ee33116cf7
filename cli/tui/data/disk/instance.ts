import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { readFile, readlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { promisify } from 'node:util'

/** Names that this process uses now. */
const used = new Set<string>()
const pattern = /^([0-9a-f]{8})-(\d+)-(\w+)-[0-9a-f]{8}$/
/** Of another machine with the same home nobody can ask whether it runs: so long after its last write it does not. */
const foreignMs = 5 * 60_000
/** Of Linux itself: whoever is in another one is in a container. */
const outermostProcesses = 'pid:[4026531836]'

/** Where the system does not tell when a process began. */
const unknown = '0'

let machineName: Promise<string> | undefined

/**
 * Which processes can be asked for by their ids: those of this machine, and of this container. The name that the network
 * gives a laptop changes from place to place; that of a container tells it from others on one disk.
 */
function machine(): Promise<string> {
  machineName ??= machineParts().then((parts) =>
    createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 8),
  )
  return machineName
}

async function machineParts(): Promise<string[]> {
  const id = await machineId()
  if (id === undefined) return [hostname()]
  const processes = process.platform === 'linux' ? await readlink('/proc/self/ns/pid').catch(() => '') : ''
  return processes === '' || processes === outermostProcesses ? [id] : [id, hostname()]
}

async function machineId(): Promise<string | undefined> {
  if (process.platform === 'darwin') {
    const { stdout } = await promisify(execFile)('ioreg', ['-rd1', '-c', 'IOPlatformExpertDevice']).catch(() => ({
      stdout: '',
    }))
    return /"IOPlatformUUID" = "([^"]+)"/.exec(stdout)?.[1]
  }
  for (const path of ['/etc/machine-id', '/var/lib/dbus/machine-id']) {
    const id = (await readFile(path, 'utf8').catch(() => '')).trim()
    if (/^[0-9a-f]{32}$/.test(id)) return id
  }
  return undefined
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
  if (process.platform === 'win32') return isRunning(pid) ? unknown : undefined
  // In the same words for every terminal, and wherever a laptop is taken meanwhile.
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' }
  return promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)], { env }).then(
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
  const begun = (await beginningOf(process.pid)) ?? unknown
  const name = `${await machine()}-${process.pid}-${begun}-${randomBytes(4).toString('hex')}`
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
  const isHere = where === (await machine())
  if (Number(pid) === process.pid) {
    if (isHere || used.has(name)) return used.has(name)
  } else if ((isHere || begun !== unknown) && (await beginningOf(Number(pid))) === begun) return true
  // The clock of another machine may be ahead of ours.
  return !isHere && Math.abs(Date.now() - changedAt.getTime()) < foreignMs
}

/** For people, such as `process 4711`. */
export function instanceText(name: string): string {
  return `process ${pattern.exec(name)?.[2] ?? '?'}`
}
