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
  const cpuMs = cpuMsOf(pid)
  const status = read(`/proc/${pid}/status`)
  if (cpuMs === undefined || status === undefined) return undefined
  const resident = /^VmRSS:\s+(\d+) kB$/m.exec(status)
  return { cpuMs, rssBytes: Number(resident?.[1] ?? 0) * 1024 }
}

/** CPU time alone: asked for after each page. */
export function cpuMsOf(pid: number): number | undefined {
  const stat = read(`/proc/${pid}/stat`)
  if (stat === undefined) return undefined
  // The second field is a name in parentheses that may hold blanks.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const cpuMs = ((Number(fields[11]) + Number(fields[12])) * 1000) / ticks
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
