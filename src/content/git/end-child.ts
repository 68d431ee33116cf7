import type { ChildProcessWithoutNullStreams } from 'node:child_process'

/** Lets a lasting process of Git come to its end: it ends when its input does, after what it was asked before. */
export async function endChild(child: ChildProcessWithoutNullStreams): Promise<void> {
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  child.stdin.end()
  await ended
}
