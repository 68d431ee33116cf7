import type { WorkerGlobalState } from 'vitest'

/** What the files of a worker share ends after the last of them. */
export function atWorkerEnd(close: () => Promise<void>): void {
  const worker = Reflect.get(globalThis, '__vitest_worker__') as WorkerGlobalState
  worker.onCleanup(close)
}
