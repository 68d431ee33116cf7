import { hasCode } from '../../lib/disk.ts'

/** Sends a signal to a process that leads a group, and to all of the group. False when nobody is left to get it. */
export function killGroup(leader: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(-leader, signal)
    return true
  } catch (error) {
    if (hasCode(error, 'ESRCH')) return false
    throw error
  }
}
