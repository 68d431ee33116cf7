import { setPriority } from 'node:os'

const low = 10

/** Gives a process low priority: it works as fast as before where nobody else needs the processor. */
export function lowerPriority(pid: number): void {
  try {
    setPriority(pid, low)
  } catch (error) {
    // It has ended already, or runs as somebody whose processes are not ours to order.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SYSTEM_ERROR') throw error
  }
}
