import { readFileSync, readdirSync } from 'node:fs'
import { descendants } from '#test/support/process-tree.ts'

const megabyte = 1024

function residentKilobytes(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
  } catch (error) {
    // The process ended between the listing and now.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || (error as NodeJS.ErrnoException).code === 'ESRCH')
      return 0
    throw error
  }
}

/** Of one process, now. */
export function residentMegabytes(pid: number): number {
  return residentKilobytes(pid) / megabyte
}

/** Clock ticks a second in /proc (USER_HZ), the same on all platforms of Linux. */
const ticks = 100

/** Processor time in milliseconds of a process, of all below it, and of those below it that have ended (Linux). */
export function treeCpuMs(root: number): number {
  return [root, ...descendants(root)].reduce((sum, pid) => sum + cpuMsOf(pid), 0)
}

/** Of a process alone. */
export function ownCpuMs(pid: number): number {
  return cpuMsOf(pid, 2)
}

/** Of the threads that a process has now, to the microsecond: what is less than a tick is seen, too. */
export function exactCpuMs(pid: number): number {
  const nanoseconds = readdirSync(`/proc/${pid}/task`).map((thread) => {
    try {
      return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ', 1)[0])
    } catch {
      // It has ended meanwhile.
      return 0
    }
  })
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e6
}

/** Of one process and of the children that it has seen end; `fields` 2: of itself alone. */
function cpuMsOf(pid: number, count: 2 | 4 = 4): number {
  let stat: string
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ESRCH') return 0
    throw error
  }
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (fields.slice(11, 11 + count).reduce((sum, field) => sum + Number(field), 0) * 1000) / ticks
}

export interface MemoryPeaks {
  /** MB, resident. */
  server: number
  /** MB, all children together. */
  children: number
  total: number
}

/** Samples resident memory of a process and its children ten times a second (Linux). */
export function watchMemory(pid: number): { peaks(): MemoryPeaks; reset(): void; stop(): void } {
  let peaks: MemoryPeaks = { server: 0, children: 0, total: 0 }
  const sample = (): void => {
    const server = residentKilobytes(pid) / megabyte
    const children = descendants(pid).reduce((sum, child) => sum + residentKilobytes(child), 0) / megabyte
    peaks = {
      server: Math.max(peaks.server, server),
      children: Math.max(peaks.children, children),
      total: Math.max(peaks.total, server + children),
    }
  }
  const timer = setInterval(sample, 100)
  return {
    peaks: () => peaks,
    reset: () => {
      peaks = { server: 0, children: 0, total: 0 }
    },
    stop: () => clearInterval(timer),
  }
}
