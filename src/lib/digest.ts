import { createHash } from 'node:crypto'
import type { Sha256 } from '../contract/release.ts'

export function sha256(bytes: Uint8Array | string): Sha256 {
  return createHash('sha256').update(bytes).digest('hex')
}
