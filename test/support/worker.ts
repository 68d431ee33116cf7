import type { WorkerGlobalState } from 'vitest'

const ends: (() => Promise<void>)[] = []

/**
 * Something that all files of a worker share: opened when a test first asks for it, and again if that failed. It ends
 * after the last file, before what was opened earlier.
 */
export function sharedInWorker<T>(open: () => Promise<T>, close: (shared: T) => Promise<void>): () => Promise<T> {
  let opening: Promise<T> | undefined
  const start = async (): Promise<T> => {
    try {
      const shared = await open()
      atWorkerEnd(() => close(shared))
      return shared
    } catch (error) {
      opening = undefined
      throw error
    }
  }
  return () => (opening ??= start())
}

function atWorkerEnd(end: () => Promise<void>): void {
  if (ends.length === 0) {
    const worker = Reflect.get(globalThis, '__vitest_worker__') as WorkerGlobalState
    worker.onCleanup(endAll)
  }
  ends.push(end)
}

async function endAll(): Promise<void> {
  for (const end of ends.splice(0).toReversed()) await end().catch(console.error)
}
