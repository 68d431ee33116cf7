import { readFileSync } from 'node:fs'

/** What a process has used. */
export interface Usage {
  readonly cpuMs: number
  readonly rssBytes: number
}

/** Clock ticks a second in /proc (USER_HZ), the same on all platforms of Linux. */
const ticks = 100

/** CPU time and resident memory of a process, from /proc; undefined where there is none or the process is gone. */
export function usageOf(pid: number): Usage | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The second field is a name in parentheses that may hold blanks.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const cpuMs = ((Number(fields[11]) + Number(fields[12])) * 1000) / ticks
    const resident = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))
    return Number.isFinite(cpuMs) ? { cpuMs, rssBytes: Number(resident?.[1] ?? 0) * 1024 } : undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== undefined) return undefined
    throw error
  }
}
