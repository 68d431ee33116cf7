import type { WorkerGlobalState } from 'vitest'

const open: (() => Promise<void>)[] = []

/** What the files of a worker share ends after the last of them: what was opened last ends first. */
export function atWorkerEnd(close: () => Promise<void>): void {
  if (open.length === 0) {
    const worker = Reflect.get(globalThis, '__vitest_worker__') as WorkerGlobalState
    worker.onCleanup(closeAll)
  }
  open.push(close)
}

async function closeAll(): Promise<void> {
  for (const close of open.splice(0).toReversed()) await close().catch(console.error)
}
