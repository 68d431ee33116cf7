import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Bytes of the process's buffers that are in use: what is garbage counts until it is collected, so that is done. */
export function heldBuffers(): number {
  collect()
  return process.memoryUsage().arrayBuffers
}

/** Bytes of objects and texts that are in use. */
export function heldHeap(): number {
  collect()
  return process.memoryUsage().heapUsed
}
