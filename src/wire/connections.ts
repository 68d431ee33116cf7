import { readFileSync } from 'node:fs'
import { getHeapStatistics } from 'node:v8'
import type { Config } from '../config.ts'
import { limits } from '../contract/limits.ts'
import type { ConnectionBounds } from '../http/connections.ts'

/** More are of no use to one process. */
const sensible = 10_000

/**
 * How many connections the service takes, unless the settings say it: half of its descriptors, so that the rest is there
 * for files and for processes of Git, and no more than whose small bodies fit into a quarter of the heap.
 */
export function connectionBounds({ maxConnections, connectionsPerAddress, trustProxy }: Config): ConnectionBounds {
  const byMemory = getHeapStatistics().heap_size_limit / 4 / limits.bodyBytes
  const most = maxConnections ?? Math.floor(Math.min(sensible, descriptors() / 2, byMemory))
  return { most, ofAddress: connectionsPerAddress, trustProxy }
}

/** What this process may have open; Infinity where the system does not tell. */
function descriptors(): number {
  try {
    const [, soft = ''] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return soft === '' ? Infinity : Number(soft)
  } catch {
    return Infinity
  }
}
