import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasCode } from '../../lib/disk.ts'

/** How long an ended process may take to be gone, in milliseconds. */
const patience = 10_000

/** Lets a lasting process of Git come to its end: it ends when its input does, after what it was asked before. */
export async function endChild(child: ChildProcessWithoutNullStreams): Promise<void> {
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  child.stdin.end()
  await ended
}

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

/**
 * Ends a collection that outlived its service: it may be rewriting packed-refs, under a lock that would be taken for
 * one left behind. What it has not finished is garbage as before. Resolves when it is gone; at once where the kernel
 * does not say whose a process is (no `/proc`).
 */
export async function endOrphanedCollection(directory: string): Promise<void> {
  // `git gc` writes its process id and the host's name.
  const [, id, host] = /^(\d+) (.*)$/m.exec((await textOf(join(directory, 'gc.pid'))) ?? '') ?? []
  const pid = Number(id ?? 0)
  // 0 and 1 would stand for other groups: our own, everybody's.
  if (pid <= 1 || host !== hostname() || !(await belongsTo(pid, directory))) return
  for (let waited = 0; waited < patience && killGroup(pid, 'SIGKILL'); waited += 20) await sleep(20)
}

/** The number may be another process's by now: only one that works on this repository is ended. */
async function belongsTo(pid: number, directory: string): Promise<boolean> {
  const environment = (await textOf(`/proc/${pid}/environ`)) ?? ''
  return environment.split('\0').includes(`GIT_DIR=${directory}`)
}

/** Of a file that may be missing, or of a process that may be gone or another user's. */
async function textOf(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].some((code) => hasCode(error, code))) return null
    throw error
  }
}
