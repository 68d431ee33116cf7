/** What processes have used of the processor and of memory, as Linux tells it in /proc. */
import { readFileSync } from 'node:fs'

/** Clock ticks a second in /proc (USER_HZ), the same on all platforms of Linux. */
const clockTicks = 100
/** Fields of `/proc/<pid>/stat` behind the name: user and system time, its own and that of its children that have ended. */
const own = [11, 12] as const
const ofChildren = [13, 14] as const

/** What a process has used. */
export interface Usage {
  readonly cpuMs: number
  readonly rssBytes: number
}

/** CPU time and resident memory of a process, from /proc; undefined where there is none or the process is gone. */
export function usageOf(pid: number): Usage | undefined {
  const cpuMs = cpuMsOf(pid)
  const status = read(`/proc/${pid}/status`)
  if (cpuMs === undefined || status === undefined) return undefined
  const resident = /^VmRSS:\s+(\d+) kB$/m.exec(status)
  return { cpuMs, rssBytes: Number(resident?.[1] ?? 0) * 1024 }
}

/** CPU time alone: asked for after each page. */
export function cpuMsOf(pid: number): number | undefined {
  return timeOf(pid, own)
}

/** CPU time of the children of this process that have ended; 0 where there is no /proc. */
export function childrenCpuMs(): number {
  return timeOf('self', ofChildren) ?? 0
}

function timeOf(pid: number | 'self', [user, system]: readonly [number, number]): number | undefined {
  const stat = read(`/proc/${pid}/stat`)
  if (stat === undefined) return undefined
  // The second field is a name in parentheses that may hold blanks.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const cpuMs = ((Number(fields[user]) + Number(fields[system])) * 1000) / clockTicks
  return Number.isFinite(cpuMs) ? cpuMs : undefined
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== undefined) return undefined
    throw error
  }
}
